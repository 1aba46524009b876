"""Features of a table with columns of several kinds: numbers, and codes of ordered or unordered levels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

FeatureKind = Literal["numeric", "ordinal", "binary", "nominal"]


@dataclass(frozen=True)
class Feature:
    """A column of a table as a feature.

    A table is a matrix of floats of shape (n_samples, n_features), with NaN for missing values. A column that
    is not numeric holds codes 0, 1, ... of its levels.

    Examples
    --------
    >>> size = Feature("size", "ordinal", ("S", "M", "L"))
    >>> size.levels[1]
    'M'
    """

    name: str
    kind: FeatureKind = "numeric"
    # What the codes stand for, ascending for an ordinal feature; empty for a numeric one
    levels: tuple[str, ...] = ()
    described: bool = False  # only profiled in the clusters, which other features make
    group: str = ""  # of columns that are one feature together; empty for a feature of its own

    @property
    def title(self) -> str:
        """Name in tables and plots, marked if the feature is only described."""
        return f"{self.name} (described)" if self.described else self.name


def scored_names(columns: Sequence[Feature]) -> tuple[str, ...]:
    """Names of what has a score: groups, and the other columns that make clusters.

    Examples
    --------
    >>> scored_names([Feature("area", group="shape"), Feature("length", group="shape"), Feature("color")])
    ('shape', 'color')
    """
    return tuple(dict.fromkeys(one.group or one.name for one in columns if not one.described))


def feature_of_columns(columns: Sequence[Feature]) -> np.ndarray:
    """Index of the feature that each column is, or is part of; ascending."""
    names = scored_names(columns)
    return np.array([names.index(one.group or one.name) for one in columns], dtype=np.intp)


def groups_of(columns: Sequence[Feature]) -> dict[str, list[str]]:
    """Columns of each feature that is a group of them."""
    found: dict[str, list[str]] = {}
    for one in columns:
        if one.group:
            found.setdefault(one.group, []).append(one.name)
    return found
