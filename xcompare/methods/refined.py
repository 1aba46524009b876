"""Refined clustering as a row of the registry, natively and in plain R."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from xcompare import rbridge
from xcompare.bagging.kmeans.lloyd import LARGE
from xcompare.core.checks import is_whole
from xcompare.core.features import Feature, groups_of
from xcompare.core.seeds import as_seed
from xcompare.methods.bagging import checked, said_of_replicas, scores_after_fit
from xcompare.methods.base import Engine, Method, Scores, scores_from_r
from xcompare.methods.option import Option, option_table
from xcompare.refined.estimator import RefinedClustering

DEFAULTS: dict[str, Any] = {"rounds": 5, "n_replicas": 60, "n_init": 3}  # which a run takes time by


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


def _seconds(n_samples: int, n_features: int, n_clusters: int, **options: Any) -> float:
    """Approximate time of one run, at most."""
    given = DEFAULTS | options
    work = [given[name] for name in DEFAULTS]
    if not all(map(is_whole, work)):  # reported by the run itself
        return 0.0
    # Half of bagging's, as later rounds draw fewer features.
    per_value = 2e-8 if n_samples >= LARGE else 0.5e-8
    return prod(work) * n_samples * n_features * per_value * n_clusters / 3


def _slow(n_samples: int, n_features: int, n_clusters: int, **options: Any) -> str:
    """Warning before a run on many rows."""
    seconds, given = _seconds(n_samples, n_features, n_clusters, **options), DEFAULTS | options
    n_replicas = given["rounds"] * given["n_replicas"] if seconds else 0
    return said_of_replicas(n_replicas, n_samples, given["n_init"], seconds)


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
    slow=_slow,
)
