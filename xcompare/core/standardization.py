"""How features are brought to a common scale: mean 0 and sample standard deviation 1.

A few very large values would set that scale alone: the other rows of the column then differ by nothing, and
K-means gives the few a cluster of their own. By default they are brought nearer first.
"""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from xcompare.core.blocks import slices
from xcompare.core.checks import check_choice

Scaling = Literal["robust", "sd", "rank"]
SCALINGS: tuple[Scaling, ...] = get_args(Scaling)
FIRST_ROWS = 1000  # checked first: they usually show that a column is not constant
TRIMMED = 0.05  # share of the rows on either side that does not make the bulk
FENCE, ROOM = 1.5, 0.5  # widths of the bulk: where far values begin, and how much further they may reach
FEWEST_ROWS = 10  # below, no value is far from the others
BLOCK_VALUES = 2**18  # taken from the data at a time, as double-precision copies


@dataclass(frozen=True, eq=False)
class Fences:
    """Beyond which values are far from the bulk of a feature, the middle nine tenths of its rows.

    Normal, uniform and clustered data lie within: the fences of a normal feature are 6.6 standard deviations
    from its mean. Where the quartiles are equal, the bulk is that of the rows off the most frequent value,
    and this value.
    """

    # low, high: (n_features,): infinite for features without far values
    low: np.ndarray
    high: np.ndarray
    room: np.ndarray  # (n_features,): how far beyond the fences the farthest value may be brought

    @classmethod
    def of(cls, X: np.ndarray) -> "Fences":
        """Those of the columns of ``X``, of shape (n_samples, n_features)."""
        fences = np.array([_fences(x) for x in X.T]).reshape(-1, 3)
        low, high, room = np.ascontiguousarray(fences.T)
        return cls(low, high, room)

    @property
    def features(self) -> np.ndarray:
        """Which features have far values, as numbers."""
        return np.flatnonzero(np.isfinite(self.high))

    def far(self, X: np.ndarray) -> np.ndarray:
        """Which values of rows are beyond."""
        return (self.low > X) | (self.high < X)

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Rows with far values brought nearer, in the same order; ``X`` itself where there are none."""
        some = self.features
        if not some.size:
            return X
        nearer, x = X.copy(), X[:, some]
        low, high, room = self.low[some], self.high[some], self.room[some]
        inside = np.clip(x, low, high)
        beyond = np.abs(x - inside)
        nearer[:, some] = inside + np.copysign(room * (beyond / (beyond + room)), x - inside)
        return nearer


def _fences(x: np.ndarray) -> tuple[float, float, float]:
    """Fences of one feature, and the room beyond them."""
    nowhere = -np.inf, np.inf, 1.0
    if len(x) < FEWEST_ROWS:
        return nowhere
    trimmed = int(np.ceil(TRIMMED * (len(x) - 1)))
    quarter = len(x) // 4
    ranks = trimmed, quarter, len(x) - 1 - quarter, len(x) - 1 - trimmed
    x = np.partition(x, (0, *ranks, len(x) - 1))
    low, first, third, high = x[list(ranks)]
    if first == third:
        values, counts = np.unique(x, return_counts=True)
        common = values[counts.argmax()]
        off = np.sort(x[x != common])
        if not off.size:
            return nowhere
        # Of two values, both would be trimmed: the bulk would have no width.
        trimmed = min(int(np.ceil(TRIMMED * (off.size - 1))), (off.size - 1) // 2)
        low, high = min(common, off[trimmed]), max(common, off[-1 - trimmed])
    width = high - low
    low, high = low - FENCE * width, high + FENCE * width
    return (low, high, ROOM * width) if x[0] < low or x[-1] > high else nowhere


@dataclass(frozen=True, eq=False)
class Ranks:
    """Mean rank of each value of a feature; those of other values lie between."""

    # values, ranks: (n_values,): of each feature, ascending
    values: list[np.ndarray]
    ranks: list[np.ndarray]

    @classmethod
    def of(cls, X: np.ndarray) -> "Ranks":
        """Those of the columns of ``X``, of shape (n_samples, n_features)."""
        found = [np.unique(x, return_counts=True) for x in X.T]
        return cls([values for values, _ in found], [np.cumsum(n) - (n - 1) / 2 for _, n in found])

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Ranks of rows."""
        columns = zip(X.T, self.values, self.ranks, strict=True)
        return np.column_stack([np.interp(x, values, ranks) for x, values, ranks in columns])


@dataclass(frozen=True, eq=False)
class Standardization:
    """Mean and standard deviation of each feature."""

    # (n_features,): powers of two near the largest value. Dividing by them is exact, and keeps the squares of
    # very large or small numbers within the range of a float.
    unit: np.ndarray
    # mean, deviation: (n_features,): mean and sample standard deviation in those units; a constant feature
    # has its value and 1, so that it becomes 0
    mean: np.ndarray
    deviation: np.ndarray
    # What brings far values nearer, or ranks the values, before that, in the same units
    first: Fences | Ranks | None = None

    @classmethod
    def of(cls, X: np.ndarray, how: Scaling | None = "robust") -> "Standardization":
        """That of the columns of ``X``, the same for any order of its memory; see `standardize`."""
        n_features = X.shape[1]
        if how is None:
            return cls(np.ones(n_features), np.zeros(n_features), np.ones(n_features))
        # At least two columns at a time: numpy sums a single one in another order.
        n_blocks = max(1, min(n_features // 2, X.size // BLOCK_VALUES))
        blocks = np.array_split(np.arange(n_features), n_blocks)
        return _joined(
            [cls._of_block(np.ascontiguousarray(X[:, some], dtype=np.float64), how) for some in blocks]
        )

    @classmethod
    def _of_block(cls, X: np.ndarray, how: Scaling) -> "Standardization":
        """That of some columns, in C order."""
        unit = _unit(X)
        scaled = X / unit
        first: Fences | Ranks | None = None
        if how == "robust":
            first = fences = Fences.of(scaled)
            if fences.features.size:
                scaled = fences.apply(scaled)
                finer = _unit(scaled)  # without its far values a feature may need a smaller unit
                unit, scaled = unit * finer, scaled / finer
                first = Fences(fences.low / finer, fences.high / finer, fences.room / finer)
        elif how == "rank":
            first = Ranks.of(scaled)
            scaled = first.apply(scaled)
        varies, mean = varying(X), scaled.mean(axis=0)
        deviation = scaled.std(axis=0, ddof=1, mean=mean[None]) if len(X) > 1 else 1.0
        return cls(unit, np.where(varies, mean, scaled[0]), np.where(varies, deviation, 1.0), first)

    @property
    def spread(self) -> np.ndarray:
        """Sample standard deviation in the units of the data; for a constant feature not 0."""
        return self.unit * self.deviation

    def apply(self, X: np.ndarray) -> np.ndarray:
        """``X``, or other rows of the same features, with this mean and spread taken out."""
        scaled = X / self.unit
        if self.first is not None:
            scaled = self.first.apply(scaled)
        return (scaled - self.mean) / self.deviation


def _joined(parts: list[Standardization]) -> Standardization:
    """That of all columns from those of blocks of columns."""
    unit, mean, deviation = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("unit", "mean", "deviation")
    )
    firsts = [part.first for part in parts]
    first: Fences | Ranks | None = None
    if ranks := [one for one in firsts if isinstance(one, Ranks)]:
        first = Ranks([v for one in ranks for v in one.values], [r for one in ranks for r in one.ranks])
    elif fences := [one for one in firsts if isinstance(one, Fences)]:
        of_all = (np.concatenate([getattr(one, name) for one in fences]) for name in ("low", "high", "room"))
        first = Fences(*of_all)
    return Standardization(unit, mean, deviation, first)


def _unit(X: np.ndarray) -> np.ndarray:
    """Powers of two near the largest value of each column; 1 for a column of zeros."""
    largest = np.abs(X).max(axis=0)
    return np.ldexp(1.0, np.frexp(np.where(largest > 0, largest, 1.0))[1] - 1)


def check_standardize(value: Any) -> None:
    """Raise ``UnknownNameError`` on a way to standardise that there is none of."""
    if value is not None:
        check_choice("standardize", value, SCALINGS)


def varying(X: np.ndarray) -> np.ndarray:
    """Which columns have more than one value."""
    varies = (X[0] != X[:FIRST_ROWS]).any(axis=0)
    rest = np.flatnonzero(~varies)
    varies[rest] = (X[0, rest] != X[:, rest]).any(axis=0)
    return varies


def standardize(X: np.ndarray, how: Scaling | None = "robust") -> np.ndarray:
    """Columns with mean 0 and sample standard deviation 1; a constant one becomes 0.

    ``X`` of shape (n_samples, n_features): finite numbers. ``how`` ("robust", "sd", "rank" or None): "sd": as
    R's ``scale``. "robust": the same after values far from the bulk of their column are brought nearer (see
    `Fences`): where there are none, bit for bit "sd". "rank": the same of the ranks, so that only the order
    of the values counts. None: as they are. Returns shape (n_samples, n_features): C-ordered.

    Examples
    --------
    >>> standardize(np.array([[1.0, 1e300, 5.0], [2.0, 2e300, 5.0], [3.0, 3e300, 5.0]]))
    array([[-1., -1.,  0.],
           [ 0.,  0.,  0.],
           [ 1.,  1.,  0.]])

    One value at a million, among 0, 1, ..., 18:

    >>> x = np.append(np.arange(19.0), 1e6)[:, None]
    >>> [standardize(x, how)[[0, 18, 19], 0].round(1).tolist() for how in ("sd", "robust", "rank")]
    [[-0.2, -0.2, 4.2], [-1.0, 0.6, 3.7], [-1.6, 1.4, 1.6]]
    """
    found, standardized = Standardization.of(X, how), np.empty(X.shape)
    for some in slices(len(X), max(1, BLOCK_VALUES // X.shape[1])):
        standardized[some] = found.apply(X[some])
    return standardized
