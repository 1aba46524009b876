"""Features of a table with columns of several kinds: numbers, and codes of ordered or unordered levels."""

from dataclasses import dataclass
from typing import Literal, get_args

FeatureKind = Literal["numeric", "ordinal", "binary", "nominal"]
FEATURE_KINDS: tuple[FeatureKind, ...] = get_args(FeatureKind)


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

    @property
    def title(self) -> str:
        """Name in tables and plots, marked if the feature is only described."""
        return f"{self.name} (described)" if self.described else self.name
