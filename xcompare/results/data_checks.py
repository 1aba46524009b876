"""Columns that are probably no features: notes on what is in the data and should perhaps not be."""

from collections.abc import Sequence

import numpy as np

from xcompare.core.standardization import Fences

NEARLY_CONSTANT = 0.95  # share of the rows with the same value
FEWEST_ROWS = 10  # below, whole numbers differ by chance
STEP = 10  # times wider than their number reach the values of a code
MOST_OF = 0.8  # share of the variance that comes from far values alone: they more than double the deviation


def suspicious_columns(
    X: np.ndarray, feature_names: Sequence[str], labels: np.ndarray | None = None
) -> list[str]:
    """Notes on columns that look like identifiers, codes, constants or the answer, or have a heavy tail.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        As given, not standardised.
    feature_names : sequence of str
    labels : ndarray of shape (n_samples,) or None, default=None
        The reference partition.

    Returns
    -------
    list of str
        One note for each column there is something to say about, and nothing for the others. Codes written
        1, 2, 3 cannot be told from counts, and are not noted.

    Examples
    --------
    >>> X = np.column_stack([np.arange(20), np.sin(np.arange(20))])
    >>> suspicious_columns(X, ["id", "wave"])
    ['id has another whole number in every row: if it identifies the rows, leave it out']
    """
    found = ((name, _said(column, labels)) for name, column in zip(feature_names, X.T, strict=True))
    return [f"{name} {said}" for name, said in found if said]


def _said(column: np.ndarray, labels: np.ndarray | None) -> str | None:
    """What there is to say about a column."""
    values, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
    n = len(column)
    whole = bool((values == np.round(values)).all())
    if labels is not None and len(values) > 1 and _same_partition(codes, labels):
        return "says the same as the reference labels: leave it out, or it gives the answer away"
    if whole and len(values) == n >= FEWEST_ROWS:
        return "has another whole number in every row: if it identifies the rows, leave it out"
    if counts.max() >= NEARLY_CONSTANT * n and n >= FEWEST_ROWS:
        return f"is nearly constant: {values[counts.argmax()]:g} in {counts.max()} of {n} rows"
    repeated = len(values) <= max(2, n / 5)
    if whole and repeated and len(values) > 2 and np.ptp(values) > STEP * len(values):
        numbers = f"{len(values)} whole numbers from {values[0]:g} to {values[-1]:g}"
        return f"may hold codes, {numbers}: if so, leave it out, as their distances mean nothing"
    return _said_of_tail(column)


def _said_of_tail(column: np.ndarray) -> str | None:
    """What there is to say about a few values that make up most of the variance."""
    far = Fences.of(column[:, None]).far(column[:, None])[:, 0]
    with np.errstate(over="ignore", invalid="ignore"):
        off = ((column - column[~far].mean()) / np.abs(column).max()) ** 2 if far.any() else np.zeros(1)
    if off[far.nonzero()].sum() <= MOST_OF * off.sum():
        return None
    return (
        f"has a heavy tail: {far.sum()} of {len(column)} rows are far from the others, at up to"
        f" {column[np.abs(column).argmax()]:.3g}. See whether they are errors; else take logarithms, or"
        " standardize='rank' (--standardize rank)"
    )


def _same_partition(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two labellings put the same rows together."""
    pairs = np.unique(np.stack([a, np.unique(b, return_inverse=True)[1]]), axis=1).shape[1]
    return pairs == len(np.unique(a)) == len(np.unique(b))
