"""Feature selection by importance, for pipelines."""

from numbers import Real

import numpy as np

from xcompare.core.checks import check_integer


def kept_features(importances: np.ndarray, threshold: float, n_features_to_select: int | None) -> np.ndarray:
    """Mask of the most important features: a given number, or those at or above a threshold.

    ``importances`` of shape (n_features,). ``threshold``: used if ``n_features_to_select`` is None.
    ``n_features_to_select``: ties go to the first features. Returns shape (n_features,).

    Raises
    ------
    ValueError
        ``n_features_to_select`` is out of range, or ``threshold`` is not a number.

    Examples
    --------
    >>> kept_features(np.array([0.2, 1.0, 0.6]), 0.5, None)
    array([False,  True,  True])
    >>> kept_features(np.array([0.2, 1.0, 0.6]), 0.5, 1)
    array([False,  True, False])
    """
    if n_features_to_select is None:
        if not isinstance(threshold, Real) or isinstance(threshold, bool):
            raise ValueError(f"threshold must be a number; got {threshold!r}")
        return importances >= threshold
    check_integer("n_features_to_select", n_features_to_select, 1, len(importances))
    kept = np.zeros(len(importances), dtype=bool)
    kept[np.argsort(-importances, kind="stable")[:n_features_to_select]] = True
    return kept
