"""Dunn indices where all distances fit in memory: kept once, and a replica takes away what it left out.

The squared distances in all features, less those in the few features a replica leaves out, are its own: a few
passes over the pairs, however many features there are. Single precision does for the passes; whatever could
be extreme within their rounding is measured again in double precision, between the points as given.

Replicas find nearly the same clusters, so a compiled loop can leave most pairs out. Points are put in the
order of the clusters that one replica found and cut into blocks, most of which lie in one cluster of any
other replica too. A row is what a point is away from those of a block: the smallest and the largest squared
distance in it, found once, tell of nearly all rows that no extreme distance of a replica is there.
"""

from collections.abc import Iterator

import numpy as np

from xcompare.bagging.dunn_distances import ROUNDING, Factors, dunn_ratio
from xcompare.compiled import can_compile, compiled, pays, would_pay

MAX_PAIRS = 2**26  # kept, in single precision
SECONDS_A_PAIR = 1.8e-9  # of a pass, about
MAX_LEFT_OUT = 4  # a pass over all pairs for each feature left out
BLOCK = 128  # points a row is about
PIECE = 2**17  # pairs in one pass: they stay in the processor's cache
CHUNK = 2**20  # differences measured again at a time
RELATIVE_SLACK = 16 * float(ROUNDING)
SIGN = np.uint32(2**31)


class DistanceMatrix:
    """Squared distances between all points: of each block of points to those and all after them.

    Parameters
    ----------
    points : ndarray of shape (n_features, n_samples)
    n_replicas : int, default 1
        How many partitions there will be, about.
    alike : ndarray of int of shape (n_samples,), optional
        Labels of a partition like those to come. Time depends on both, the result does not.
    """

    def __init__(self, points: np.ndarray, n_replicas: int = 1, alike: np.ndarray | None = None) -> None:
        n = points.shape[1]
        factors = Factors.of(points)
        self.order = _order(factors, np.zeros(n, dtype=int) if alike is None else alike)
        factors = factors.some(self.order)
        self.scaled, self.error = factors.right[:-2], factors.error
        # No negative zeros: equal points have equal bytes.
        self.points = np.ascontiguousarray(points.T)[self.order] + 0.0
        # The first of equal points stands for all of them: what ties among them is measured once.
        seen: dict[bytes, int] = {}
        self.first_equal = np.array([seen.setdefault(row.tobytes(), i) for i, row in enumerate(self.points)])
        self.starts = np.append(np.arange(0, n, BLOCK), n)
        n_rows = n - self.starts[:-1]
        self.first_rows = np.concatenate([[0], np.cumsum(n_rows)])
        self.offsets = np.concatenate([[0], np.cumsum(n_rows * np.diff(self.starts))])
        self.squares = np.empty(self.offsets[-1], dtype=np.float32)  # block after block, row after row
        self.by_loop = pays(n_replicas * SECONDS_A_PAIR * n**2 / 2)
        self.bounds = np.empty((2, self.first_rows[-1] if self.by_loop else 0), dtype=np.float32)
        left = factors.left(slice(None))
        for block, start in enumerate(self.starts[:-1]):
            rows = self._rows(block)
            np.matmul(left[start:], factors.right[:, start : start + BLOCK], out=rows)
            if self.by_loop:
                _bound(rows, *self.bounds[:, self.first_rows[block] : self.first_rows[block + 1]])

    @staticmethod
    def suits(n_samples: int, n_features: int, m: int) -> bool:
        """Whether all distances can be kept, and replicas leave few features out."""
        return n_samples * (n_samples + 1) // 2 <= MAX_PAIRS and n_features - m <= MAX_LEFT_OUT

    @staticmethod
    def seconds(n_samples: int, n_features: int, n_replicas: int) -> float:
        """About how long all partitions take."""
        n_pairs = n_samples**2 / 2
        to_keep = (1.5e-9 + 2.5e-11 * n_features) * n_pairs
        a_pair = SECONDS_A_PAIR
        if would_pay(n_replicas * SECONDS_A_PAIR * n_pairs):
            # The more features, the less one left out loosens the bounds; at worst they rule out nothing.
            a_pair = min(0.6e-9, 0.06e-9 + 1e-7 / n_features**2)
        return to_keep + n_replicas * (4e-4 + a_pair * n_pairs)

    def __call__(self, labels: np.ndarray, features: np.ndarray, centers: list) -> np.ndarray:
        """Dunn index of each partition in its own features; centres are not needed."""
        return np.array([self._index(*partition) for partition in zip(labels, features, strict=True)])

    def _index(self, labels: np.ndarray, features: np.ndarray) -> float:
        """Dunn index of one partition."""
        if (labels == labels[0]).all():
            return 0.0
        labels = labels[self.order]
        left_out = self.scaled[~features]
        span = float(np.square(np.ptp(left_out, axis=1)).sum())
        # Pairs within a cluster get the sign bit. Read as whole numbers, the squared distances then are in
        # order from the closest pair between clusters to the farthest pair within one.
        within = (labels == np.arange(labels.max() + 1)[:, None]) * SIGN
        closest, farthest = np.inf, 0.0
        near: list[np.ndarray] = []
        far: list[np.ndarray] = []
        by_loop = self.by_loop and can_compile()
        for block, rows in self._with_extremes(labels, left_out, span) if by_loop else self._all():
            start, stop = self.starts[block : block + 2]
            here = np.arange(start, len(labels))[rows]
            kept = self._rows(block)[rows]
            squares = np.abs(kept) if len(left_out) == 0 else kept
            for feature in left_out:
                away = np.subtract.outer(feature[here], feature[start:stop])
                np.square(away, out=away)
                np.subtract(squares, away, out=away)
                squares = np.abs(away, out=away)
            bits = squares.view(np.uint32)
            bits |= within[:, start:stop].take(labels[here], axis=0)
            lowest, highest = bits.min(), bits.max()
            if lowest < SIGN:
                closest = min(closest, float(lowest.view(np.float32)))
                limit = np.float32(closest + self._slack(closest, span)).view(np.uint32)
                if lowest <= limit:
                    near.append(_pairs(bits <= limit, here, start))
            farthest = max(farthest, float((highest ^ SIGN).view(np.float32)))
            limit = np.float32(max(farthest - self._slack(farthest, span), 0.0)).view(np.uint32) | SIGN
            if highest >= limit:
                far.append(_pairs(bits >= limit, here, start))
        return dunn_ratio(self._distances(near, features).min(), self._distances(far, features).max())

    def _all(self) -> Iterator[tuple[int, slice]]:
        """All rows of all blocks, some at a time."""
        for block, n_rows in enumerate(np.diff(self.first_rows).tolist()):
            for first in range(0, n_rows, PIECE // BLOCK):
                yield block, slice(first, first + PIECE // BLOCK)

    def _with_extremes(
        self, labels: np.ndarray, left_out: np.ndarray, span: float
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Blocks with extreme distances within rounding, and the few rows of each that hold them."""
        n_blocks = len(self.starts) - 1
        met = np.zeros((n_blocks, labels.max() + 1), dtype=bool)
        met[np.repeat(np.arange(n_blocks), np.diff(self.starts)), labels] = True
        codes = labels.astype(np.int32)
        known = self.starts, tuple(self.bounds), left_out, codes, met
        slack = 2 * self._slack(0.0, span), 2 * RELATIVE_SLACK
        rows, found = _extremes(self.squares, known, _first_extremes(known), slack)
        low, high = found.astype(np.float64)
        nearest, widest = low.min(), high.max()
        is_near = low <= nearest + self._slack(nearest, span)
        rows = rows[is_near | (high >= widest - self._slack(widest, span))]
        blocks = np.searchsorted(self.first_rows, rows, side="right") - 1
        for block in np.unique(blocks).tolist():
            yield block, rows[blocks == block] - self.first_rows[block]

    def _rows(self, block: int) -> np.ndarray:
        """Squared distances to the points of a block, one per column, of those and all after them."""
        start, stop = self.starts[block : block + 2]
        return self.squares[self.offsets[block] : self.offsets[block + 1]].reshape(-1, stop - start)

    def _slack(self, square: float, span: float) -> float:
        """How much squared distances near this one may trade places by rounding."""
        return RELATIVE_SLACK * (square + span) + 2 * self.error

    def _distances(self, pairs: list[np.ndarray], features: np.ndarray) -> np.ndarray:
        """Distances of pairs in some features, each measured once."""
        first, second = self.first_equal[np.concatenate(pairs, axis=1)]
        codes = np.sort(first * len(self.points) + second)
        codes = codes[np.diff(codes, prepend=-1) > 0]  # np.unique of whole numbers takes ten times as long
        found = []
        for some in np.array_split(codes, codes.size * len(features) // CHUNK + 1):
            difference = self.points[some // len(self.points)] - self.points[some % len(self.points)]
            squares = np.square(difference[:, features])
            # Summed in one order, as other ways to the index do: all who ask get the same bits.
            found.append(np.sqrt(np.add.accumulate(squares, axis=1)[:, -1]))
        return np.concatenate(found)


def _order(factors: Factors, labels: np.ndarray) -> np.ndarray:
    """An order of points in which clusters like these are in one piece each.

    One cluster may be two of another partition. By distance from any one of its points, they come apart.
    """
    _, ones, codes = np.unique(labels, return_index=True, return_inverse=True)
    squares = (factors.left(ones) @ factors.right)[codes, np.arange(len(codes))]
    return np.lexsort((squares, codes))


def _bound(rows: np.ndarray, lows: np.ndarray, highs: np.ndarray) -> None:
    """Find the smallest and largest squared distance in each row of a block; no point is close to itself."""
    bits = rows.view(np.int32)  # whole numbers are compared faster
    np.fill_diagonal(rows, np.inf)
    bits.min(axis=1, out=lows.view(np.int32))
    np.fill_diagonal(rows, 0)
    bits.max(axis=1, out=highs.view(np.int32))


@compiled
def _first_extremes(known):
    """What each row may lose by what is left out; bounds on the extremes, from rows of one kind of pairs."""
    starts, (lows, highs), left_out, codes, met = known
    n = codes.size
    losses = np.zeros(lows.size, np.float32)
    closest, farthest = np.inf, 0.0
    first = 0
    for block in range(starts.size - 1):
        start = starts[block]
        loss = losses[first : first + n - start]
        for feature in range(left_out.shape[0]):
            least = left_out[feature, start : starts[block + 1]].min()
            most = left_out[feature, start : starts[block + 1]].max()
            for i in range(n - start):
                value = left_out[feature, start + i]
                widest = max(value - least, most - value)
                loss[i] += widest * widest
        is_one = met[block].sum() == 1
        for i in range(n - start):
            if not met[block, codes[start + i]]:
                closest = min(closest, lows[first + i])  # a feature left out brings points closer
            elif is_one:
                farthest = max(farthest, highs[first + i] - loss[i])
        first += n - start
    return losses, closest, farthest


@compiled
def _extremes(squares, known, first, slack):
    """Rows not ruled out, with the smallest squared distance between clusters and the largest within one.

    Bounds and what is found come from single precision, each rounded: hence twice the slack of one distance.
    """
    starts, (lows, highs), left_out, codes, met = known
    losses, closest, farthest = first
    absolute, relative = slack
    n = codes.size
    rows = np.empty(lows.size, np.int64)
    found = np.empty((2, lows.size), np.float32)
    own = np.empty(starts[1], np.float32)
    # Squares in order as whole numbers, of which the processor compares many at once.
    found_bits, bits = found.view(np.int32), own.view(np.int32)
    infinite, zero = np.int32(0x7F800000), np.int32(0)
    n_found = offset = 0
    at = -1
    for block in range(starts.size - 1):
        start = starts[block]
        width = starts[block + 1] - start
        there = codes[start : start + width]
        is_one = met[block].sum() == 1
        for i in range(start, n):
            at += 1
            row = squares[offset : offset + width]
            offset += width
            code = codes[i]
            may_hold = met[block, code] and highs[at] >= farthest - (relative * farthest + absolute)
            if not may_hold and not (met[block, code] and is_one):
                may_hold = lows[at] - losses[at] <= closest + (relative * closest + absolute)
            if not may_hold:
                continue
            for j in range(width):
                own[j] = abs(row[j])
            for feature in range(left_out.shape[0]):
                others = left_out[feature, start:]
                for j in range(width):
                    away = left_out[feature, i] - others[j]
                    own[j] = abs(own[j] - away * away)
            low, high = infinite, zero
            for j in range(width):
                low = min(low, bits[j] if there[j] != code else infinite)
            for j in range(width):
                high = max(high, bits[j] if there[j] == code else zero)
            rows[n_found] = at
            found_bits[0, n_found] = low
            found_bits[1, n_found] = high
            closest = min(closest, found[0, n_found])
            farthest = max(farthest, found[1, n_found])
            n_found += 1
    return rows[:n_found], found[:, :n_found]


def _pairs(chosen: np.ndarray, rows: np.ndarray, start: int) -> np.ndarray:
    """First and second point of chosen pairs of a block that starts at this point, shape (2, n_pairs)."""
    row, column = np.divmod(np.flatnonzero(chosen), chosen.shape[1])
    return np.stack([rows[row], start + column])
