"""What missing values do to the importances of an ensemble."""

import numpy as np

from xcompare.bagging.consensus.partition import ConsensusClusters


def imputation_share(first: np.ndarray, second: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Share of the variance over replicates that is due to imputation.

    Half the squared difference between two imputations of one replicate estimates its variance.

    ``first``, ``second`` of shape (n_some, n_features): importances in replicates that differ in nothing but
    the imputation; NaN where not drawn. ``spread`` of shape (n_features,): standard deviation of the
    importances over all replicates. Returns shape (n_features,): at most 1.

    Examples
    --------
    >>> imputation_share(np.array([[0.5], [0.9]]), np.array([[0.7], [0.9]]), np.array([0.2])).round(2)
    array([0.25])
    """
    squares = (first - second) ** 2 / 2
    variance = np.nansum(squares, axis=0) / np.maximum((~np.isnan(squares)).sum(axis=0), 1)
    return np.divide(variance, spread**2, out=np.zeros_like(spread), where=spread > 0).clip(max=1)


def missingness_p_values(gaps: np.ndarray, drawn: np.ndarray, consensus: ConsensusClusters) -> np.ndarray:
    """p-values of independence between the gaps of each feature and clusters made without it.

    Clusters made with a feature depend on its imputed values, and so on its gaps.

    ``gaps`` of shape (n_samples, n_features). ``drawn`` of shape (n_replicas, n_features): features of each
    replicate. Returns shape (n_features,): 1 for features that are always or never missing.
    """
    from xcompare.inference.association import association_p_value  # inference builds on this package

    p_values = np.ones(gaps.shape[1])
    for j in np.flatnonzero(gaps.any(axis=0) & ~gaps.all(axis=0)):
        p_values[j] = association_p_value(gaps[:, j].astype(float), consensus.labels_without(drawn[:, j]))
    return p_values


def missing_note(names: str) -> str:
    """Warning that names features with missing values that depend on the clusters."""
    return (
        f"whether a value is missing depends on the cluster in {names}: imputation cannot make up for that;"
        " consider whether the gap itself is a feature"
    )
