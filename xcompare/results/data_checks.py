"""Data checks: columns that are probably not features, or need a transformation."""

from collections.abc import Sequence

import numpy as np

from xcompare.core.features import Feature
from xcompare.core.standardization import Fences

NEARLY_CONSTANT = 0.95  # share of the rows with the same value
FEWEST_ROWS = 10  # with fewer, whole numbers may be distinct by chance
CODE_SPREAD = 10  # range of codes, per distinct value
HEAVY_TAIL = 0.8  # share of the variance due to outliers: they more than double the standard deviation


def suspicious_columns(
    X: np.ndarray, feature_names: Sequence[str], labels: np.ndarray | None = None
) -> list[str]:
    """Notes on columns that look like identifiers, codes, constants or labels, or have a heavy tail.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Not standardised.
    feature_names : sequence of str
    labels : ndarray of shape (n_samples,) or None, default=None
        Reference labels.

    Returns
    -------
    list of str
        At most one note per column. Codes 1, 2, 3 cannot be distinguished from counts and are not noted.

    Examples
    --------
    >>> X = np.column_stack([np.arange(20), np.sin(np.arange(20))])
    >>> suspicious_columns(X, ["id", "wave"])
    ['id has a different whole number in every row: drop it if it identifies the rows']
    """
    found = ((name, _note(column, labels)) for name, column in zip(feature_names, X.T, strict=True))
    return [f"{name} {note}" for name, note in found if note]


def kinds_notes(features: Sequence[Feature]) -> list[str]:
    """Which features are not numbers, in a note.

    Examples
    --------
    >>> kinds_notes([Feature("age"), Feature("plan", "nominal", ("basic", "plus"))])
    ['plan (nominal, 2 levels) is not a number: its levels count as one feature']
    """
    others = [one for one in features if one.kind in ("nominal", "ordinal")]
    if not others:
        return []
    said = ", ".join(f"{one.name} ({one.kind}, {len(one.levels)} levels)" for one in others)
    number = "is not a number: its levels count" if len(others) == 1 else "are not numbers: the levels count"
    return [f"{said} {number} as one feature"]


def _note(column: np.ndarray, labels: np.ndarray | None) -> str | None:
    """Note on a column, without its name."""
    values, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
    n = len(column)
    whole = bool((values == np.round(values)).all())
    if labels is not None and len(values) > 1 and _same_partition(codes, labels):
        return "is equivalent to the reference labels: drop it, as it gives the answer away"
    if whole and len(values) == n >= FEWEST_ROWS:
        return "has a different whole number in every row: drop it if it identifies the rows"
    if counts.max() >= NEARLY_CONSTANT * n and n >= FEWEST_ROWS:
        return f"is nearly constant: {values[counts.argmax()]:g} in {counts.max()} of {n} rows"
    repeated = len(values) <= max(2, n / 5)
    if whole and repeated and len(values) > 2 and np.ptp(values) > CODE_SPREAD * len(values):
        numbers = f"{len(values)} whole numbers from {values[0]:g} to {values[-1]:g}"
        return f"may hold codes, {numbers}: if so, drop it, as distances between codes are meaningless"
    return _note_on_tail(column)


def _note_on_tail(column: np.ndarray) -> str | None:
    """Note on a column whose variance is mostly due to a few outliers."""
    far = Fences.of(column[:, None]).far(column[:, None])[:, 0]
    with np.errstate(over="ignore", invalid="ignore"):
        off = ((column - column[~far].mean()) / np.abs(column).max()) ** 2 if far.any() else np.zeros(1)
    if off[far.nonzero()].sum() <= HEAVY_TAIL * off.sum():
        return None
    return (
        f"has a heavy tail: {far.sum()} of {len(column)} rows are outliers, the most extreme at"
        f" {column[np.abs(column).argmax()]:.3g}. Check for errors; otherwise take logarithms or use"
        " standardize='rank' (--standardize rank)"
    )


def _same_partition(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two labellings define the same partition."""
    pairs = np.unique(np.stack([a, np.unique(b, return_inverse=True)[1]]), axis=1).shape[1]
    return pairs == len(np.unique(a)) == len(np.unique(b))
