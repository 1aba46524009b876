"""`Comparison`: the result of `compare`, with its tables, answer, notes and exports."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from xcompare.core.errors import DataError
from xcompare.core.escaping import for_terminal
from xcompare.core.writing import replacing
from xcompare.harness.data import DataInfo, Described
from xcompare.harness.plan import Plan, Row, clusterings_left_out, registered, wide_default
from xcompare.harness.store import RunStore
from xcompare.harness.unit import UnitResult
from xcompare.inference.answer import Answer, make_answer
from xcompare.inference.existence import ClusterTests
from xcompare.inference.rankings import Ranking, overall_ranks
from xcompare.methods import CONTROL
from xcompare.methods.cluster_tests import CLUSTER_TESTS, tests_in
from xcompare.results import export, runs
from xcompare.results.data_checks import suspicious_columns
from xcompare.results.formats import COMPARISON_FORMATS
from xcompare.results.monte_carlo_error import footnote, intervals
from xcompare.results.partition import (
    JUDGEMENT,
    ConsensusPartition,
    FoundPartition,
    assignments,
    cluster_profiles,
    consensus_of,
    judge,
)
from xcompare.results.plots.style import DASH
from xcompare.results.redundant_features import (
    NamedGroups,
    group_importances,
    named_redundant_groups,
    redundancy_notes,
)
from xcompare.results.result import Result, records
from xcompare.results.significance import Significance, tested
from xcompare.results.table import Normalization, agreement, check_normalization, rank_texts
from xcompare.results.table_row import TableRow, row_dict, table_rows

if TYPE_CHECKING:
    from xcompare.results.plots import ComparisonPlots
    from xcompare.results.report import Page


@dataclass(frozen=True, eq=False)
class Comparison(Described, Result):
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
    X : ndarray of shape (n_samples, n_features) or None
        The data as given; None if read from a store that did not keep it because of its size.
    """

    info: DataInfo
    plan: Plan
    results: dict[str, UnitResult]
    normalize: Normalization = "paper"
    flip: bool = False
    X: np.ndarray | None = None

    @classmethod
    def from_store(
        cls,
        path: str | PathLike[str],
        run: str | None = None,
        *,
        normalize: Normalization = "paper",
        flip: bool = False,
    ) -> "Comparison":
        """Read a comparison back from a run store; nothing is computed.

        Parameters
        ----------
        path : str or Path
        run : str or None, default=None
            Prefix of its key, or its name (the latest of that name); None: the latest. See `list_runs`.
        normalize, flip
            As for `compare`.

        Raises
        ------
        StoreError, UnknownNameError
        """
        check_normalization(normalize)
        with RunStore(path, create=False) as store:
            stored = store.find_comparison(run)
            results = store.results(stored.plan.units(), stored.shape)
            X = store.data(stored)
        return cls(stored.info, stored.plan, results, normalize, flip, X)

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
            store.save_comparison(self.plan, self.info, self.X)
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

    @cached_property
    def rows(self) -> tuple[TableRow, ...]:
        """The rows of the table, with runs, scores and metadata."""
        made = [
            one
            for row in self.plan.rows
            for one in table_rows(row, self._ok(row), self.normalize, self.flip, len(self.feature_names))
        ]
        # Keep the engines of a variant next to each other.
        names = list(dict.fromkeys(one.name for one in made))
        return tuple(sorted(made, key=lambda one: names.index(one.name)))

    @property
    def method_rows(self) -> tuple[TableRow, ...]:
        """The rows of the methods themselves, without variants."""
        methods = {row.method for row in self.plan.rows}
        return tuple(row for row in self.rows if row.name in methods)

    @property
    def table(self) -> pd.DataFrame:
        """Mean normalised scores, methods by features; NaN for a method that failed."""
        return self._frame([row.mean for row in self.rows])

    @property
    def std(self) -> pd.DataFrame:
        """Standard deviation over the runs, methods by features; 0 for a deterministic method."""
        return self._frame([row.std for row in self.rows])

    @property
    def ranks(self) -> pd.DataFrame:
        """Ranks of the features as strings, 1 the most important; ties at two decimals as "5/6" or "5-7"."""
        return self._frame([rank_texts(row.mean, row.larger_is_better) for row in self.rows])

    @property
    def directions(self) -> pd.Series:
        """Whether larger or smaller scores are more important, by row."""
        return pd.Series([row.reads for row in self.rows], self._index(self.rows), name="reads")

    @property
    def software(self) -> pd.Series:
        """Software that computed each row, with its version; a dash for a method that failed."""
        return pd.Series([row.software or DASH for row in self.rows], self._index(self.rows), name="software")

    @property
    def versions(self) -> dict[str, tuple[str, ...]]:
        """Software versions of the runs; several if the store was filled over time."""
        return runs.versions(self.results.values())

    @property
    def raw(self) -> pd.DataFrame:
        """Every score: one row per method, engine, run and feature, raw and normalised."""
        parts = [
            pd.DataFrame(
                {
                    "method": row.name,
                    "engine": row.engine,
                    "run": np.repeat(row.runs, len(self.feature_names)),
                    "feature": np.tile(np.array(self.feature_names, dtype=object), len(row.runs)),
                    "raw": row.raw.ravel(),
                    "normalized": row.normalized.ravel(),
                }
            )
            for row in self.rows
        ]
        return pd.concat(parts, ignore_index=True)

    @property
    def clustering(self) -> pd.DataFrame:
        """Agreement of partitions with ``y_true``: adjusted Rand and Fowlkes-Mallows indices, mean and std.

        One row per method that finds a partition, then the plain clusterings; empty without ``y_true``.
        """
        if self.labels is None:
            return pd.DataFrame([], self._index([]), JUDGEMENT)
        found = [(row, self._labels(row)) for row in (*self.plan.rows, *self.plan.clusterings)]
        rows = [row for row, labels in found if labels]
        records = [
            judge(labels, self.labels, repeats=not registered(row.method).stochastic)
            for row, labels in found
            if labels
        ]
        return pd.DataFrame(records, self._index(rows), JUDGEMENT)

    @property
    def timings(self) -> pd.DataFrame:
        """Seconds per completed run of each method: runs, mean, std, longest and total."""
        rows = [row for row in (*self.plan.rows, *self.plan.clusterings) if self._ok(row)]
        seconds = [np.array([result.seconds for result in self._ok(row)]) for row in rows]
        return runs.timings(seconds, self._index(rows))

    @property
    def failures(self) -> pd.DataFrame:
        """Failed runs: method, engine, status, number of runs, message."""
        return runs.failures(self.plan, self.results)

    @property
    def warnings(self) -> pd.DataFrame:
        """Warnings from Python or R: method, engine, number of runs, message."""
        return runs.warnings(self.plan, self.results, self.feature_names)

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

    @property
    def overall_ranks(self) -> pd.Series:
        """Overall rank of each feature, in order: see `xcompare.inference.rankings.overall_ranks`."""
        return overall_ranks(self.rankings.values(), self.feature_names)

    @property
    def rankings(self) -> dict[str, Ranking]:
        """Ranking by each method: engines averaged, variants and controls excluded."""
        engines: dict[str, list[TableRow]] = {}
        for row in self.method_rows:
            if len(row.runs) and registered(row.name).family != CONTROL:
                engines.setdefault(row.name, []).append(row)
        return {name: _ranking(rows) for name, rows in engines.items()}

    @cached_property
    def significance(self) -> Significance | None:
        """The tests behind the answer, by feature; None if they did not run or failed."""
        return None if self.tests is None else tested(self, self.tests)

    @property
    def standing_out(self) -> list[str] | None:
        """Features that differ between the clusters (q <= .05); empty without evidence of clusters.

        None if not tested.
        """
        if self.decision.outcome is None:
            return None
        return list(self.decision.standing_out or ())

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
        chosen = [self.plan.chosen] if self.plan.chosen else []
        if self.labels is not None:
            chosen += clusterings_left_out(self.n_samples)
        chosen += wide_default(self.plan, len(self.feature_names))
        if self.X is None:
            return chosen
        own = suspicious_columns(self.X, self.feature_names, self.labels)
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

    @cached_property
    def intervals(self) -> pd.DataFrame:
        """Precision of the scores: one row per method, engine and feature.

        ``score``, ``error`` (Monte Carlo error: standard error of the mean over the runs, 0 if
        deterministic), ``low`` and ``high`` (95% interval of the expected score), ``best`` and ``worst``
        (95% interval of the rank). A stochastic method with a single run is omitted.
        """
        return intervals(self.rows, self.feature_names)

    @property
    def footnote(self) -> str:
        """Summary of the Monte Carlo error of the scores; "" if unknown."""
        return footnote(self.method_rows, self.feature_names)

    @property
    def partitions(self) -> list[FoundPartition]:
        """Partitions found by the runs of the methods, without the plain clusterings."""
        return [
            FoundPartition(row.method, row.engine, result.unit.run, result.scores.labels)
            for row in self.plan.rows
            for result in self._ok(row)
            if result.scores is not None and result.scores.labels is not None
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
        if self.X is None:
            raise DataError("the run store did not keep the data because of its size: run compare again")
        return cluster_profiles(self.X, self.consensus.labels, self.feature_names)

    def agreement(self, top: int = 3) -> pd.DataFrame:
        """Pairwise agreement of the rankings.

        Parameters
        ----------
        top : int, default=3
            Number of top-ranked features compared in ``overlap``.

        Returns
        -------
        DataFrame
            ``method, engine, other_method, other_engine``, then ``spearman``, ``kendall``, ``overlap``
            (share of the top features in common) and ``difference`` (largest difference between
            two normalised scores). Rows with ``method == other_method`` compare Python and R.
        """
        rows = {(row.name, row.engine): row.importance for row in self.rows if len(row.runs)}
        return agreement(rows, ("method", "engine"), top)

    def agreement_matrix(self) -> pd.DataFrame:
        """Spearman correlation matrix of the rows that have scores; NaN for constant scores."""
        scores = self._frame([row.importance for row in self.rows]).dropna()
        return scores.T.corr(method="spearman")

    formats = COMPARISON_FORMATS

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
            "standing_out": self.standing_out,
            "significance": None if tests is None else records(tests.table),
            "rows": self.row_dicts(),
            "intervals": records(self.intervals),
            "group_importances": records(self.group_importances),
            "clustering": records(self.clustering),
            "clusters": records(self.assignments),
            "timings": records(self.timings),
            "failures": records(self.failures),
            "warnings": records(self.warnings),
            "notes": self.notes,
        }

    def row_dicts(self) -> list[dict[str, Any]]:
        """The rows of the table as dicts: method, engine, direction, software, means, standard deviations."""
        return [row_dict(row, self.feature_names) for row in self.rows]

    def csv_tables(self) -> dict[str, pd.DataFrame]:
        """The tables that `write` saves as CSV, by name."""
        tables = {"table": export.table(self), "std": self.std, "ranks": self.ranks}
        if self.redundant_groups:
            tables["group_importances"] = self.group_importances
        tables |= {"clustering": self.clustering, "clusters": self.assignments, "timings": self.timings}
        if self.significance is not None:
            tables["significance"] = self.significance.table
        lists = {"raw": self.raw, "agreement": self.agreement(), "failures": self.failures}
        return tables | lists | {"intervals": self.intervals}

    def page(self, *, command: str | None = None, notes: Sequence[str] = ()) -> "Page":
        """The report: see `Result.page`."""
        from xcompare.results.report.gather import comparison_page

        return comparison_page(self, command, tuple(notes))

    def save_figures(self, folder: Path, formats: Sequence[str]) -> list[Path]:
        """Save the figures in these formats."""
        return self.plot.save(folder, formats)

    def _save_tables(self, folder: Path, name: str) -> list[Path]:
        if name == "csv":
            return super()._save_tables(folder, name)
        file = folder / {"latex": "table.tex", "markdown": "table.md", "parquet": "raw.parquet"}[name]
        if name == "latex":
            self.to_latex(file)
        elif name == "markdown":
            self.to_markdown(file)
        else:
            self.to_parquet(file)
        return [file]

    def to_csv(self, path: str | PathLike[str] | None = None) -> str | None:
        """The table as CSV, all digits: method, engine, reads, software, then one column per feature."""
        return export.written(export.frame_csv(export.table(self)), path)

    def to_markdown(self, path: str | PathLike[str] | None = None) -> str | None:
        """The table as Markdown, means ± standard deviations."""
        return export.written(export.markdown(self), path)

    def to_latex(
        self,
        path: str | PathLike[str] | None = None,
        *,
        features: Sequence[str] | None = None,
        bold: bool = True,
        transpose: bool = False,
    ) -> str | None:
        """The table as LaTeX (needs the booktabs package), means ± standard deviations.

        Parameters
        ----------
        path : str, Path or None, default=None
            File to write; None: return the text.
        features : sequence of str or None, default=None
            Features to include, in this order; None: all.
        bold : bool, default=True
            Whether the most important feature of each method is set in bold.
        transpose : bool, default=False
            A row per feature and a column per method.

        Raises
        ------
        UnknownNameError, OutputError
        """
        return export.written(export.latex(self, features, bold=bold, transpose=transpose), path)

    def to_html(self, path: str | PathLike[str] | None = None) -> str | None:
        """The table as an HTML fragment, shaded by importance."""
        return export.written(export.html(self), path)

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Every score (`raw`) as Parquet."""
        with replacing(path) as unfinished:
            self.raw.to_parquet(unfinished, index=False)

    @property
    def plot(self) -> "ComparisonPlots":
        """Plots that return matplotlib ``Axes``: ``plot()`` is the heat map; ``plot.bars()`` and so on."""
        from xcompare.results.plots import ComparisonPlots

        return ComparisonPlots(self)

    def label(self, row: TableRow) -> str:
        """Display name of a row: its title, with the engine if both ran."""
        if not self.shows_engines:
            return row.title
        return f"{row.title} ({'R' if row.engine == 'r' else 'Python'})"

    @property
    def caption(self) -> str:
        """Caption of the table."""
        part = self.plan.part
        drawn = part is not None and part.kind == "sweep" and part.option == "max_features"
        more = f" {part.at} features drawn," if part is not None and drawn else ""
        return self.captioned(f"{self.plan.n_clusters} clusters,{more}")

    def captioned(self, clusters: str) -> str:
        """The caption with this description of the clusters."""
        how = {"paper": "each row normalised as published", "max": "each row divided by its maximum"}
        bagged = {row.options["estimator"]: None for row in self.plan.rows if row.options.get("estimator")}
        others = "".join(f" {text} bagged," for text in bagged)
        return (
            f"{self.name}, {clusters}{others} {runs.number_of_runs(self.plan)}; "
            f"{how.get(self.normalize, 'each row from 0 to 1')}"
            f"{', flipped so that 1 is most important' if self.flip else ''}"
        )

    def __repr__(self) -> str:
        table = self.table.round(2).to_string(na_rep=DASH)
        said = [f"<Comparison {self.caption}>", self.answer, *(f"note: {note}" for note in self.notes), table]
        return for_terminal("\n".join([*said, *filter(None, [self.footnote])]))

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>note: {escape(note)}</p>\n" for note in self.notes)
        return (
            f"<p><strong>{escape(self.answer)}</strong></p>\n{notes}{export.html(self, export.MOST_FEATURES)}"
        )

    def _ok(self, row: Row) -> list[UnitResult]:
        """Results of the successful runs of a row, in order."""
        return runs.finished(self.plan, self.results, row)

    def _labels(self, row: Row) -> list[np.ndarray]:
        """Partitions found by the runs of a row."""
        found = (result.scores for result in self._ok(row))
        return [scores.labels for scores in found if scores is not None and scores.labels is not None]

    @property
    def shows_engines(self) -> bool:
        """Whether rows are labelled by engine, because both ran."""
        return len({row.engine for row in self.plan.rows}) > 1

    def _index(self, rows: Iterable[Row | TableRow]) -> pd.Index:
        """Index by method, and by engine if both ran."""
        names = [(row.method if isinstance(row, Row) else row.name, row.engine) for row in rows]
        if self.shows_engines:
            return pd.MultiIndex.from_tuples(names, names=["method", "engine"])
        return pd.Index([name for name, _ in names], name="method")

    def _frame(self, values: list[Any]) -> pd.DataFrame:
        """Methods by features."""
        columns = pd.Index(self.feature_names, name="feature")
        return pd.DataFrame(values, self._index(self.rows), columns)


def _ranking(rows: list[TableRow]) -> Ranking:
    """Ranking by a method, averaged over engines."""
    method = registered(rows[0].name)
    # The error is unknown (NaN) after a single run of a stochastic method.
    errors = [np.nan_to_num(row.error) for row in rows]
    return Ranking(
        method.title,
        method.family,
        np.mean([row.importance for row in rows], axis=0),
        np.sqrt(np.square(errors).sum(axis=0)) / len(rows),
    )
