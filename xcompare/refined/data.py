"""What the replicates of refined clustering need of a table.

A feature is one dimension of the points; a nominal one has a dimension per level. In a table with missing
values every replicate has points of its own, imputed in its sample, see `xcompare.bagging.table`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.stats import entropy

from xcompare.bagging.information.discrete import discrete_information, few_values, value_codes
from xcompare.bagging.information.kinds import FEWEST_ROWS
from xcompare.bagging.information.mutual import without_density
from xcompare.bagging.table import MixedTable
from xcompare.core.imputation import taken
from xcompare.core.ties import spread_features
from xcompare.refined.factors import CommonFactors
from xcompare.refined.skewness import Symmetry

FEW_VALUES = 10  # distinct values up to which a feature needs others; at least two per cluster
MOST_GROUPS = 20  # rank bins of the plug-in estimate


class Observed(NamedTuple):
    """Features observed in the same rows, for the plug-in estimate of information."""

    which: list[int]
    rows: np.ndarray | slice
    codes: list[np.ndarray]  # levels, or rank bins
    nominal: list[bool]
    entropies: np.ndarray  # of the codes, nats


class Coordinates(NamedTuple):
    """Rows as points: as they are, or with skewed features made symmetric."""

    expected: np.ndarray  # (n_dimensions, n_samples), standardised; expected values where missing
    known: np.ndarray  # the same, NaN where missing
    untied: np.ndarray  # (n_features, n_samples), one dimension each, tied values spread, for density gaps
    factors: CommonFactors  # of which each replicate removes some


@dataclass(frozen=True, eq=False)
class RefinedData:
    """Data and settings that workers need to fit replicates."""

    scales: tuple[Coordinates, ...]  # as they are; and if some features are skewed, with those made symmetric
    symmetry: Symmetry
    block: np.ndarray  # (n_dimensions,), feature of each dimension, ascending
    observed: list[Observed]
    few: np.ndarray  # (n_features,), bool: features with few values
    n_clusters: int
    n_init: int
    table: MixedTable | None  # if some feature is not one complete dimension
    row_weights: np.ndarray | None = None  # (n_samples,), None for equal weights

    @classmethod
    def of(
        cls,
        points: np.ndarray,
        table: MixedTable | None,
        *,
        n_clusters: int,
        n_init: int,
        tie_seed: tuple,
        row_weights: np.ndarray | None = None,
    ) -> "RefinedData":
        """Prepare points; ``tie_seed`` spreads ties, and imputes the values that factors are found in."""
        rng = np.random.default_rng(tie_seed)
        if table is None:
            nominal, block = np.zeros(len(points), dtype=bool), np.arange(len(points))
            few = needs_company(points, n_clusters)
            known = values = complete = points
            untied = spread_features(points, few, rng)
        else:
            nominal, block = np.array([kind == "nominal" for kind in table.kinds]), table.block
            few = nominal.copy()
            few[~few] = needs_company(table.values[~few], n_clusters)
            known, values = table.points, table.values
            untied = spread_features(_one_dimension_each(table, rng), few, rng)
            complete = table.imputed(np.ones(len(values), dtype=bool), rng)
            complete = np.where(nominal[block][:, None], 0.0, complete)  # levels have no factors
        scales = [Coordinates(points, known, untied, CommonFactors.of(complete))]
        symmetry = Symmetry.of(known, ~nominal[block])
        if symmetry.transformer is not None:
            first, of_dimensions = np.searchsorted(block, np.arange(len(few))), np.zeros_like(points)
            of_dimensions[first] = untied
            changed, seen, spread, whole = map(symmetry.apply, (points, known, of_dimensions, complete))
            scales.append(Coordinates(changed, seen, spread[first], CommonFactors.of(whole)))
        return cls(
            tuple(scales), symmetry, block, _observed(values, nominal.tolist()), few, n_clusters, n_init,
            table, row_weights,
        )  # fmt: skip

    @cached_property
    def unit(self) -> np.ndarray:
        """Which features are drawn together, shape (n_features,): the first of each unit."""
        first = np.arange(len(self.few))
        for members in () if self.table is None else self.table.units:
            first[list(members)] = members[0]
        return first

    @cached_property
    def dense(self) -> np.ndarray:
        """Dimensions of features without few values, shape (n_dimensions,)."""
        return ~self.few[self.block]

    @cached_property
    def firsts(self) -> np.ndarray:
        """The first feature of each unit."""
        return np.unique(self.unit)

    @cached_property
    def few_units(self) -> np.ndarray:
        """Features with few values, together with all that are drawn with them."""
        return np.bincount(self.unit, ~self.few)[self.unit] == 0

    def together(self, values: np.ndarray) -> np.ndarray:
        """Values of features, shape (n_replicas, n_features), with the largest in each unit for all of it."""
        return values if self.table is None else self.table.scored_together(values)

    def drawn(self, firsts: np.ndarray) -> np.ndarray:
        """The features of some units, ascending."""
        chosen = np.zeros(len(self.unit), dtype=bool)
        chosen[firsts] = True
        return np.flatnonzero(chosen[self.unit])

    def dimensions(self, chosen: np.ndarray) -> np.ndarray:
        """Dimensions of some features, ascending."""
        return chosen if self.table is None else np.flatnonzero(np.isin(self.block, chosen))

    def donors(self, chosen: np.ndarray, seed: tuple, counts: np.ndarray | None) -> np.ndarray | None:
        """One imputation of some features, see `MixedTable.donors`; None if all values are known."""
        if self.table is None:
            return None
        return self.table.donors(
            np.isin(np.arange(len(self.few)), chosen), np.random.default_rng(seed), counts
        )

    def points_of(
        self, chosen: np.ndarray, donors: np.ndarray | None, removed: int = 0, scale: int = 0
    ) -> np.ndarray:
        """Some features as points, shape (m_dimensions, n_samples), without the first factors."""
        dimensions, points = self.dimensions(chosen), self.scales[scale]
        if donors is None:
            found = points.expected[dimensions]
        else:
            found = taken(points.known[dimensions], donors[np.searchsorted(chosen, self.block[dimensions])])
        return points.factors.without(found, dimensions, removed)

    def untied_of(
        self, chosen: np.ndarray, donors: np.ndarray | None, removed: int = 0, scale: int = 0
    ) -> np.ndarray:
        """Some features with tied values spread, shape (m_features, n_samples)."""
        untied = self.scales[scale].untied[chosen]
        untied = untied if donors is None else taken(untied, donors)
        return self.scales[scale].factors.without(untied, np.searchsorted(self.block, chosen), removed)

    def first_dimensions(self, chosen: np.ndarray) -> np.ndarray:
        """Position of the first dimension of each feature among the dimensions of these features."""
        return np.searchsorted(self.block[self.dimensions(chosen)], chosen)

    def information(self, labels: np.ndarray) -> np.ndarray:
        """Information of every feature about each partition, on the rows where it was observed.

        In nats, over the square root of the largest share of the entropy of the labels that the feature can
        hold: a flag, or a count that is mostly zero, cannot tell all of several clusters apart.
        """
        found = np.zeros((len(labels), len(self.few)))
        for part in self.observed:
            some = labels[:, part.rows]
            nats = discrete_information(part.codes, some, self.n_clusters, part.nominal)
            sizes = np.array([np.bincount(row, minlength=self.n_clusters) for row in some])
            whole = entropy(sizes, axis=1)[:, None]
            held = np.minimum(part.entropies, whole)
            ratio = np.divide(whole, held, out=np.ones_like(nats), where=held > 0)
            found[:, part.which] = nats * np.sqrt(ratio)
        return found


def needs_company(values: np.ndarray, n_clusters: int) -> np.ndarray:
    """Mask of features (rows of ``values``) with few observed values, or with most rows at one value."""
    few = max(FEW_VALUES, 2 * n_clusters)
    known = [x[~np.isnan(x)] for x in values]
    return np.array(
        [not x.size or len(np.unique(x)) <= few or bool(without_density(x[None])[0]) for x in known],
        dtype=bool,
    )


def _one_dimension_each(table: MixedTable, rng: np.random.Generator) -> np.ndarray:
    """One dimension per feature, NaN where missing.

    Levels follow each other on a line, as long as they are frequent: so no split of a nominal feature alone
    has a density gap, and several that agree have one.
    """
    found = table.points[np.searchsorted(table.block, np.arange(len(table.values)))]
    for j in np.flatnonzero([kind == "nominal" for kind in table.kinds]):
        known = np.flatnonzero(~table.missing[j])
        order = np.lexsort((rng.random(known.size), table.values[j, known]))
        found[j, known[order]] = np.sqrt(12) * ((np.arange(known.size) + 0.5) / max(known.size, 1) - 0.5)
    return found


def _observed(values: np.ndarray, nominal: list[bool]) -> list[Observed]:
    """Features grouped by the rows where they are observed."""
    known = ~np.isnan(values)
    patterns: dict[bytes, list[int]] = {}
    for j, rows in enumerate(known):
        if np.count_nonzero(rows) >= FEWEST_ROWS:
            patterns.setdefault(rows.tobytes(), []).append(j)
    parts = []
    for which in patterns.values():
        rows = slice(None) if known[which[0]].all() else np.flatnonzero(known[which[0]])
        some = values[:, rows]
        most = min(few_values(some.shape[1]), MOST_GROUPS)
        codes = [
            np.unique(some[j], return_inverse=True)[1] if nominal[j] else value_codes(some[j], most)[0]
            for j in which
        ]
        longest = max(int(code.max()) for code in codes) + 1
        entropies = entropy([np.bincount(code, minlength=longest) for code in codes], axis=1)
        parts.append(Observed(which, rows, codes, [nominal[j] for j in which], entropies))
    return parts
