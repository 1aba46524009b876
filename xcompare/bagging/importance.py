"""From the information in each replica to importances: as shares of the largest, and which replicas count."""

import numpy as np


def shares_of_largest(information: np.ndarray, cap: float | None, constant: np.ndarray) -> np.ndarray:
    """The information in each replica, capped, as a share of the largest in it.

    Parameters
    ----------
    information : ndarray of shape (n_replicas, n_features)
        Nats; NaN where the feature was not drawn, and that it stays.
    cap : float or None
        Nats at which a feature counts as fully informative.
    constant : ndarray of bool of shape (n_features,)
        Features that get 0.

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
    """Weights to average replicas with: finite and not all 0.

    Examples
    --------
    >>> usable_weights(np.array([0.5, np.inf, 0.0]))
    array([0., 1., 0.])
    """
    if np.isinf(weights).any():  # clusters without extent are infinitely good
        return np.isinf(weights).astype(float)
    return weights if weights.any() else np.ones_like(weights)
