"""A table with features of several kinds, or missing values, in the form that replicates need.

Tables of complete numbers do not need it: there a feature is one dimension of the points.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from xcompare.bagging.information.kinds import KindInformation
from xcompare.bagging.information.mutual import Information, comparable_scale
from xcompare.bagging.redundancy import Groups, redundant_groups
from xcompare.bagging.scaling import Scale
from xcompare.core.encoding import Encoding, is_plain
from xcompare.core.errors import DataError
from xcompare.core.features import Feature, FeatureKind
from xcompare.core.imputation import donors, impute, taken
from xcompare.core.standardization import Scaling

Missing = Literal["resample", "median", "error"]
MISSING: tuple[Missing, ...] = get_args(Missing)
Units = tuple[tuple[int, ...], ...]  # features drawn and scored together


@dataclass(frozen=True, eq=False)
class MixedTable:
    """Features as dimensions and as what their information is measured on.

    Attributes
    ----------
    encoding : Encoding
    flags : ndarray of shape (n_dimensions,)
        Divisors that keep rare values of numeric features near, see `comparable_scale`.
    points : ndarray of shape (n_dimensions, n_samples)
        NaN where a value is missing.
    values : ndarray of shape (n_features, n_samples)
        Scaled numbers, or codes of levels; NaN where missing.
    units : tuple of tuple of int
        Features that are drawn and scored together, most often one each.
    """

    encoding: Encoding
    flags: np.ndarray
    points: np.ndarray
    values: np.ndarray
    units: Units

    @classmethod
    def of(
        cls,
        X: np.ndarray,
        features: Sequence[Feature],
        units: Units,
        *,
        standardize: Scaling | None,
        information: Information,
    ) -> "MixedTable":
        """Encode a table of shape (n_samples, n_features), NaN where a value is missing."""
        encoding = Encoding.of(X, features, standardize)
        points = np.ascontiguousarray(encoding.apply(X).T)
        flags = np.ones(len(points))
        if information != "kde":
            for at, j in enumerate(encoding.block):
                known = points[at, ~np.isnan(points[at])]
                if features[j].kind == "numeric" and known.size:
                    flags[at] = comparable_scale(known[None])[0]
        points /= flags[:, None]
        first = np.searchsorted(encoding.block, np.arange(len(features)))
        numeric = np.array([feature.kind == "numeric" for feature in features])
        values = np.where(numeric[:, None], points[first], X.T)
        return cls(encoding, flags, points, values, units)

    @property
    def kinds(self) -> tuple[FeatureKind, ...]:
        """Kind of each feature."""
        return tuple(feature.kind for feature in self.encoding.features)

    @property
    def block(self) -> np.ndarray:
        """Feature of each dimension."""
        return self.encoding.block

    @cached_property
    def missing(self) -> np.ndarray:
        """Where values are missing, shape (n_features, n_samples)."""
        return np.isnan(self.values)

    @cached_property
    def constant(self) -> np.ndarray:
        """Features with at most one value, shape (n_features,)."""
        with np.errstate(invalid="ignore"):
            low, high = np.fmin.reduce(self.values, axis=1), np.fmax.reduce(self.values, axis=1)
        return ~(high > low)

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Other rows as points, features first; missing values are the mean of the nearest rows."""
        points = self.encoding.apply(X).T / self.flags[:, None]
        return self._completed(points, np.isnan(X.T), self.points)

    @cached_property
    def expected(self) -> np.ndarray:
        """The points with missing values replaced by the mean of the nearest rows.

        The squared distance between a centre and a point, expected over the donors, is that to this mean
        plus a constant of the point: K-means on these points minimises the expected sum of squares.
        """
        return self._completed(self.points, self.missing, None)

    def _completed(self, points: np.ndarray, missing: np.ndarray, pool: np.ndarray | None) -> np.ndarray:
        rng = np.random.default_rng(0)  # draws candidates in tables of many rows
        return impute(points, missing, rng, block=self.block, pool=pool, mean=True)

    def of_units(self, chosen: np.ndarray) -> np.ndarray:
        """Mask of the features of these units, shape (n_features,)."""
        features = np.zeros(len(self.values), dtype=bool)
        for unit in chosen:
            features[list(self.units[unit])] = True
        return features

    def imputed(
        self, features: np.ndarray, rng: np.random.Generator, counts: np.ndarray | None = None
    ) -> np.ndarray:
        """Points in some of the features, with one imputation in a sample of the rows.

        Parameters
        ----------
        features : ndarray of bool of shape (n_features,)
        rng : numpy.random.Generator
        counts : ndarray of shape (n_samples,) or None, default=None
            How often each row is in the sample, which provides the donors; None: all rows do.

        Returns
        -------
        ndarray of shape (m_dimensions, n_samples)
        """
        used = self.block[features[self.block]]
        donors = self.donors(features, rng, counts)
        return taken(self.points[features[self.block]], donors[np.searchsorted(np.unique(used), used)])

    def donors(
        self, features: np.ndarray, rng: np.random.Generator, counts: np.ndarray | None = None
    ) -> np.ndarray:
        """Row that each value is taken from, shape (m_features, n_samples), for `imputed`."""
        used = features[self.block]
        block = np.unique(self.block[used], return_inverse=True)[1]
        return donors(self.points[used], self.missing[features], rng, block=block, counts=counts)

    def information(self, information: Information, block: slice = slice(None)) -> KindInformation:
        """A block of features prepared for mutual information."""
        return KindInformation.of(self.values[block], self.kinds[block], information)

    def redundant_groups(self, points: np.ndarray, n_clusters: int, rng: np.random.Generator) -> Groups:
        """Groups of redundant features; levels have no order, so nominal features are in none."""
        ordered = np.flatnonzero([kind != "nominal" for kind in self.kinds])
        if len(ordered) < 2:
            return ()
        found = redundant_groups(points[np.isin(self.block, ordered)], n_clusters, rng)
        return tuple(tuple(ordered[list(group)].tolist()) for group in found)

    def groups_of_units(self, groups: Groups) -> Groups:
        """Groups of features as groups of units; those that share a unit with others are left out."""
        alone = {unit[0]: number for number, unit in enumerate(self.units) if len(unit) == 1}
        found = [tuple(alone[j] for j in group if j in alone) for group in groups]
        return tuple(group for group in found if len(group) > 1)

    def scored_together(self, information: np.ndarray) -> np.ndarray:
        """Information of each feature, shape (n_replicas, n_features): the largest in its unit."""
        together = information.copy()
        for unit in self.units:
            if len(unit) > 1:
                members = list(unit)
                together[:, members] = np.fmax.reduce(information[:, members], axis=1)[:, None]
        return together


def scaled(
    X: np.ndarray,
    features: Sequence[Feature],
    units: Units,
    *,
    standardize: Scaling | None,
    information: Information,
) -> tuple[Scale | MixedTable, np.ndarray]:
    """Scale of complete numbers, or a table of others, and complete points, features first."""
    if is_plain(X, features) and len(units) == len(features):
        return Scale.of(X, standardize=standardize, information=information)
    table = MixedTable.of(X, features, units, standardize=standardize, information=information)
    return table, table.expected


def checked_groups(feature_groups: Mapping[str, Sequence[str]] | None) -> dict[str, Sequence[str]]:
    """The groups as a dict; ``DataError`` unless each name has a list of features."""
    expected = "feature_groups must map each name to a list of features"
    if not isinstance(feature_groups, Mapping | None):
        raise DataError(f"{expected}; got {feature_groups!r}")
    groups = dict(feature_groups or {})
    for group, members in groups.items():
        if isinstance(members, str) or not (hasattr(members, "__len__") and len(members)):
            raise DataError(f"{expected}; got {members!r} for {group}")
    return groups


def units_of(feature_groups: Mapping[str, Sequence[Any]] | None, names: Sequence[str]) -> Units:
    """Features drawn together: the groups by name, and every other feature alone.

    Raises
    ------
    DataError
        A group names no feature, an unknown one, or one of another group.

    Examples
    --------
    >>> units_of({"shape": ["area", "length"]}, ["area", "color", "length"])
    ((0, 2), (1,))
    """
    position = {str(name): j for j, name in enumerate(names)}
    unit = np.full(len(names), -1)
    for number, (group, members) in enumerate(checked_groups(feature_groups).items()):
        for member in map(str, members):
            if member not in position:
                raise DataError(f"feature_groups: {group} has {member!r}, which is no feature of the data")
            if unit[position[member]] >= 0:
                raise DataError(f"feature_groups: {member!r} is in two groups; each feature can be in one")
            unit[position[member]] = number
    alone = unit < 0
    unit[alone] = len(names) + np.flatnonzero(alone)
    _, first, which = np.unique(unit, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return tuple(tuple(np.flatnonzero(which == at).tolist()) for at in order)
