"""What the columns of a table are for: they make the clusters, alone or in groups, or only describe them."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from xcompare.bagging.table import checked_groups, units_of
from xcompare.core.errors import DataError
from xcompare.core.features import Feature
from xcompare.core.names import hint, listed
from xcompare.core.sparse_data import is_sparse
from xcompare.io.coding import as_frame, code_table

SEPARATORS = "_.=: -"  # between the name of a column and a level: color_red
FeatureGroups = Mapping[str, Sequence[str]]


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


def without_indicators(X: Any, groups: FeatureGroups | None) -> tuple[Any, FeatureGroups]:
    """Indicators with exactly one 1 in every row as the column of categories that they encode.

    Returns the table, and the other groups.
    """
    groups = checked_groups(groups)
    if not groups or is_sparse(X):
        return X, groups
    frame = with_names(X)
    names = [str(name) for name in frame.columns]
    frame = frame.set_axis(names, axis=1)
    units_of(groups, names)  # refuses groups that make no sense
    for group, members in list(groups.items()):
        own = set(map(str, members))
        if group in names and group not in own:
            raise DataError(f"feature_groups: {group} is also the name of a column; choose another name")
        block = frame[[name for name in names if name in own]]
        if block.shape[1] < 2 or not block.isin([0, 1]).all(axis=None):
            continue
        ones = block.to_numpy(dtype=float)
        if not (ones.sum(axis=1) == 1).all():
            continue
        levels = [name.removeprefix(group).lstrip(SEPARATORS) or name for name in block.columns]
        at = names.index(block.columns[0])
        frame = frame.drop(columns=list(block.columns))
        frame.insert(at, group, pd.Series(np.array(levels)[ones.argmax(axis=1)], frame.index, "category"))
        names = list(frame.columns)
        del groups[group]
        note = f"{group}: {len(levels)} indicators with one 1 in every row, taken as one column of categories"
        warnings.warn(note, stacklevel=4)
    return frame, groups


def in_groups(
    values: np.ndarray, features: Sequence[Feature], groups: FeatureGroups
) -> tuple[np.ndarray, tuple[Feature, ...]]:
    """The columns of each group side by side, marked; a group of one column is that column."""
    if not groups:
        return values, tuple(features)
    group_of = {str(member): group for group, members in groups.items() for member in members}
    whose = [group_of.get(one.name, "") for one in features]
    present = {
        group: [one.name for one, of in zip(features, whose, strict=True) if of == group] for group in groups
    }
    units = units_of({group: some for group, some in present.items() if some}, [one.name for one in features])
    marked = tuple(
        replace(features[j], group=whose[j]) if len(unit) > 1 else features[j] for unit in units for j in unit
    )
    return np.ascontiguousarray(values[:, [j for unit in units for j in unit]]), marked
