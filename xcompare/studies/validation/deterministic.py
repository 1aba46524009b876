"""Deterministic quantities given the same random inputs, for which Python and R must agree exactly.

Each function compares one family on one dataset and yields a row per quantity: the largest difference of
numbers, or the number of labels, splits and choices that differ, of which one is enough to fail.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from xcompare import rbridge
from xcompare.bagging.consensus.medoid import consensus_partition, variation_of_information
from xcompare.bagging.dunn.index import dunn_index, dunn_indices
from xcompare.bagging.estimator import BaggedClustering
from xcompare.bagging.information.entropy import kde_entropy
from xcompare.bagging.information.mutual import INFORMATION, mutual_information
from xcompare.bagging.kmeans.centers import nearest_center
from xcompare.bagging.kmeans.lloyd import kmeans
from xcompare.core.seeds import derive_seed
from xcompare.core.ties import spread_features
from xcompare.methods import ENGINES, Scores
from xcompare.methods.filters.dip import dip
from xcompare.methods.graph.laplacian_score import laplacian_score
from xcompare.methods.trees.cubt import cubt
from xcompare.methods.weighted_kmeans.fgkm import fgkm
from xcompare.methods.weighted_kmeans.twkm import twkm
from xcompare.refined.estimator import RefinedClustering
from xcompare.refined.skewness import Symmetry
from xcompare.studies.validation.inputs import Inputs
from xcompare.studies.validation.result import Check

N_SPLIT = 4  # partitions for which the entropies within each cluster are compared
SEEDS = (1, 2, 3)  # of FGKM and TWKM
TREE_STRUCTURE = ("feature", "left", "right", "n_samples", "cluster")
TREE_NUMBERS = ("threshold", "deviance", "gain")


def blocks(data: Inputs) -> Iterator[Check]:
    """Building blocks of bagged clustering on given partitions."""
    arguments = {
        "x": data.X,
        "labels": data.labels + 1,
        "features": data.features,
        "weights": data.weights,
        "n_split": N_SPLIT,
    }
    call = rbridge.call("xc_blocks", arguments)
    r, software = call.values, f"R {call.r_version}"
    everything = np.ones_like(data.features)

    samples = [data.X] + [data.X[row == k] for row in data.labels[:N_SPLIT] for k in np.unique(row)]
    entropy = [[kde_entropy(column) for column in sample.T] for sample in samples]
    yield Check.judge(
        "density entropy", data.name, apart(entropy, r["entropy"]), f"{software}, stats::density"
    )
    for how in INFORMATION:
        information = [mutual_information(data.X, row, how) for row in data.labels]
        difference = apart(information, r[f"information_{how}"])
        yield Check.judge(f"mutual information, {how}", data.name, difference, software)

    # Of one partition, as users call it, and of many, as an ensemble does.
    points, centers = np.ascontiguousarray(data.X.T), [None] * len(data.labels)
    for space, features in (("subspace", data.features), ("full", everything)):
        single = [dunn_index(data.X[:, f], row) for f, row in zip(features, data.labels, strict=True)]
        many = dunn_indices(points, data.labels, features, centers)
        difference = max(apart(way, r[f"dunn_{space}"]) for way in (single, many))
        yield Check.judge(f"Dunn index, {space}", data.name, difference, f"{software}, stats::dist")

    vi = [[variation_of_information(a, b) for b in data.labels] for a in data.labels]
    yield Check.judge("variation of information", data.name, apart(vi, r["vi"]), software)
    consensus = consensus_partition(data.labels, data.weights)
    difference = apart(consensus.cost, r["consensus_cost"]) + (consensus.index != r["consensus_index"][0] - 1)
    yield Check.judge("consensus choice", data.name, difference, software)


def kmeans_from_starts(data: Inputs) -> Iterator[Check]:
    """Lloyd's K-means until convergence, with given bootstrap rows, features and initial centres."""
    replicas = {"features": data.features, "rows": data.rows + 1, "centers": data.starts + 1}
    arguments = {"x": data.X, "n_clusters": data.n_clusters, "information": "kde", "replicas": replicas}
    call = rbridge.call("xc_bagging", arguments)
    labels = []
    for rows, features, starts in zip(data.rows, data.features, data.starts, strict=True):
        points = data.X[:, features]
        counts = np.bincount(rows, minlength=len(points))
        centers = kmeans(points.T[None], counts[None], points[starts][None, None], tol=0.0)
        labels.append(nearest_center(points.T, centers)[0][0])
    difference = count(labels, call.values["replica_labels"] - 1)
    yield Check.judge("K-means labels", data.name, difference, f"R {call.r_version}, stats::kmeans")


def bag(data: Inputs) -> Iterator[Check]:
    """Results of bagging, given the replicates."""
    found = []
    settings: list[dict[str, Any]] = [
        {"quality_space": "subspace"},
        {"quality_space": "full", "information": "discrete", "cap": None},
        {"quality_space": "full", "information": "kde"},  # as published
    ]
    settings = [setting | {"consensus": "medoid"} for setting in settings]  # "weighted" is random
    for setting in settings:
        model = BaggedClustering(
            data.n_clusters,
            n_replicas=len(data.rows),
            **setting,
            standardize=None,
            random_state=derive_seed(data.seed, "validate", "bag", data.name),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # also raised in R
            model.fit(data.X)
        replicas = {"features": model.replica_features_, "labels": model.replica_labels_ + 1}
        arguments = {"x": data.X, "n_clusters": data.n_clusters, "replicas": replicas, **setting}
        call = rbridge.call("xc_bagging", arguments)
        r, software = call.values, f"R {call.r_version}, {call.values['package'][0]}"
        found.append(
            {
                "replica weights": apart(model.replica_weights_, r["replica_weights"]),
                "replica importances": apart(model.replica_importances_, r["replica_importances"]),
                "importances (FI)": apart(model.feature_importances_, r["importance"]),
                "spread of importances": apart(model.importances_std_, r["importance_std"]),
                "error of importances": apart(model.importances_error_, r["importance_error"]),
                "consensus partition": count(model.labels_, r["labels"] - 1)
                + count([model.consensus_index_], r["consensus_index"] - 1),
            }
        )
    for name, difference in pd.DataFrame(found).max().items():
        yield Check.judge(f"{name}, given replicas", data.name, difference, software)


def refined_rounds(data: Inputs) -> Iterator[Check]:
    """Results of each round of refined clustering, given the replicates."""
    model = RefinedClustering(
        data.n_clusters,
        rounds=2,
        n_replicas=15,
        random_state=derive_seed(data.seed, "validate", "refined", data.name),
    ).fit(data.X)
    before = np.ones(data.X.shape[1])
    found = []
    points = model._scale.apply(data.X)
    untied = spread_features(points, model.needs_company_, np.random.default_rng(model._tie_seed))
    symmetry = Symmetry.of(points, np.ones(len(points), dtype=bool))
    for number, importances in enumerate(model.round_importances_):
        arguments = {
            "x": points.T,
            "untied": untied.T,
            "labels": model.round_labels_[number],
            "features": model.round_features_[number],
            "whitened": model.round_whitened_[number],
            "removed": model.round_removed_[number],
            "symmetric": model.round_symmetric_[number],
            "x_symmetric": symmetry.apply(points).T,
            "untied_symmetric": symmetry.apply(untied).T,
            "few": model.needs_company_,
            "before": before,
        }
        call = rbridge.call("xc_refined_round", arguments)
        weights = apart(model.round_weights_[number], call.values["weights"])
        found.append({"weights": weights, "importances": apart(importances, call.values["importance"])})
        before = importances
    for name, difference in pd.DataFrame(found).max().items():
        yield Check.judge(f"refined {name}, given replicas", data.name, difference, f"R {call.r_version}")


def dips(data: Inputs) -> Iterator[Check]:
    """Hartigan's dip of every feature."""
    missing = rbridge.why_unavailable(("diptest",))
    if missing is not None:
        yield Check.without("dip", data.name, "not judged", missing)
        return
    ours, theirs = (dip(data.X, engine=engine) for engine in ENGINES)
    yield Check.judge("dip", data.name, apart(ours.scores, theirs.scores), _with_r(theirs.software))


def laplacian_scores(data: Inputs) -> Iterator[Check]:
    """Laplacian score on every kind of graph."""
    gaps = np.linalg.norm(data.X[data.rows[0]] - data.X[data.rows[1]], axis=1)
    radius = float(np.quantile(gaps[gaps > 0], 0.1))
    graphs = {"proportion": (1.0, 0.1), "knn": (5, 20), "radius": (radius, 2 * radius)}
    for kind, amounts in graphs.items():
        software, difference = "", 0.0
        for amount in amounts:
            graph = (kind, amount)
            ours, theirs = (laplacian_score(data.X, graph=graph, engine=engine) for engine in ENGINES)
            software = theirs.software
            difference = max(difference, apart(ours.scores, theirs.scores))
        yield Check.judge(f"Laplacian Score, {kind}", data.name, difference, _with_r(software))


def cubt_trees(data: Inputs) -> Iterator[Check]:
    """CUBT: tree, importances, labels."""
    ours, theirs = (cubt(data.X, data.n_clusters, engine=engine) for engine in ENGINES)
    software = _with_r(theirs.software)
    tree, other = ours.details["tree"], theirs.details["tree"]
    structure = [count(getattr(tree, f), getattr(other, f)) for f in TREE_STRUCTURE]
    numbers = [apart(getattr(tree, f), getattr(other, f)) for f in TREE_NUMBERS]
    yield Check.judge("CUBT splits", data.name, max(structure + numbers), software)
    yield Check.judge("CUBT importances", data.name, apart(ours.scores, theirs.scores), software)
    yield Check.judge("CUBT labels", data.name, count(ours.labels, theirs.labels), software)


def weighted_kmeans(data: Inputs) -> Iterator[Check]:
    """FGKM and TWKM: labels, centres, weights, cost, iterations and restarts."""
    n, p = data.X.shape
    # Published settings; and more uniform weights, with three groups of features.
    settings: list[dict[str, Any]] = [{}, {"groups": np.arange(p) % 3, "lam": n / 20, "eta": n / 5}]
    starts: dict[str, list[dict[str, Any]]] = {
        "centres": [{"init": data.X[rows], "random_state": 0} for rows in data.starts[:3]],
        "seeds": [{"random_state": seed} for seed in SEEDS],
    }
    for name, method in (("FGKM", fgkm), ("TWKM", twkm)):
        for given, options in starts.items():
            difference, software = 0.0, ""
            for option in options:
                for setting in settings:
                    ours, theirs = (
                        method(data.X, data.n_clusters, engine=engine, **option, **setting)
                        for engine in ENGINES
                    )
                    software = theirs.software
                    difference = max(difference, *_weighted_differences(ours, theirs))
            yield Check.judge(f"{name}, given {given}", data.name, difference, _with_r(software))


FAMILIES: tuple[Callable[[Inputs], Iterator[Check]], ...] = (
    blocks,
    kmeans_from_starts,
    bag,
    refined_rounds,
    dips,
    laplacian_scores,
    cubt_trees,
    weighted_kmeans,
)


def _weighted_differences(ours: Scores, theirs: Scores) -> list[float]:
    """Differences between two weighted K-means results, by field."""
    numbers = ("centers", "feature_weights", "group_weights", "cost")
    counts = ("n_iter", "n_restarts")
    return [
        apart(ours.scores, theirs.scores),
        count(ours.labels, theirs.labels),
        *(apart(ours.details[name], theirs.details[name]) for name in numbers),
        *(count(ours.details[name], theirs.details[name]) for name in counts),
    ]


def apart(ours: Any, theirs: Any) -> float:
    """Largest absolute difference; infinite if shapes, NaNs or infinities do not match."""
    ours, theirs = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    if ours.shape != theirs.shape or (np.isfinite(ours) != np.isfinite(theirs)).any():
        return np.inf
    finite = np.isfinite(ours)
    if not np.array_equal(ours[~finite], theirs[~finite], equal_nan=True):
        return np.inf
    return float(np.abs(ours[finite] - theirs[finite]).max(initial=0.0))


def count(ours: Any, theirs: Any) -> float:
    """Number of entries that differ; infinite if shapes do not match."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    return float((ours != theirs).sum()) if ours.shape == theirs.shape else np.inf


def _with_r(software: str) -> str:
    """R implementation, with the version of R."""
    return software if software.startswith("R ") else f"R {rbridge.status().r_version}, {software}"
