"""What the columns of a table are for: to make the clusters, or only to describe them."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from xcompare.core.errors import DataError
from xcompare.core.features import Feature
from xcompare.core.sparse_data import is_sparse
from xcompare.io.coding import as_frame, code_table
from xcompare.io.names import hint, listed


def by_role(
    X: Any, cluster_on: Sequence[str] | None, describe: Sequence[str] | None
) -> tuple[Any, pd.DataFrame | None]:
    """The columns that make the clusters, and those that only describe them; None without any.

    ``cluster_on`` alone: all others describe. ``describe`` alone: all others make the clusters.
    """
    if cluster_on is None and describe is None:
        return X, None
    if is_sparse(X):
        raise DataError("cluster_on and describe name columns of a data frame; got a sparse matrix")
    frame = with_names(X)
    names = [str(name) for name in frame.columns]
    for role, given in (("cluster_on", cluster_on), ("describe", describe)):
        if isinstance(given, str):
            raise DataError(f"{role} must be a list of columns; got {given!r}")
        unknown = [str(name) for name in given or () if str(name) not in names]
        if unknown:
            raise DataError(
                f"{role} names {unknown[0]!r}, which is not in the data; {hint(unknown[0], names)}columns:"
                f" {listed(names)}"
            )
    basis = None if cluster_on is None else set(map(str, cluster_on))
    others = (
        {name for name in names if name not in (basis or ())} if describe is None else set(map(str, describe))
    )
    basis = {name for name in names if name not in others} if basis is None else basis
    if both := sorted(basis & others):
        raise DataError(f"a column cannot be in both cluster_on and describe; got {listed(both)}")
    if not basis:
        raise DataError("no column is left for clustering: all of them only describe (describe, --describe)")
    parts = [frame.loc[:, [name in some for name in names]] for some in (basis, others)]
    return parts[0], parts[1] if others else None


def with_names(X: Any) -> pd.DataFrame:
    """A data frame; the columns of an array are called x0, x1, ..."""
    frame = as_frame(X)
    if frame is not None:
        return frame
    values = np.asarray(X)
    return pd.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])])


def described_columns(
    frame: pd.DataFrame | None, columns: Mapping[str, Any] | None, n_samples: int, told: bool
) -> tuple[np.ndarray, tuple[Feature, ...]]:
    """Values of the columns that only describe clusters, and their features; without identifiers and text."""
    if frame is None:
        return np.empty((n_samples, 0)), ()
    table = code_table(
        frame, {name: kind for name, kind in (columns or {}).items() if name in frame}, empty=True
    )
    for note in () if told else table.notes:
        warnings.warn(note, stacklevel=4)
    return table.X, tuple(replace(feature, described=True) for feature in table.features)
