"""The consensus (medoid) partition over methods, and profiles of its clusters."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score, fowlkes_mallows_score

from xcompare.bagging.consensus.medoid import align_labels, consensus_partition, ranks_by_size
from xcompare.bagging.information.entropy import SortedFeatures
from xcompare.core.standardization import Standardization
from xcompare.methods import Engine
from xcompare.results.table import spread

JUDGEMENT = ["ari_mean", "ari_std", "fm_mean", "fm_std", "runs"]
RUNS_USED = 10  # per method, to limit the cost with many runs


@dataclass(frozen=True, eq=False)
class FoundPartition:
    """Partition found by one run of a method."""

    method: str
    engine: Engine
    run: int
    labels: np.ndarray  # (n_samples,), any integers


@dataclass(frozen=True, eq=False)
class ConsensusPartition:
    """Medoid of many partitions."""

    labels: np.ndarray  # (n_samples,): clusters 0, 1, ... from the largest to the smallest
    # method, engine, run: origin of the partition
    method: str
    engine: Engine
    run: int
    distance: float  # mean variation of information to all partitions, in nats; 0 if all are equal
    # n_partitions, n_methods: number of partitions it was chosen from, and of methods that found these
    n_partitions: int
    n_methods: int


def consensus_of(found: Sequence[FoundPartition]) -> ConsensusPartition | None:
    """The partition with the smallest mean variation of information to all others; None if there is none.

    Every method and engine has equal weight; only the first ten runs of each are used.
    """
    used = [partition for partition in found if partition.run < RUNS_USED]
    if not used:
        return None
    who = [(partition.method, partition.engine) for partition in used]
    weights = np.array([1 / who.count(one) for one in who])
    consensus = consensus_partition(np.stack([partition.labels for partition in used]), weights)
    nearest = used[consensus.index]
    return ConsensusPartition(
        labels=_by_size(nearest.labels),
        method=nearest.method,
        engine=nearest.engine,
        run=nearest.run,
        distance=float(consensus.cost[consensus.index]),
        n_partitions=len(used),
        n_methods=len({method for method, _ in who}),
    )


def assignments(found: Sequence[FoundPartition], *, engines: bool) -> pd.DataFrame:
    """Cluster of every row, by the consensus and by each method.

    ``found``: at least one. ``engines``: whether column names include the engine. Returns ``consensus``
    (clusters numbered from 1, the largest), ``share`` (of the methods' votes for that cluster, each averaged
    over runs), then a column per method: its medoid partition over the runs, with clusters matched to those
    of the consensus by overlap.

    Examples
    --------
    >>> a, b = np.array([0, 0, 0, 1, 1]), np.array([1, 1, 1, 0, 1])
    >>> runs = [FoundPartition("one", "python", 0, a), FoundPartition("two", "python", 0, b)]
    >>> assignments(runs, engines=False).tail(2)
       consensus  share  one  two
    3          2    1.0    2    2
    4          2    0.5    2    1
    """
    consensus = consensus_of(found)
    assert consensus is not None
    by_method: dict[tuple[str, str], list[FoundPartition]] = {}
    for partition in found:
        by_method.setdefault((partition.method, partition.engine), []).append(partition)
    share = np.zeros(len(consensus.labels))
    columns: dict[str, np.ndarray] = {}
    for (method, engine), runs in by_method.items():
        nearest = consensus_of(runs)
        assert nearest is not None
        labels = np.stack([nearest.labels, *(_by_size(one.labels) for one in runs)])
        n_codes = int(max(labels.max(), consensus.labels.max())) + 1
        own, *votes = align_labels(labels, consensus.labels, n_codes)
        share += np.mean(votes == consensus.labels, axis=0) / len(by_method)
        columns[f"{method} ({engine})" if engines else method] = own + 1
    return pd.DataFrame({"consensus": consensus.labels + 1, "share": share, **columns})


def judge(partitions: Sequence[np.ndarray], reference: np.ndarray, *, repeats: bool) -> dict[str, float]:
    """Agreement of partitions with reference labels: adjusted Rand and Fowlkes-Mallows, mean and std.

    ``repeats``: the method is deterministic, so one partition stands for all runs.
    """
    measured = np.array(
        [
            [measure(reference, labels) for measure in (adjusted_rand_score, fowlkes_mallows_score)]
            for labels in partitions
        ]
    )
    (ari, fm), (ari_std, fm_std) = measured.mean(axis=0), spread(measured, repeats)
    return dict(zip(JUDGEMENT, (ari, ari_std, fm, fm_std, len(partitions)), strict=True))


def cluster_profiles(X: np.ndarray, labels: np.ndarray, feature_names: Sequence[str]) -> pd.DataFrame:
    """Profile of each cluster (numbered from 1), by feature; docs/tables.md describes the columns.

    ``X`` of shape (n_samples, n_features). ``labels`` of shape (n_samples,): codes ``0..K-1``, each used.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [0.2, 3.0], [5.0, 1.0], [5.2, 3.0]])
    >>> found = cluster_profiles(X, np.array([0, 0, 1, 1]), ["a", "b"])
    >>> found.loc[found["cluster"] == 1, "difference"].round(1).tolist()
    [-35.4, 0.0]
    """
    n_clusters = int(labels.max()) + 1
    scale = Standardization.of(X)
    points = scale.apply(X)
    features = SortedFeatures.of(np.ascontiguousarray(points.T), resolved=True)
    everything = np.ones((1, X.shape[1]), dtype=bool)
    conditional = features.conditional_entropies(labels[None, :], everything)[0]
    parts = []
    for cluster in range(n_clusters):
        inside, outside = points[labels == cluster], points[labels != cluster]
        parts.append(
            pd.DataFrame(
                {
                    "cluster": cluster + 1,
                    "size": len(inside),
                    "feature": list(feature_names),
                    "mean": (X[labels == cluster] / scale.unit).mean(axis=0) * scale.unit,
                    "difference": _mean_difference(inside, outside),
                    "entropy": features.entropy,
                    "conditional_entropy": conditional[:, cluster],
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def _mean_difference(inside: np.ndarray, outside: np.ndarray) -> np.ndarray:
    """Difference of means in pooled standard deviations, or those of all rows if the pooled ones are 0."""
    if not len(outside):
        return np.zeros(inside.shape[1])
    squares = ((inside - inside.mean(axis=0)) ** 2).sum(axis=0) + ((outside - outside.mean(axis=0)) ** 2).sum(
        axis=0
    )
    pooled = np.sqrt(squares / max(len(inside) + len(outside) - 2, 1))
    return (inside.mean(axis=0) - outside.mean(axis=0)) / np.where(pooled > 0, pooled, 1.0)


def _by_size(labels: np.ndarray) -> np.ndarray:
    """Codes 0, 1, ... from the largest cluster to the smallest."""
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    return ranks_by_size(sizes)[codes]
