"""`Comparison`: the result of `compare`, with its answer; saved and read back."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from html import escape
from os import PathLike
from typing import TYPE_CHECKING, Any

import pandas as pd

from xcompare.core.escaping import for_terminal
from xcompare.core.writing import replacing
from xcompare.harness.plan import clusterings_left_out, wide_default
from xcompare.harness.store import RunStore, StoredComparison
from xcompare.inference.answer import Answer, make_answer
from xcompare.inference.existence import ClusterTests
from xcompare.methods.cluster_tests import CLUSTER_TESTS, tests_in
from xcompare.results import export
from xcompare.results.clustered_table import numbered, renamed
from xcompare.results.clusters import ComparedClusters
from xcompare.results.data_checks import (
    column_notes,
    encoded_notes,
    odd_features,
    one_hot_groups,
    suspicious_columns,
)
from xcompare.results.redundant_features import (
    NamedGroups,
    group_importances,
    named_redundant_groups,
    redundancy_notes,
)
from xcompare.results.result import records
from xcompare.results.significance import Significance, tested
from xcompare.results.table import Normalization, check_normalization
from xcompare.results.wording import DASH

if TYPE_CHECKING:
    from xcompare.results.plots import ComparisonPlots
    from xcompare.results.report import Page

WEIGHTED = (
    "row weights: clusters are those of the weighted rows; scaling, information and effect sizes count every"
    " row once; the tests use rows kept with probabilities proportional to their weights"
)


@dataclass(frozen=True, eq=False)
class Comparison(ComparedClusters):
    """Comparison of methods on one dataset. Made by `compare` and `Comparison.from_store`.

    Rows are methods, or pairs of method and engine if both engines ran. A method whose runs all failed keeps
    its row, without scores; `failures` gives the reason.

    Attributes
    ----------
    info : DataInfo
        Description of the data: ``name``, ``n_samples``, ``feature_names``, ``labels`` and ``label_names``,
        each also an attribute of the comparison.
    plan : Plan
        The planned computation.
    results : dict of str to UnitResult
        Result of each unit, by key.
    normalize : {"paper", "max", "minmax"}
    flip : bool
        Whether rows in which smaller is more important are flipped.
    data : ndarray of shape (n_samples, n_columns) or None
        The data as given, with codes of levels and NaN; the columns that only describe clusters are last.
        None if read from a store that did not keep it because of its size.
    names : dict of str to str, default={}
        Names of clusters of the `consensus`, in place of "1", "2", ...
    """

    @classmethod
    def read(
        cls, store: RunStore, found: StoredComparison, normalize: Normalization = "paper", flip: bool = False
    ) -> "Comparison":
        """The comparison in an open store."""
        check_normalization(normalize)
        results = store.results(found.plan.units(), found.n_samples)
        return cls(found.info, found.plan, results, normalize, flip, store.data(found))

    def save(self, path: str | PathLike[str]) -> None:
        """Save the comparison to a file for `load`: every run, and the data unless it is large.

        The file is a run store with this comparison only, which `xcompare report` also accepts. It holds raw
        scores; the normalization is chosen when loading.

        Raises
        ------
        OutputError

        Examples
        --------
        >>> import tempfile, xcompare
        >>> iris = xcompare.load_dataset("iris")
        >>> found = xcompare.compare(iris, methods="cubt, ls", n_runs=1, n_jobs=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found.save(f"{folder}/iris.sqlite")
        ...     xcompare.Comparison.load(f"{folder}/iris.sqlite").table.equals(found.table)
        True
        """
        with RunStore(None) as store:
            store.save_comparison(self.plan, self.info, self.data)
            for result in self.results.values():
                store.save(result, self.plan)
            content = store.content()
        with replacing(path) as unfinished:
            unfinished.write_bytes(content)

    @classmethod
    def load(
        cls, path: str | PathLike[str], *, normalize: Normalization = "paper", flip: bool = False
    ) -> "Comparison":
        """Load a comparison written by `save`.

        Parameters
        ----------
        path : str or Path
        normalize, flip
            As for `compare`.

        Raises
        ------
        StoreError
        """
        return cls.from_store(path, normalize=normalize, flip=flip)

    def flipped(self) -> "Comparison":
        """The same comparison with rows flipped so that 1 is the most important feature."""
        return replace(self, flip=True)

    def normalized(self, normalize: Normalization) -> "Comparison":
        """The same comparison with another normalization."""
        check_normalization(normalize)
        return replace(self, normalize=normalize)

    def renamed(self, names: Mapping[Any, str]) -> "Comparison":
        """The same comparison with names for the clusters of `consensus`: ``{1: "Loyal"}``.

        Raises
        ------
        DataError, UnknownNameError
        """
        numbers = numbered(self.plan.n_clusters)
        return replace(self, names=dict(zip(numbers, renamed(numbers, names), strict=True)))

    @property
    def answer(self) -> str:
        """Whether there are clusters, which features matter most, and how many method families agree."""
        return str(self.decision)

    @cached_property
    def decision(self) -> Answer:
        """The answer in parts: outcome, p-value, features named, features that differ, second opinions."""
        return make_answer(
            self.rankings.values(),
            self.feature_names,
            self.plan.n_clusters,
            tests=self.tests,
            n_samples=self.n_samples,
            X=self.X,
        )

    @cached_property
    def significance(self) -> Significance | None:
        """The tests behind the answer, by feature; None if they did not run or failed."""
        return None if self.tests is None else tested(self, self.tests)

    @property
    def differing(self) -> list[str] | None:
        """Features that differ between the clusters (q <= .05); empty without evidence of clusters.

        None if not tested.
        """
        if self.decision.outcome is None:
            return None
        return list(self.decision.differing or ())

    @cached_property
    def tests(self) -> ClusterTests | None:
        """p-values of the existence of clusters and of differences by feature; None if not tested."""
        for row in self.plan.tests:
            for result in self._ok(row):
                if row.method == CLUSTER_TESTS.name and result.scores is not None:
                    return tests_in(result.scores)
        return None

    @cached_property
    def notes(self) -> list[str]:
        """Notes: how K was chosen, what was left out, data checks and redundant features."""
        n_units, n_found = len(self.plan.units()), len(self.results)
        chosen = [f"{n_units - n_found} of {n_units} runs are missing: repeat the command to compute them"]
        chosen = chosen if n_found < n_units else []
        chosen += [self.plan.chosen] if self.plan.chosen else []
        chosen += [WEIGHTED] if self.plan.weighted else []
        if self.labels is not None:
            chosen += clusterings_left_out(self.n_samples, self.plan.weighted)
        chosen += wide_default(self.plan, len(self.feature_names))
        chosen += column_notes(self.info)
        if self.X is None:
            return chosen if self.data is None else [*chosen, *odd_features(self.info, self.data)]
        own = suspicious_columns(self.X, self.feature_names, self.labels)
        own += encoded_notes(one_hot_groups(self.feature_names, self.X))
        return [*chosen, *own, *redundancy_notes(self.redundant_groups, self.group_importances)]

    @cached_property
    def redundant_groups(self) -> NamedGroups:
        """Groups of redundant features, by name; empty if the data was not kept."""
        if self.X is None:
            return ()
        return named_redundant_groups(
            self.X, self.plan.n_clusters, self.plan.random_state, self.feature_names
        )

    @property
    def group_importances(self) -> pd.DataFrame:
        """Importance of each group of redundant features: its largest score, averaged over the runs."""
        found = group_importances(self.method_rows, self.redundant_groups, self.feature_names)
        columns = pd.Index([" + ".join(group) for group in self.redundant_groups], name="group")
        return pd.DataFrame(found, self._index(self.method_rows), columns, dtype=float)

    files = {"latex": "table.tex", "markdown": "table.md", "parquet": "raw.parquet"}  # noqa: RUF012

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain dicts, lists, strings and numbers, without single runs (see `raw`)."""
        tests = self.significance
        return {
            "dataset": self.name,
            "n_samples": self.n_samples,
            "n_clusters": self.plan.n_clusters,
            "features": list(self.feature_names),
            "normalize": self.normalize,
            "flip": self.flip,
            "answer": self.answer,
            "decision": asdict(self.decision),
            "differing": self.differing,
            "significance": None if tests is None else records(tests.table),
            "rows": self.row_dicts(),
            "intervals": records(self.intervals),
            "group_importances": records(self.group_importances),
            "clustering": records(self.clustering),
            "clusters": records(self.assignments),
            "summaries": [str(one) for one in self.summaries],
            "effects": records(self.effects),
            "timings": records(self.timings),
            "failures": records(self.failures),
            "warnings": records(self.warnings),
            "notes": self.notes,
        }

    def csv_tables(self) -> dict[str, pd.DataFrame]:
        """The tables that `write` saves as CSV, by name."""
        tables = {"table": export.table(self), "std": self.std, "ranks": self.ranks}
        if self.redundant_groups:
            tables["group_importances"] = self.group_importances
        tables |= {"clustering": self.clustering, "clusters": self.assignments, "timings": self.timings}
        if not self.effects.empty:
            tables["effects"] = self.effects
        if self.significance is not None:
            tables["significance"] = self.significance.table
        lists = {"raw": self.raw, "agreement": self.agreement(), "failures": self.failures}
        return tables | lists | {"intervals": self.intervals}

    def page(self, *, command: str | None = None, notes: Sequence[str] = ()) -> "Page":
        """The report: see `Result.page`."""
        from xcompare.results.report.gather import comparison_page

        return comparison_page(self, command, tuple(notes))

    @property
    def plot(self) -> "ComparisonPlots":
        """Plots that return matplotlib ``Axes``: ``plot()`` is the heat map; ``plot.bars()`` and so on."""
        from xcompare.results.plots import ComparisonPlots

        return ComparisonPlots(self)

    def __repr__(self) -> str:
        table = self.table.round(2).to_string(na_rep=DASH)
        said = [f"<Comparison {self.caption}>", self.answer, *(f"note: {note}" for note in self.notes), table]
        return for_terminal("\n".join([*said, *filter(None, [self.footnote])]))

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>note: {escape(note)}</p>\n" for note in self.notes)
        return (
            f"<p><strong>{escape(self.answer)}</strong></p>\n{notes}{export.html(self, export.MOST_FEATURES)}"
        )
