"""The paper's method as rows of the registry, one per resampling scheme, natively and in plain R."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from xcompare import rbridge
from xcompare.bagging.clusterer_text import clusterer_from_text
from xcompare.bagging.consensus.medoid import CONSENSUS, ConsensusFrom
from xcompare.bagging.estimator import BaggedClustering
from xcompare.bagging.information.mutual import INFORMATION, Information
from xcompare.bagging.parameters import QUALITY_SPACES
from xcompare.bagging.redundancy import REDUNDANCY, Redundancy
from xcompare.bagging.resampling import Resampling
from xcompare.bagging.running_time import ensemble_seconds
from xcompare.core.checks import check_choice, check_data
from xcompare.core.features import Feature, groups_of
from xcompare.core.seeds import as_seed
from xcompare.methods.base import ENGINES, SOFTWARE, Engine, Method, Scores, scores_from_r
from xcompare.methods.option import Option, option_table

REFERENCE = (
    "Quetti, Ballante, Figini, Giudici, Explainable cluster analysis: a bagging approach, "
    "doi:10.48550/arXiv.2603.19840"
)
FASTER = "fewer replicates (n_replicas=20) or a sample of the rows is faster"
DETAILS = (
    "importances_std", "importances_error", "importances_interval", "rank_interval", "redundant_groups",
    "group_importances", "replica_weights",
)  # fmt: skip


def _bag(
    X: np.ndarray,
    n_clusters: int,
    *,
    resampling: Resampling,
    max_features: int | None = None,
    n_replicas: int = 100,
    n_init: int = 3,
    quality_space: Literal["subspace", "full"] = "subspace",
    information: Information = "auto",
    cap: float | None = 1.0,
    consensus: ConsensusFrom = "weighted",
    redundancy: Redundancy = "ignore",  # a comparison names redundant features itself, once
    estimator: str | None = None,
    features: Sequence[Feature] | None = None,
    sample_weight: np.ndarray | None = None,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """One ensemble; the unweighted mean over its replicates is the variant ``unweighted``."""
    X = checked(X, n_clusters, features, engine)
    seed = as_seed(random_state)
    settings: dict[str, Any] = {
        "resampling": resampling,
        "max_features": max_features,
        "n_replicas": n_replicas,
        "n_init": n_init,
        "quality_space": quality_space,
        "information": information,
        "cap": cap,
        "consensus": consensus,
    }
    if engine == "r":
        for name, value in (("redundancy", redundancy), ("estimator", estimator)):
            if value == "spread" or (name == "estimator" and value is not None):
                raise ValueError(f"{name}={value!r} must be left to the python engine; got engine='r'")
        result = rbridge.call("xc_bagging", {"x": X, "n_clusters": n_clusters, **settings}, seed=seed)
        values = result.values
        return scores_from_r(
            result,
            with_version=True,
            variants={"unweighted": _plain_mean(values["replica_importances"])},
            details={
                "importances_std": values["importance_std"],
                "replica_weights": values["replica_weights"],
            },
        )
    model = BaggedClustering(
        n_clusters,
        **settings,
        redundancy=redundancy,
        estimator=None if estimator is None else clusterer_from_text(estimator),
        standardize=None,
        columns=features,
        feature_groups=groups_of(features or ()),
        random_state=seed,
    )
    found = scores_after_fit(model, X, sample_weight, DETAILS)
    return replace(found, variants={"unweighted": _plain_mean(model.replica_importances_)})


def checked(X: np.ndarray, n_clusters: int, features: Sequence[Feature] | None, engine: Engine) -> np.ndarray:
    """The data, validated; a table is validated by the estimator."""
    X = check_data(X, squares=True) if features is None else X
    check_choice("engine", engine, ENGINES)
    if n_clusters > len(X):
        raise ValueError(f"n_clusters must be at most the number of rows, {len(X)}; got {n_clusters}")
    return X


def scores_after_fit(
    model: Any, X: np.ndarray, sample_weight: np.ndarray | None, details: Sequence[str]
) -> Scores:
    """Importances, labels and warnings of the fit of an estimator; some of its attributes as details."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, sample_weight=sample_weight)
    return Scores(
        model.feature_importances_,
        SOFTWARE,
        labels=model.labels_,
        details={name: getattr(model, f"{name}_") for name in details},
        warnings=tuple(str(w.message) for w in caught),
    )


def _plain_mean(replica_importances: np.ndarray) -> np.ndarray:
    """Mean over the replicates that drew each feature; 0 if none did."""
    drawn = ~np.isnan(replica_importances)
    return np.nan_to_num(replica_importances).sum(axis=0) / np.maximum(drawn.sum(axis=0), 1)


def _seconds(
    n_samples: int, n_features: int, n_clusters: int, n_replicas: int = 100, n_init: int = 3, **_: Any
) -> float:
    """Approximate time of one run, at most: less if clusters are well separated."""
    return ensemble_seconds(n_samples, n_features, n_clusters, n_replicas, n_init)


def _row(resampling: Resampling, title: str) -> Method:
    """Registry row of a resampling scheme."""
    return Method(
        name=resampling,
        title=title,
        run=partial(_bag, resampling=resampling),
        normalization="none",
        reference=REFERENCE,
        family="bagging",
        tables="native",
        takes_weights=True,
        options=option_table(
            Option(
                "max_features", "features a replicate draws; None: all but one", "number", 0, or_none=True
            ),
            Option("n_replicas", "bootstrap replicates", least=1),
            Option("n_init", "initializations of K-means in a replicate", least=1),
            Option("quality_space", "features of the Dunn index", "choice", choices=QUALITY_SPACES),
            Option("information", "estimator of information", "choice", choices=INFORMATION),
            Option("cap", "largest weight of a replicate, relative to the others", "number", 0, or_none=True),
            Option("consensus", "what the final partition is made from", "choice", choices=CONSENSUS),
            Option("redundancy", "what to do about redundant features", "choice", choices=REDUNDANCY),
            Option("estimator", "clusterer in place of K-means, as text", "text", or_none=True),
        ),
        seconds=_seconds,
        faster=FASTER,
    )


BASIC, EFRON, BBC = _row("basic", "Basic"), _row("efron", "Efron"), _row("bbc", "BBC")
