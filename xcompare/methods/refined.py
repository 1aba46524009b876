"""Refined clustering as a row of the registry, natively and in plain R."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from xcompare import rbridge
from xcompare.bagging.kmeans.lloyd import LARGE
from xcompare.core.features import Feature, groups_of
from xcompare.core.seeds import as_seed
from xcompare.methods.bagging import FASTER, checked, scores_after_fit
from xcompare.methods.base import Engine, Method, Scores, scores_from_r
from xcompare.methods.option import Option, option_table
from xcompare.refined.estimator import RefinedClustering


def _refined(
    X: np.ndarray,
    n_clusters: int,
    *,
    rounds: int = 5,
    n_replicas: int = 60,
    exponent: float = 2.0,
    n_init: int = 3,
    features: Sequence[Feature] | None = None,
    sample_weight: np.ndarray | None = None,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Importances; ``details`` has those of every round."""
    X = checked(X, n_clusters, features, engine)
    seed = as_seed(random_state)
    settings: dict[str, Any] = {
        "rounds": rounds,
        "n_replicas": n_replicas,
        "exponent": exponent,
        "n_init": n_init,
    }
    if engine == "r":
        result = rbridge.call("xc_refined", {"x": X, "n_clusters": n_clusters, **settings}, seed=seed)
        details = {name: result.values[name] for name in ("round_importances", "feature_weights")}
        return scores_from_r(result, with_version=True, details=details)
    model = RefinedClustering(
        n_clusters,
        **settings,
        standardize=None,
        columns=features,
        feature_groups=groups_of(features or ()),
        random_state=seed,
    )
    return scores_after_fit(
        model, X, sample_weight, ("round_importances", "feature_weights", "needs_company")
    )


def _seconds(
    n_samples: int,
    n_features: int,
    n_clusters: int,
    rounds: int = 5,
    n_replicas: int = 60,
    n_init: int = 3,
    **_: Any,
) -> float:
    """Approximate time of one run, at most."""
    # Half of bagging's, as later rounds draw fewer features.
    per_value = 2e-8 if n_samples >= LARGE else 0.5e-8
    return rounds * n_replicas * n_init * n_samples * n_features * per_value * n_clusters / 3


REFINED = Method(
    name="refined",
    title="Refined",
    run=_refined,
    normalization="none",
    reference=(
        "xcompare's own, after Quetti, Ballante, Figini, Giudici, Explainable cluster analysis: a bagging "
        "approach, doi:10.48550/arXiv.2603.19840"
    ),
    family="refined",
    tables="native",
    options=option_table(
        Option("rounds", "rounds of bagging", least=1),
        Option("n_replicas", "replicates of a round", least=1),
        Option("exponent", "power of the importances that features are drawn by", "number", 0),
        Option("n_init", "initializations of K-means in a replicate", least=1),
    ),
    wide=True,
    takes_weights=True,
    seconds=_seconds,
    faster=FASTER,
)
