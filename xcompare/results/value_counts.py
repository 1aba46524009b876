"""What the counts of a feature's values in two groups of rows say: Cliff's delta, Cramér's V, thresholds."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from xcompare.results.clustered_table import Contrast

DIGITS = 3  # significant digits of a threshold at least


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """How often each value of a feature occurs in each cluster, and for each contrast inside and outside."""

    values: np.ndarray  # (n_values,): distinct values, ascending; missing ones are passed over
    # inside, outside: (n_values, n_contrasts): rows of the cluster, and of its reference
    inside: np.ndarray
    outside: np.ndarray

    @classmethod
    def of(
        cls, x: np.ndarray, codes: np.ndarray, contrasts: Sequence[Contrast], n_clusters: int
    ) -> "ValueCounts":
        """The counts of a feature of shape (n_samples,)."""
        present = ~np.isnan(x)
        values, at = np.unique(x[present], return_inverse=True)
        cells = np.bincount(at * n_clusters + codes[present], minlength=len(values) * n_clusters)
        counts = cells.reshape(len(values), n_clusters).astype(float)
        inside = counts[:, [contrast.cluster for contrast in contrasts]]
        outside = np.stack([counts[:, one.reference].sum(axis=1) for one in contrasts], axis=1)
        return cls(values, inside, outside)

    @property
    def n_inside(self) -> np.ndarray:
        """Rows of each contrast's cluster with a value."""
        return self.inside.sum(axis=0).astype(int)

    @property
    def n_outside(self) -> np.ndarray:
        """Rows of each contrast's reference with a value."""
        return self.outside.sum(axis=0).astype(int)

    @cached_property
    def _dominance(self) -> tuple[np.ndarray, np.ndarray]:
        """For each value, how much more often it exceeds the reference than not; how much the cluster it."""
        with np.errstate(invalid="ignore", divide="ignore"):
            over = 2 * self.outside.cumsum(axis=0) - self.outside - self.n_outside
            under = 2 * self.inside.cumsum(axis=0) - self.inside - self.n_inside
            return over / self.n_outside, -under / self.n_inside

    @cached_property
    def cliffs_delta(self) -> np.ndarray:
        """P(inside > outside) - P(inside < outside), by contrast; NaN where a group is empty."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return (self.inside * self._dominance[0]).sum(axis=0) / self.n_inside

    def placements(self, x: np.ndarray, inside: np.ndarray, outside: np.ndarray) -> np.ndarray:
        """Influence of rows on Cliff's delta, shape (n_rows, n_contrasts); over all rows they sum to 0.

        ``x`` of shape (n_rows,) holds their values; ``inside`` and ``outside`` of shape (n_rows, n_contrasts)
        say which belong to the cluster and to its reference.
        """
        return self._influence(x, inside, outside, *(one - self.cliffs_delta for one in self._dominance))

    def share_influence(
        self, x: np.ndarray, inside: np.ndarray, outside: np.ndarray, at: np.ndarray
    ) -> np.ndarray:
        """The same for the difference of the shares of the values numbered ``at``, one per contrast."""
        chosen = np.arange(len(self.values))[:, None] == at
        with np.errstate(invalid="ignore", divide="ignore"):
            share = (self.inside * chosen).sum(axis=0) / self.n_inside
            other = (self.outside * chosen).sum(axis=0) / self.n_outside
        return self._influence(x, inside, outside, chosen - share, other - chosen)

    def _influence(
        self,
        x: np.ndarray,
        inside: np.ndarray,
        outside: np.ndarray,
        inside_by_value: np.ndarray,
        outside_by_value: np.ndarray,
    ) -> np.ndarray:
        """Spread what holds for each value over the rows, divided by the size of their group."""
        if not len(self.values):
            return np.zeros(inside.shape, dtype=np.float32)
        at = np.minimum(np.searchsorted(self.values, x), len(self.values) - 1)  # missing values sort last
        own = np.nan_to_num(inside_by_value / np.maximum(self.n_inside, 1)).astype(np.float32)
        other = np.nan_to_num(outside_by_value / np.maximum(self.n_outside, 1)).astype(np.float32)
        influence = inside * own[at] + outside * other[at]
        influence[np.isnan(x)] = 0.0
        return influence

    def above(self, threshold: float) -> tuple[np.ndarray, np.ndarray]:
        """Shares of the cluster and of the reference above a threshold, by contrast."""
        above = self.values > threshold
        with np.errstate(invalid="ignore", divide="ignore"):
            return (
                self.inside[above].sum(axis=0) / self.n_inside,
                self.outside[above].sum(axis=0) / self.n_outside,
            )

    @property
    def medians(self) -> tuple[np.ndarray, np.ndarray]:
        """Medians of the cluster and of the reference, by contrast; NaN for an empty group."""
        return _medians(self.values, self.inside), _medians(self.values, self.outside)

    @property
    def cramers_v(self) -> np.ndarray:
        """Cramér's V of the values and membership in the cluster, by contrast."""
        rows = self.inside + self.outside
        n = rows.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = self.n_inside / n
            expected = rows * share
            # Of two groups: the chi-squared of one over the share of the other.
            squares = np.where(rows > 0, np.square(self.inside - expected) / expected, 0.0).sum(axis=0)
            return np.sqrt(squares / (1 - share) / n)

    @cached_property
    def best_thresholds(self) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
        """Direction, threshold, coverage and purity of the condition with the largest F1, by contrast."""
        n_contrasts = self.inside.shape[1]
        if len(self.values) < 2:
            nothing = np.full(n_contrasts, np.nan)
            return [""] * n_contrasts, nothing, nothing, nothing
        low, other_low = self.inside.cumsum(axis=0)[:-1], self.outside.cumsum(axis=0)[:-1]
        caught = np.stack([low, self.n_inside - low])  # at most the value, or above it
        selected = caught + np.stack([other_low, self.n_outside - other_low])
        with np.errstate(invalid="ignore", divide="ignore"):
            f1 = 2 * caught / (selected + self.n_inside)
            best = np.nan_to_num(f1, nan=-1.0).reshape(-1, n_contrasts).argmax(axis=0)
            side, place = np.divmod(best, len(self.values) - 1)
            pick = side, place, np.arange(n_contrasts)
            coverage, purity = caught[pick] / self.n_inside, caught[pick] / selected[pick]
        thresholds = [shortest_between(*self.values[at : at + 2]) for at in place]
        return [("<=", ">")[one] for one in side], np.array(thresholds), coverage, purity


def _medians(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Median of each column of counts."""
    n = counts.sum(axis=0)
    if not len(values):
        return np.full(len(n), np.nan)
    up_to = counts.cumsum(axis=0)
    middle = [values[(up_to >= target).argmax(axis=0)] for target in (np.ceil(n / 2), n // 2 + 1)]
    return np.where(n > 0, middle[0] / 2 + middle[1] / 2, np.nan)


def shortest_between(low: float, high: float, cut: float | None = None) -> float:
    """The cut between two values, or their middle, with the fewest digits, at least three, that part them.

    Examples
    --------
    >>> shortest_between(0.1, 0.2), shortest_between(1.00001, 1.00003)
    (0.15, 1.00002)
    """
    between = low / 2 + high / 2 if cut is None else cut
    for digits in range(DIGITS, 17):
        rounded = float(f"{between:.{digits}g}")
        if low <= rounded < high:
            return rounded
    return float(low) if cut is None else cut
