"""Clusters of a comparison: partitions, their consensus, and what characterises its clusters."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from xcompare.core.checks import check_integer
from xcompare.core.errors import DataError
from xcompare.core.seeds import derive_seed
from xcompare.harness.plan import Row, registered
from xcompare.results import runs
from xcompare.results.clustered_table import ClusteredTable, numbered
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
from xcompare.results.scores import ComparedScores
from xcompare.results.summary import ClusterSummary, cluster_summaries

NUMBERS_ONLY = (
    "profiles need numeric columns without missing values; these have other kinds or missing values"
)


@dataclass(frozen=True, eq=False)
class ComparedClusters(ComparedScores):
    """Base class of `Comparison`: what is computed from the partitions that the methods return."""

    @property
    def partitions(self) -> list[FoundPartition]:
        """Partitions found by the runs of the methods, without the plain clusterings."""
        return [
            FoundPartition(row.method, row.engine, run, labels)
            for row in self.plan.rows
            for run, labels in self._labels(row).items()
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
        rows = [row for row in (*self.plan.rows, *self.plan.clusterings) if self._labels(row)]
        records = [
            judge([*self._labels(row).values()], self.labels, repeats=not registered(row.method).stochastic)
            for row in rows
        ]
        return pd.DataFrame(records, self._index(rows), JUDGEMENT)

    def _labels(self, row: Row) -> dict[int, np.ndarray]:
        """Partitions found by the runs of a row, by run."""
        return runs.partitions(self.plan, self.results, row)
