"""`TableRow`: one row of the table, built from the runs of a method."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from xcompare.harness.plan import Row, registered
from xcompare.harness.unit import UnitResult
from xcompare.results.table import Normalization, normalize_scores, rank_texts

LARGER, SMALLER = "larger is more important", "smaller is more important"


@dataclass(frozen=True, eq=False)
class TableRow:
    """One row of the table: a method with an engine, or a variant of it."""

    name: str
    title: str
    engine: str
    larger_is_better: bool  # direction of the scores as shown
    normalization: str  # "max", "minmax" or "none"
    runs: np.ndarray  # (n_runs,): run numbers
    raw: np.ndarray  # (n_runs, n_features)
    normalized: np.ndarray  # (n_runs, n_features)
    repeats: bool  # whether one run stands for all, because the method is deterministic
    software: str  # software that computed it; "" if it failed

    @property
    def mean(self) -> np.ndarray:
        """Mean over the runs, shape (n_features,); NaN without runs."""
        return self.normalized.mean(axis=0) if len(self.runs) else np.full(self.raw.shape[1], np.nan)

    @property
    def std(self) -> np.ndarray:
        """Sample standard deviation over the runs; 0 if deterministic, NaN if unknown."""
        return spread(self.normalized, self.repeats)

    @property
    def error(self) -> np.ndarray:
        """Monte Carlo error: standard error of the mean over the runs; NaN if unknown."""
        return self.std / np.sqrt(max(len(self.runs), 1))

    @property
    def run_importances(self) -> np.ndarray:
        """Scores of each run in which larger is more important, shape (n_runs, n_features)."""
        return self.normalized if self.larger_is_better else 1.0 - self.normalized

    @property
    def importance(self) -> np.ndarray:
        """Mean scores in which larger is more important."""
        return self.mean if self.larger_is_better else 1.0 - self.mean

    def to_dict(self, feature_names: Sequence[str]) -> dict[str, Any]:
        """The row as a plain dict: method, engine, direction, software, means, standard deviations, ranks."""
        ranks = rank_texts(self.mean, self.larger_is_better)
        shown = {"mean": self.mean.tolist(), "std": self.std.tolist(), "ranks": ranks}
        return {
            "method": self.name,
            "engine": self.engine,
            "reads": self.reads,
            "normalization": self.normalization,
            "software": self.software or None,
            "runs": len(self.runs),
            **{what: dict(zip(feature_names, values, strict=True)) for what, values in shown.items()},
        }

    @property
    def reads(self) -> str:
        """Whether larger or smaller is more important, in words."""
        return LARGER if self.larger_is_better else SMALLER


def table_rows(
    row: Row, finished: Sequence[UnitResult], normalize: Normalization, flip: bool, n_features: int
) -> list[TableRow]:
    """The row of a method, and one per variant."""
    method = registered(row.method)
    found = [(result.unit.run, result.scores) for result in finished if result.scores is not None]
    flipped = flip and not method.larger_is_better
    how = method.normalization if normalize == "paper" else normalize

    def made(suffix: str, raw: dict[int, np.ndarray]) -> TableRow:
        values = np.array(list(raw.values())).reshape(len(raw), n_features)
        return TableRow(
            name=f"{method.name}_{suffix}" if suffix else method.name,
            title=f"{method.title} {suffix}" if suffix else method.title,
            engine=row.engine,
            larger_is_better=method.larger_is_better or flipped,
            normalization="minmax" if flipped else how,
            runs=np.array(list(raw), dtype=int),
            raw=values,
            # Flipped, the smallest score becomes 1 and the largest 0.
            normalized=normalize_scores(-values, "minmax") if flipped else normalize_scores(values, how),
            repeats=not method.stochastic,
            software=", ".join(dict.fromkeys(one.software for _, one in found)),
        )

    variants = dict.fromkeys(variant for _, one in found for variant in one.variants)
    return [
        made("", {run: one.scores for run, one in found}),
        *(
            made(variant, {run: one.variants[variant] for run, one in found if variant in one.variants})
            for variant in variants
        ),
    ]


def spread(values: np.ndarray, repeats: bool) -> np.ndarray:
    """Sample standard deviation over rows; 0 if deterministic, NaN if there are too few rows."""
    if len(values) > 1:
        return values.std(axis=0, ddof=1)
    return np.full(values.shape[1], 0.0 if repeats and len(values) else np.nan)
