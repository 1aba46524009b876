"""Scores of the measures on given clusters: as tables, with intervals, and the answer."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from xcompare.inference.rankings import majority
from xcompare.results.comparison import Comparison
from xcompare.results.result import StoredResult

KINDS = "kinds of measures"
TELLS_APART = ("tells the clusters apart best", "tell the clusters apart best")


@dataclass(frozen=True, eq=False)
class ExplainedScores(StoredResult):
    """Base class of `Explanation`: what is computed from the scores alone."""

    overall: Comparison
    resampled: Comparison
    by_cluster: tuple[Comparison, ...]
    by_contrast: tuple[Comparison, ...] = ()

    @property
    def name(self) -> str:
        """Name of the data."""
        return self.overall.name

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The features, in the order of the data."""
        return self.overall.feature_names

    @property
    def clusters(self) -> tuple[str, ...]:
        """Names of the clusters, from the labels."""
        return self.overall.label_names

    @property
    def left_out(self) -> dict[str, int]:
        """Number of rows without a cluster: unlabelled ("missing") or labelled -1 ("noise")."""
        part = self.overall.plan.part
        assert part is not None
        return part.left_out

    @property
    def table(self) -> pd.DataFrame:
        """Scores for all clusters together: measures by features, each row divided by its maximum."""
        return self._named(self.overall.table)

    @property
    def ranks(self) -> pd.DataFrame:
        """Ranks of the features as strings, 1 the most important; measures by features."""
        return self._named(self.overall.ranks)

    @property
    def per_cluster(self) -> pd.DataFrame:
        """Each cluster against the rest: one row per cluster and measure, one column per feature."""
        tables = {
            name: self._named(one.table) for name, one in zip(self.clusters, self.by_cluster, strict=True)
        }
        return pd.concat(tables, names=["cluster"])

    @property
    def cluster_importances(self) -> pd.DataFrame:
        """Clusters by features: mean over the measures of `per_cluster`."""
        return self.per_cluster.groupby(level="cluster", sort=False).mean()

    @property
    def intervals(self) -> pd.DataFrame:
        """95% bootstrap intervals of the scores in `table`, by measure and feature."""
        parts = []
        for row, drawn in zip(self.overall.rows, self.resampled.rows, strict=True):
            some = drawn.normalized if len(drawn.normalized) else np.full((1, len(row.mean)), np.nan)
            low, high = np.quantile(some, [0.025, 0.975], axis=0)
            columns = {"measure": row.name, "feature": self.feature_names, "score": row.mean}
            parts.append(pd.DataFrame(columns | {"low": low, "high": high}))
        return pd.concat(parts, ignore_index=True)

    @property
    def overall_ranks(self) -> pd.Series:
        """Mean rank of each feature over the measures, most important first."""
        return self.overall.overall_ranks

    @property
    def answer(self) -> str:
        """Which features separate the clusters best, and how many kinds of measures agree."""
        return majority(self.overall.rankings.values(), self.feature_names, KINDS, TELLS_APART)

    @property
    def failures(self) -> pd.DataFrame:
        """Failed runs: of all clusters together, the bootstraps, and each cluster."""
        return pd.concat([one.failures for one in self._comparisons], ignore_index=True)

    @property
    def warnings(self) -> pd.DataFrame:
        """Unique warnings."""
        return pd.concat([one.warnings for one in self._comparisons], ignore_index=True).drop_duplicates(
            ["method", "message"]
        )

    def agreement(self, top: int = 3) -> pd.DataFrame:
        """Pairwise agreement of the rankings; as `Comparison.agreement`."""
        found = self.overall.agreement(top).drop(columns=["engine", "other_engine"])
        return found.rename(columns={"method": "measure", "other_method": "other_measure"})

    @property
    def _comparisons(self) -> tuple[Comparison, ...]:
        return self.overall, self.resampled, *self.by_cluster, *self.by_contrast

    @staticmethod
    def _named(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.rename_axis(index="measure")
