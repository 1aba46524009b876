"""Dunn indices where all distances fit in memory: kept once, and a replica takes away what it left out.

The squared distances in all features, less those in the few features a replica leaves out, are its own: a few
passes over the pairs, however many features there are. Single precision does for the passes; whatever could
be extreme within their rounding is measured again in double precision, between the points as given.
"""

import numpy as np

from xcompare.bagging.dunn_distances import ROUNDING, Factors, dunn_ratio
from xcompare.compiled import can_compile, compiled

MAX_PAIRS = 2**26  # kept, in single precision
SECONDS_A_PAIR, SECONDS_A_PAIR_COMPILED = 1.8e-9, 0.7e-9  # of a pass, about
MAX_LEFT_OUT = 4  # a pass over all pairs for each feature left out
BLOCK = 2**17  # pairs in one pass: they stay in the processor's cache
PANEL = 2**21  # pairs in one product
CHUNK = 2**20  # differences measured again at a time
LARGE = 8000  # samples from which a compiled glance saves more than it takes to load
SIGN = np.uint32(2**31)


class DistanceMatrix:
    """Squared distances between all points, in blocks of rows that start at the diagonal."""

    def __init__(self, points: np.ndarray) -> None:
        n = points.shape[1]
        factors = Factors.of(points)
        self.scaled, self.error = factors.right[:-2], factors.error
        self.rows = np.ascontiguousarray(points.T) + 0.0  # no negative zeros: equal points have equal bytes
        # The first of equal points stands for all of them: what ties among them is measured once.
        seen: dict[bytes, int] = {}
        self.first_equal = np.array([seen.setdefault(row.tobytes(), i) for i, row in enumerate(self.rows)])
        starts = [0]
        while starts[-1] < n:
            starts.append(min(n, starts[-1] + max(1, BLOCK // (n - starts[-1]))))
        self.starts = np.array(starts)
        sizes = np.diff(self.starts) * (n - self.starts[:-1])
        self.offsets = np.concatenate([[0], np.cumsum(sizes)])
        self.squares = np.empty(self.offsets[-1], dtype=np.float32)  # block after block
        panel_blocks = max(1, PANEL // BLOCK)
        for at in range(0, len(sizes), panel_blocks):
            first, last = self.starts[at], self.starts[min(at + panel_blocks, len(sizes))]
            panel = factors.left(slice(first, last)) @ factors.right[:, first:]
            for block in range(at, min(at + panel_blocks, len(sizes))):
                start, stop = self.starts[block : block + 2] - first
                self._block(block)[:] = panel[start:stop, start:]

    @staticmethod
    def suits(n_samples: int, n_features: int, m: int) -> bool:
        """Whether all distances can be kept, and replicas leave few features out."""
        return n_samples * (n_samples + 1) // 2 <= MAX_PAIRS and n_features - m <= MAX_LEFT_OUT

    @staticmethod
    def seconds(n_samples: int) -> float:
        """About how long one partition takes."""
        a_pair = SECONDS_A_PAIR_COMPILED if n_samples >= LARGE and can_compile() else SECONDS_A_PAIR
        return a_pair * n_samples**2 / 2

    def __call__(self, labels: np.ndarray, features: np.ndarray, centers: list) -> np.ndarray:
        """Dunn index of each partition in its own features; centres are not needed."""
        return np.array([self._index(*partition) for partition in zip(labels, features, strict=True)])

    def _index(self, labels: np.ndarray, features: np.ndarray) -> float:
        """Dunn index of one partition."""
        if (labels == labels[0]).all():
            return 0.0
        left_out = self.scaled[~features]
        span = float(np.square(np.ptp(left_out, axis=1)).sum())
        # Pairs within a cluster get the sign bit. Read as whole numbers, the squared distances then are in
        # order from the closest pair between clusters to the farthest pair within one.
        within = (labels == np.arange(labels.max() + 1)[:, None]) * SIGN
        closest, farthest = np.inf, 0.0
        near: list[np.ndarray] = []
        far: list[np.ndarray] = []
        blocks = np.arange(len(self.starts) - 1)
        if len(labels) >= LARGE and can_compile():  # few blocks hold extremes: one compiled pass tells
            extremes = _extremes(self.squares, self.starts, left_out, labels.astype(np.int32))
            low, high = (values.astype(np.float64) for values in extremes)
            nearest, widest = low.min(), high.max()
            is_near = low <= nearest + self._slack(nearest, span)
            blocks = np.flatnonzero(is_near | (high >= widest - self._slack(widest, span)))
        for at in blocks.tolist():
            start, stop = self.starts[at : at + 2]
            kept = self._block(at)
            block = np.abs(kept) if len(left_out) == 0 else kept
            for feature in left_out:
                away = np.subtract.outer(feature[start:stop], feature[start:])
                np.square(away, out=away)
                np.subtract(block, away, out=away)
                block = np.abs(away, out=away)
            bits = block.view(np.uint32)
            bits |= within[:, start:].take(labels[start:stop], axis=0)
            lowest, highest = bits.min(), bits.max()
            if lowest < SIGN:
                closest = min(closest, float(lowest.view(np.float32)))
                limit = np.float32(closest + self._slack(closest, span)).view(np.uint32)
                if lowest <= limit:
                    near.append(_pairs(bits <= limit, start))
            farthest = max(farthest, float((highest ^ SIGN).view(np.float32)))
            limit = np.float32(max(farthest - self._slack(farthest, span), 0.0)).view(np.uint32) | SIGN
            if highest >= limit:
                far.append(_pairs(bits >= limit, start))
        return dunn_ratio(self._distances(near, features).min(), self._distances(far, features).max())

    def _block(self, at: int) -> np.ndarray:
        """Squared distances of some rows to those and all after them."""
        start, stop = self.starts[at : at + 2]
        return self.squares[self.offsets[at] : self.offsets[at + 1]].reshape(stop - start, -1)

    def _slack(self, square: float, span: float) -> float:
        """How much squared distances near this one may trade places by rounding."""
        return 16 * float(ROUNDING) * (square + span) + 2 * self.error

    def _distances(self, pairs: list[np.ndarray], features: np.ndarray) -> np.ndarray:
        """Distances of pairs in some features, each measured once."""
        first, second = self.first_equal[np.concatenate(pairs, axis=1)]
        codes = np.unique(first * len(self.rows) + second)
        found = []
        for some in np.array_split(codes, codes.size * len(features) // CHUNK + 1):
            difference = self.rows[some // len(self.rows)] - self.rows[some % len(self.rows)]
            squares = np.square(difference[:, features])
            # Summed in one order, as other ways to the index do: all who ask get the same bits.
            found.append(np.sqrt(np.add.accumulate(squares, axis=1)[:, -1]))
        return np.concatenate(found)


@compiled
def _extremes(squares, starts, left_out, codes):
    """Smallest squared distance between clusters and largest within one for each block."""
    n = codes.size
    n_blocks = starts.size - 1
    lows = np.empty(n_blocks, np.float32)
    highs = np.empty(n_blocks, np.float32)
    less = np.empty(n, np.float32)
    near = np.empty(n, np.float32)
    far = np.empty(n, np.float32)
    offset = 0
    for block in range(n_blocks):
        start = starts[block]
        width = n - start
        there = codes[start:]
        near[:width] = np.inf
        far[:width] = 0
        for i in range(start, starts[block + 1]):
            row = squares[offset : offset + width]
            offset += width
            for feature in range(left_out.shape[0]):
                here = left_out[feature, i]
                others = left_out[feature, start:]
                for j in range(width):
                    away = here - others[j]
                    less[j] = abs(row[j] - away * away)
                row = less[:width]
            # In two short loops each does the same to all columns, which the processor does to many at once.
            code = codes[i]
            for j in range(width):
                between = abs(row[j]) if there[j] != code else np.float32(np.inf)
                near[j] = between if between < near[j] else near[j]
            for j in range(width):
                within = abs(row[j]) if there[j] == code else np.float32(0)
                far[j] = within if within > far[j] else far[j]
        lows[block] = near[:width].min()
        highs[block] = far[:width].max()
    return lows, highs


def _pairs(chosen: np.ndarray, start: int) -> np.ndarray:
    """First and second point of chosen pairs in a block that starts at this point, shape (2, n_pairs)."""
    return np.stack(np.divmod(np.flatnonzero(chosen), chosen.shape[1])) + start
