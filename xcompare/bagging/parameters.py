"""Parameter validation of `BaggedClustering`."""

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from xcompare.bagging.clusterers import takes_weights
from xcompare.bagging.consensus.medoid import CONSENSUS
from xcompare.bagging.information.mutual import INFORMATION
from xcompare.bagging.redundancy import REDUNDANCY, Groups
from xcompare.bagging.resampling import RESAMPLINGS
from xcompare.core.checks import check_choice, check_integer, check_weights, is_whole
from xcompare.core.errors import DataError
from xcompare.core.standardization import check_standardize

if TYPE_CHECKING:
    from xcompare.bagging.estimator import BaggedClustering

QUALITY_SPACES = ("subspace", "full")
WEIGHT_STEP = 2.0**-16  # of the smallest weight: makes sums exact, so that an empty cluster has weight 0


def check_parameters(model: "BaggedClustering", n_samples: int, n_features: int) -> None:
    """Raise ``DataError`` on parameters that are invalid for data of this shape."""
    if model.n_clusters != "auto":
        check_integer("n_clusters", model.n_clusters, 1)
        if n_samples < model.n_clusters:
            raise DataError(
                f"n_clusters={model.n_clusters} exceeds n_samples={n_samples}; choose fewer clusters"
            )
    check_integer("n_replicas", model.n_replicas, 1)
    check_choice("redundancy", model.redundancy, REDUNDANCY)
    check_choice("consensus", model.consensus, CONSENSUS)
    check_choice("resampling", model.resampling, RESAMPLINGS)
    check_choice("quality_space", model.quality_space, QUALITY_SPACES)
    check_choice("information", model.information, INFORMATION)
    check_standardize(model.standardize)
    if model.cap is not None and not (isinstance(model.cap, Real) and model.cap > 0):
        raise DataError(f"cap must be a positive number of nats, or None; got {model.cap!r}")
    check_integer("n_init", model.n_init, 1)
    if not (isinstance(model.prior_weight, Real) and 0 <= model.prior_weight < 1):
        raise DataError(f"prior_weight must be in [0, 1); got {model.prior_weight!r}")
    fits = hasattr(model.estimator, "fit") and not isinstance(model.estimator, type)
    if model.estimator is not None and not fits:
        raise DataError(f"estimator must be a scikit-learn clusterer, or None; got {model.estimator!r}")
    subspace_size(model.max_features, n_features)


def subspace_size(max_features: Any, n_features: int, groups: Groups = ()) -> int:
    """Number of features a replicate draws, at most one of each group.

    ``max_features``: a number of features, a fraction of those that can be drawn, or None for all but one.

    Raises
    ------
    DataError
        ``max_features`` is invalid.

    Examples
    --------
    >>> [subspace_size(m, 13) for m in (None, 4, 0.5)]
    [12, 4, 6]
    """
    n_drawable = n_features - sum(len(group) - 1 for group in groups)
    if max_features is None:
        return min(n_features - 1, n_drawable)
    if is_whole(max_features) and 1 <= max_features <= n_features:
        return min(int(max_features), n_drawable)
    is_share = isinstance(max_features, Real) and not isinstance(max_features, Integral)
    if is_share and 0 < max_features <= 1:
        return max(1, round(float(max_features) * n_drawable))
    raise DataError(
        f"max_features must be a number of features from 1 to {n_features}, a fraction in (0, 1], or None;"
        f" got {max_features!r}"
    )


def check_row_weights(model: "BaggedClustering", sample_weight: Any, n_samples: int) -> np.ndarray | None:
    """Row weights in multiples of the smallest; None if they are all equal.

    Raises
    ------
    DataError
        Not one finite non-negative number per row, fewer positive weights than clusters, or weights that
        would be passed to a clusterer without ``sample_weight``.
    """
    weights = relative_weights(
        sample_weight, n_samples, 1 if model.n_clusters == "auto" else model.n_clusters
    )
    if weights is None:
        return None
    if model.resampling == "basic" and model.estimator is not None and not takes_weights(model.estimator):
        raise DataError(
            f"sample_weight needs a clusterer that accepts it; got {model.estimator!r}: use"
            " resampling='efron', which draws rows in proportion to their weights"
        )
    return weights


def relative_weights(sample_weight: Any, n_samples: int, n_clusters: int) -> np.ndarray | None:
    """Weights of rows in multiples of the smallest; None if they are equal."""
    if sample_weight is None:
        return None
    weights = check_weights(sample_weight, n_samples)
    check_enough_rows(weights, n_clusters)
    if (weights == weights[0]).all():
        return None
    return np.round(weights / weights[weights > 0].min() / WEIGHT_STEP) * WEIGHT_STEP


def check_enough_rows(row_weights: np.ndarray | None, n_clusters: int) -> None:
    """Raise ``DataError`` if fewer rows than clusters have a positive weight."""
    n_rows = n_clusters if row_weights is None else np.count_nonzero(row_weights)
    if n_rows < n_clusters:
        raise DataError(
            f"sample_weight must be above zero in at least n_clusters={n_clusters} rows; got {n_rows}"
        )
