"""The result of a sweep: comparisons over values of ``max_features`` or ``n_clusters``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from xcompare.core.escaping import for_terminal
from xcompare.harness.store import RunStore, StoredComparison
from xcompare.inference.answer import Answer, make_answer
from xcompare.inference.existence import ClusterTests
from xcompare.inference.rankings import LEADER, Ranking, overall_ranks
from xcompare.results import export
from xcompare.results.comparison import Comparison
from xcompare.results.partition import ConsensusPartition, consensus_of
from xcompare.results.result import StoredResult, records
from xcompare.results.table import Normalization, TableRow
from xcompare.results.wording import DASH

if TYPE_CHECKING:
    from xcompare.results.plots import SweepPlots
    from xcompare.results.report import Page


@dataclass(frozen=True)
class Swept:
    """The parameter that a sweep varies."""

    option: str  # name in calls and tables
    letter: str  # symbol, as in ``m=3``
    title: str  # column header
    words: str  # the quantity counted
    kind: str  # plural name of the values, for the answer
    question: str  # title of the report

    def label(self, value: int) -> str:
        """Label of a value, as in ``m=3``."""
        return f"{self.letter}={value}"

    @property
    def axis(self) -> str:
        """Axis label: quantity and symbol."""
        return f"{self.words} ({self.letter})"


SWEPT = {
    one.option: one
    for one in (
        Swept(
            "max_features", "m", "Features drawn", "features drawn", "sizes of the subspace",
            "does it matter how many features are drawn?",
        ),
        Swept(
            "n_clusters", "K", "Clusters", "clusters", "numbers of clusters",
            "does it matter how many clusters are looked for?",
        ),
    )
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Sweep(StoredResult):
    """Comparisons over values of ``max_features`` or ``n_clusters``. Made by `sweep`.

    Attributes
    ----------
    name : str
        Name of the dataset.
    comparisons : dict of int to Comparison
        One per value: numbers of features in the given order, numbers of clusters ascending.
    swept : Swept
        The parameter varied: its ``option`` is "max_features" or "n_clusters".
    """

    name: str
    comparisons: dict[int, Comparison]
    swept: Swept = SWEPT["max_features"]

    kind = "sweep"
    files = {"parquet": "raw.parquet"}  # noqa: RUF012

    @classmethod
    def of(cls, comparisons: dict[int, Comparison]) -> "Sweep":
        """From its comparisons, by value."""
        first = next(iter(comparisons.values()))
        assert first.plan.part is not None
        return cls(first.name, comparisons, SWEPT[first.plan.part.option])

    @classmethod
    def read(
        cls, store: RunStore, found: StoredComparison, normalize: Normalization = "paper", flip: bool = False
    ) -> "Sweep":
        """The sweep in an open store, at every value."""
        parts = store.siblings(found).items()
        return cls.of({at: Comparison.read(store, one, normalize, flip) for at, one in parts})

    @property
    def first(self) -> Comparison:
        """The comparison at the first value."""
        return next(iter(self.comparisons.values()))

    @property
    def table(self) -> pd.DataFrame:
        """Mean normalised scores; rows are method (and engine, if both ran) and value."""
        return self._joined(lambda comparison: comparison.table)

    @property
    def std(self) -> pd.DataFrame:
        """Standard deviation over the runs; rows as in `table`."""
        return self._joined(lambda comparison: comparison.std)

    @property
    def clustering(self) -> pd.DataFrame:
        """Agreement with the reference labels; rows as in `table`, plus the plain clusterings."""
        return self._joined(lambda comparison: comparison.clustering)

    @property
    def raw(self) -> pd.DataFrame:
        """Every score, one row per value, method, engine, run and feature."""
        return self._stacked(lambda comparison: comparison.raw)

    @property
    def failures(self) -> pd.DataFrame:
        """Failed runs, with the reason."""
        return self._stacked(lambda comparison: comparison.failures)

    @property
    def answer(self) -> str:
        """Whether there are clusters, which features matter most, and how many values agree."""
        return str(self.decision)

    @cached_property
    def decision(self) -> Answer:
        """The answer in parts, as for a `Comparison`, with one ranking per value.

        Existence is tested at each number of clusters (Bonferroni); the clearest result is used.
        """
        first = self.first
        tests = {one.plan.n_clusters: one.tests for one in self.comparisons.values()}
        answers = [
            make_answer(
                self._rankings,
                first.feature_names,
                n_clusters,
                tests=None if found is None else _bonferroni(len(tests), found),
                n_samples=first.n_samples,
                X=first.X,
                kind=self.swept.kind,
            )
            for n_clusters, found in tests.items()
        ]
        return min(answers, key=lambda one: (one.outcome != "found", one.p_clusters or 0.0))

    @property
    def notes(self) -> list[str]:
        """Notes, as for a `Comparison`."""
        return self.first.notes

    @property
    def labelled_rows(self) -> list[tuple[str, TableRow]]:
        """The rows of all values with their labels, ordered by method, then value."""
        return [
            (f"{found.label(row)}, {self.swept.label(value)}", row)
            for value, found, row in self._by_method(lambda found: found.method_rows)
        ]

    @property
    def overall_ranks(self) -> pd.Series:
        """Mean rank of each feature over the values, most important first."""
        return overall_ranks(self._rankings, self.first.feature_names)

    @cached_property
    def consensus(self) -> ConsensusPartition | None:
        """Medoid partition of all methods, values and runs; None without partitions, or if K varies."""
        if self.swept.option == "n_clusters":
            return None
        return consensus_of([one for found in self.comparisons.values() for one in found.partitions])

    @cached_property
    def partition_agreement(self) -> pd.DataFrame:
        """Adjusted Rand index between the consensus partitions of each pair of values; NaN without them."""
        values = pd.Index(self.comparisons, name=self.swept.option)
        found = [one.consensus for one in self.comparisons.values()]
        indices = [
            [np.nan if a is None or b is None else adjusted_rand_score(a.labels, b.labels) for b in found]
            for a in found
        ]
        return pd.DataFrame(indices, values, values)

    @property
    def caption(self) -> str:
        """Caption of the table."""
        first, values = self.first, list(self.comparisons)
        if self.swept.option == "n_clusters" and len(values) > 1:
            return first.captioned(f"{values[0]} to {values[-1]} clusters,")
        return first.captioned(f"{first.plan.n_clusters} clusters,")

    def flipped(self) -> "Sweep":
        """The same sweep with rows flipped so that 1 is the most important feature."""
        return replace(self, comparisons={at: one.flipped() for at, one in self.comparisons.items()})

    @property
    def plot(self) -> "SweepPlots":
        """Plots that return matplotlib ``Axes``: ``plot()`` is scores against the parameter varied."""
        from xcompare.results.plots import SweepPlots

        return SweepPlots(self)

    def to_dict(self) -> dict[str, Any]:
        """The sweep as plain dicts, lists, strings and numbers: rows of a comparison, with the value."""
        option = self.swept.option
        first = self.first
        rows = [
            {option: value, **row} for value, found in self.comparisons.items() for row in found.row_dicts()
        ]
        return {
            "dataset": self.name,
            "n_samples": first.n_samples,
            "n_clusters": first.plan.n_clusters,
            "features": list(first.feature_names),
            option: list(self.comparisons),
            "rows": rows,
            "clustering": records(self.clustering),
            "failures": records(self.failures),
            "answer": self.answer,
            "notes": self.notes,
        }

    def csv_tables(self) -> dict[str, pd.DataFrame]:
        """The tables that `write` saves as CSV, by name."""
        tables = {"table": self.table, "std": self.std, "clustering": self.clustering}
        return tables | {"raw": self.raw, "failures": self.failures}

    def page(self, *, command: str | None = None, notes: Sequence[str] = ()) -> "Page":
        """The report: see `Result.page`."""
        from xcompare.results.report.gather import sweep_page

        return sweep_page(self, command, tuple(notes))

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Every score (`raw`) as Parquet."""
        export.write_parquet(self.raw, path)

    def to_latex(
        self,
        path: str | PathLike[str] | None = None,
        *,
        features: Sequence[str] | None = None,
        bold: bool = True,
        transpose: bool = False,
    ) -> str | None:
        """The table as LaTeX, a row per method and value; parameters as for `Comparison.to_latex`."""
        rows = [
            (found.label(row), str(value), row)
            for value, found, row in self._by_method(lambda found: found.rows)
        ]
        names, title = self.first.feature_names, self.swept.title
        text = export.score_latex(rows, title, names, self.caption, features, bold=bold, transpose=transpose)
        return export.written(text, path)

    @property
    def _rankings(self) -> list[Ranking]:
        """Rankings by method and value; each value counts once, beside the leading method."""
        label = self.swept.label
        return [
            one
            if one.family == LEADER
            else replace(one, title=f"{one.title}, {label(value)}", family=label(value))
            for value, found in self.comparisons.items()
            for one in found.rankings.values()
        ]

    def __repr__(self) -> str:
        table = self.table.round(export.PRINTED).to_string(na_rep=DASH)
        return for_terminal(f"<Sweep {self.caption}>\n{self.answer}\n{table}")

    def _repr_html_(self) -> str:
        return export.frame_html(self.table, self.answer, *(f"note: {note}" for note in self.notes))

    def _by_method(
        self, rows: Callable[[Comparison], Sequence[TableRow]]
    ) -> list[tuple[int, Comparison, TableRow]]:
        """Rows of all values, with the value and its comparison, ordered by method, then value."""
        found = ([(value, one, row) for row in rows(one)] for value, one in self.comparisons.items())
        return [one for line in zip_longest(*found) for one in line if one is not None]

    def _joined(self, part: Callable[[Comparison], pd.DataFrame]) -> pd.DataFrame:
        """One frame with the value as last index level, grouped by method."""
        frames = {value: part(comparison) for value, comparison in self.comparisons.items()}
        joined = pd.concat(frames, names=[self.swept.option])
        who = list(range(joined.index.nlevels - 1))
        joined = joined.reorder_levels([*(level + 1 for level in who), 0])
        return joined.iloc[np.argsort(joined.groupby(level=who, sort=False).ngroup(), kind="stable")]

    def _stacked(self, part: Callable[[Comparison], pd.DataFrame]) -> pd.DataFrame:
        """Concatenated long frames, with the value as first column."""
        option = self.swept.option
        frames = [part(one).assign(**{option: value}) for value, one in self.comparisons.items()]
        stacked = pd.concat(frames, ignore_index=True)
        return stacked[[option, *(column for column in stacked if column != option)]]


def _bonferroni(n_tests: int, tests: ClusterTests) -> ClusterTests:
    """Tests with the existence p-value Bonferroni-corrected for this many values."""
    return tests._replace(p_clusters=min(1.0, tests.p_clusters * n_tests))
