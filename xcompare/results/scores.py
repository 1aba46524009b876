"""Scores of the compared methods: as tables, as rankings, and exported to files."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from xcompare.harness.plan import registered
from xcompare.inference.rankings import Ranking, overall_ranks
from xcompare.methods import CONTROL
from xcompare.results import export
from xcompare.results.monte_carlo_error import footnote, intervals
from xcompare.results.runs import PlannedRuns
from xcompare.results.table import Normalization, TableRow, agreement, rank_texts, table_rows
from xcompare.results.wording import DASH, ENGINES


@dataclass(frozen=True, eq=False)
class ComparedScores(PlannedRuns):
    """Base class of `Comparison`: what is computed from the scores alone."""

    normalize: Normalization = "paper"
    flip: bool = False
    data: np.ndarray | None = None
    names: dict[str, str] = field(default_factory=dict)

    @cached_property
    def X(self) -> np.ndarray | None:
        """The columns that make clusters, if they are complete numbers; None if not, or not kept."""
        if self.data is None or not self.info.plain:
            return None
        return self.data[:, : len(self.feature_names)]

    @cached_property
    def rows(self) -> tuple[TableRow, ...]:
        """The rows of the table, with runs, scores and metadata."""
        made = [
            one
            for row in self.plan.rows
            for one in table_rows(row, self.finished(row), self.normalize, self.flip, len(self.feature_names))
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
        return agreement(rows, top)

    def agreement_matrix(self) -> pd.DataFrame:
        """Spearman correlation matrix of the rows that have scores; NaN for constant scores."""
        scores = self._frame([row.importance for row in self.rows]).dropna()
        return scores.T.corr(method="spearman")

    def row_dicts(self) -> list[dict[str, Any]]:
        """The rows of the table as dicts."""
        return [row.to_dict(self.feature_names) for row in self.rows]

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
        rows = [(self.label(row), row.reads.split()[0], row) for row in self.rows]
        caption = ". ".join(filter(None, [self.caption, self.footnote]))
        text = export.score_latex(
            rows, "Reads", self.feature_names, caption, features, bold=bold, transpose=transpose
        )
        return export.written(text, path)

    def to_html(self, path: str | PathLike[str] | None = None) -> str | None:
        """The table as an HTML fragment, shaded by importance."""
        return export.written(export.html(self), path)

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Every score (`raw`) as Parquet."""
        export.write_parquet(self.raw, path)

    def label(self, row: TableRow) -> str:
        """Display name of a row: its title, with the engine if both ran."""
        return f"{row.title} ({ENGINES[row.engine]})" if self.shows_engines else row.title

    @property
    def caption(self) -> str:
        """Caption of the table."""
        more = f" {self.plan.n_drawn} features drawn," if self.plan.n_drawn is not None else ""
        return self.captioned(f"{self.plan.n_clusters} clusters,{more}")

    def captioned(self, clusters: str) -> str:
        """The caption with this description of the clusters."""
        how = {"paper": "each row normalised as published", "max": "each row divided by its maximum"}
        bagged = {row.options["estimator"]: None for row in self.plan.rows if row.options.get("estimator")}
        others = "".join(f" {text} bagged," for text in bagged)
        return (
            f"{self.name}, {clusters}{others} {self.number_of_runs}; "
            f"{how.get(self.normalize, 'each row from 0 to 1')}"
            f"{', flipped so that 1 is most important' if self.flip else ''}"
        )

    def _frame(self, values: list[Any]) -> pd.DataFrame:
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
