"""Groups of columns that are one feature together."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from xcompare.bagging.table import checked_groups, units_of
from xcompare.core.errors import DataError
from xcompare.core.features import Feature
from xcompare.core.sparse_data import is_sparse
from xcompare.harness.roles import with_names

SEPARATORS = "_.=: -"  # between the name of a column and a level: color_red
FeatureGroups = Mapping[str, Sequence[str]]


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
