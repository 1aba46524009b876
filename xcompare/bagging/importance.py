"""Importances in each replicate, and weights of replicates."""

import numpy as np


def shares_of_largest(information: np.ndarray, cap: float | None, constant: np.ndarray) -> np.ndarray:
    """Capped information as a share of the largest in the same replicate.

    ``information`` of shape (n_replicas, n_features): in nats; NaN, also in the result, where the feature was
    not drawn. ``cap``: information, in nats, at which a feature counts as fully informative. ``constant`` of
    shape (n_features,): features with importance 0.

    Examples
    --------
    >>> shares_of_largest(np.array([[0.5, -0.1, 0.25, np.nan]]), 1.0, np.zeros(4, dtype=bool))
    array([[1. , 0. , 0.5, nan]])
    """
    with np.errstate(invalid="ignore"):
        information = np.clip(information, 0.0, cap)
    largest = np.nanmax(information, axis=1, keepdims=True)
    shares = information / np.where(largest > 0, largest, 1.0)
    shares[:, constant] = np.where(np.isnan(shares[:, constant]), np.nan, 0.0)
    return shares


def usable_weights(weights: np.ndarray) -> np.ndarray:
    """Replicate weights made finite and not all 0.

    Examples
    --------
    >>> usable_weights(np.array([0.5, np.inf, 0.0]))
    array([0., 1., 0.])
    """
    if np.isinf(weights).any():  # clusters of zero diameter have an infinite Dunn index
        return np.isinf(weights).astype(float)
    return weights if weights.any() else np.ones_like(weights)
