"""`Comparison`: the result of `compare`, with its answer; saved and read back."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from html import escape
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from xcompare.bagging.redundancy import redundant_groups
from xcompare.core.checks import check_integer
from xcompare.core.errors import DataError
from xcompare.core.escaping import for_terminal
from xcompare.core.seeds import derive_seed
from xcompare.core.standardization import standardize
from xcompare.core.writing import replacing
from xcompare.harness.plan import clusterings_left_out, registered, wide_default
from xcompare.harness.store import RunStore, StoredComparison
from xcompare.inference.answer import Answer, make_answer
from xcompare.inference.existence import ClusterTests
from xcompare.methods.cluster_tests import CLUSTER_TESTS, tests_in
from xcompare.results import export
from xcompare.results.clustered_table import ClusteredTable, numbered, renamed
from xcompare.results.data_checks import column_notes, odd_features, redundancy_notes
from xcompare.results.effect_sizes import COLUMNS, TOP, effect_sizes, largest
from xcompare.results.partition import (
    JUDGEMENT,
    ConsensusPartition,
    FoundPartition,
    assignments,
    cluster_profiles,
    consensus_of,
    judge,
)
from xcompare.results.result import records
from xcompare.results.scores import ComparedScores
from xcompare.results.significance import Significance, tested
from xcompare.results.summary import ClusterSummary, cluster_summaries
from xcompare.results.table import Normalization, check_normalization
from xcompare.results.wording import DASH

if TYPE_CHECKING:
    from xcompare.results.plots import ComparisonPlots
    from xcompare.results.report import Page

NUMBERS_ONLY = (
    "profiles need numeric columns without missing values; these have other kinds or missing values"
)
WEIGHTED = (
    "row weights: clusters are those of the weighted rows; scaling, information and effect sizes count every"
    " row once; the tests use rows kept with probabilities proportional to their weights"
)


@dataclass(frozen=True, eq=False)
class Comparison(ComparedScores):
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
        """Save the comparison to a file for `from_store`: every run, and the data unless it is large.

        The file is a run store with this comparison only, which `xcompare report` also accepts. It holds raw
        scores; the normalization is chosen when reading.

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
        ...     xcompare.Comparison.from_store(f"{folder}/iris.sqlite").table.equals(found.table)
        True
        """
        with RunStore(None) as store:
            store.save_comparison(self.plan, self.info, self.data)
            for result in self.results.values():
                store.save(result, self.plan)
            content = store.content()
        with replacing(path) as unfinished:
            unfinished.write_bytes(content)

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
    def partitions(self) -> list[FoundPartition]:
        """Partitions found by the runs of the methods, without the plain clusterings."""
        return [
            FoundPartition(row.method, row.engine, run, labels)
            for row in self.plan.rows
            for run, labels in self.labels_of(row).items()
        ]

    @cached_property
    def consensus(self) -> ConsensusPartition | None:
        """Medoid partition of all methods and runs; None if no method returns partitions."""
        return consensus_of(self.partitions)

    @property
    def assignments(self) -> pd.DataFrame:
        """Cluster of every row, 1 the largest; no columns if no method returns partitions.

        ``consensus``, ``share`` (of the methods' votes for it), and a column per method. The index is that of
        the data frame that was compared, if it was one.
        """
        rows = self.info.row_names
        rows = pd.RangeIndex(self.n_samples) if rows is None else rows
        rows = rows.rename("row") if rows.names == [None] else rows
        if not self.partitions:
            return pd.DataFrame(index=rows)
        return assignments(self.partitions, engines=self.shows_engines).set_axis(rows)

    @property
    def profiles(self) -> pd.DataFrame:
        """Profiles of the clusters of `consensus`: one row per cluster and feature.

        ``cluster`` (1 the largest), ``size``, ``feature``, ``mean``, ``difference`` (from the other rows, in
        pooled standard deviations), ``entropy``, ``conditional_entropy`` (nats).

        Raises
        ------
        DataError
            If no method returns partitions, or the data was not kept.
        """
        if self.consensus is None:
            raise DataError("none of the methods returns partitions, so there are no clusters to describe")
        if not self.info.plain:
            raise DataError(NUMBERS_ONLY)
        if self.X is None:
            raise DataError("the run store did not keep the data because of its size: run compare again")
        return cluster_profiles(self.X, self.consensus.labels, self.feature_names)

    @property
    def clustered(self) -> ClusteredTable | None:
        """The data as given, with the cluster of each row by `consensus`; None without one of the two."""
        if self.consensus is None or self.data is None:
            return None
        labels = self.consensus.labels
        clusters = tuple(self.names.get(number, number) for number in numbered(int(labels.max()) + 1))
        return ClusteredTable(self.data, self.info.columns, labels, clusters)

    @cached_property
    def effects(self) -> pd.DataFrame:
        """Effect sizes of the clusters of `consensus` in the units of the data, each against the rest.

        One row per cluster and feature, empty without clusters or the data;
        docs/tables.md describes the columns.
        """
        table = self.clustered
        if table is None or len(table.clusters) < 2:
            return pd.DataFrame(columns=list(COLUMNS))
        seed = derive_seed(self.plan.random_state, self.plan.fingerprint, "effects")
        return effect_sizes(table, table.against_rest(), seed=seed)

    @cached_property
    def summaries(self) -> tuple[ClusterSummary, ...]:
        """Each cluster of `consensus` in plain words; empty without clusters or the data."""
        table = self.clustered
        return () if table is None or self.effects.empty else cluster_summaries(table, self.effects)

    def top(self, n: int = TOP) -> pd.DataFrame:
        """The ``n`` features of each cluster with the largest `effects`, the first the largest."""
        check_integer("n", n, 1)
        return largest(self.effects, n)

    @cached_property
    def clustering(self) -> pd.DataFrame:
        """Agreement of partitions with ``y_true``: adjusted Rand and Fowlkes-Mallows indices, mean and std.

        One row per method that finds a partition, then the plain clusterings; empty without ``y_true``.
        """
        if self.labels is None:
            return pd.DataFrame([], self._index([]), JUDGEMENT)
        rows = [row for row in (*self.plan.rows, *self.plan.clusterings) if self.labels_of(row)]
        records = [
            judge([*self.labels_of(row).values()], self.labels, repeats=not registered(row.method).stochastic)
            for row in rows
        ]
        return pd.DataFrame(records, self._index(rows), JUDGEMENT)

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
            for result in self.finished(row):
                if row.method == CLUSTER_TESTS.name and result.scores is not None:
                    return tests_in(result.scores)
        return None

    @cached_property
    def notes(self) -> list[str]:
        """Notes: how K was chosen, what was left out, data checks and redundant features."""
        n_units, n_found = len(self.plan.units()), len(self.results)
        missing = f"{n_units - n_found} of {n_units} runs are missing: repeat the command to compute them"
        chosen = [missing] if n_found < n_units else []
        chosen += [self.plan.chosen] if self.plan.chosen else []
        chosen += [WEIGHTED] if self.plan.weighted else []
        if self.labels is not None:
            chosen += clusterings_left_out(self.n_samples, self.plan.weighted)
        chosen += wide_default(self.plan, len(self.feature_names))
        chosen += column_notes(self.info)
        if self.data is not None:
            chosen += odd_features(self.info, self.data)
        return [*chosen, *redundancy_notes(self.redundant_groups, self.group_importances)]

    @cached_property
    def redundant_groups(self) -> tuple[tuple[str, ...], ...]:
        """Groups of redundant features, by name; empty if the data was not kept."""
        if self.X is None:
            return ()
        rng = np.random.default_rng(derive_seed(self.plan.random_state, "near-copies"))
        features = np.ascontiguousarray(standardize(self.X).T)
        groups = redundant_groups(features, self.plan.n_clusters, rng)
        return tuple(tuple(self.feature_names[j] for j in group) for group in groups)

    @property
    def group_importances(self) -> pd.DataFrame:
        """Importance of each group of redundant features: its largest score, averaged over the runs."""
        groups = {
            " + ".join(group): [self.feature_names.index(name) for name in group]
            for group in self.redundant_groups
        }
        found = [
            [
                row.run_importances[:, at].max(axis=1).mean() if len(row.runs) else np.nan
                for at in groups.values()
            ]
            for row in self.method_rows
        ]
        columns = pd.Index(groups, name="group")
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
