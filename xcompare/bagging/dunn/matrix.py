"""Dunn indices where all pairwise distances fit in memory.

The squared distances in all features are computed once. A replicate that leaves few features out subtracts
their contribution: a few passes over the pairs, whatever the number of features. The passes run in single
precision; whatever could be extreme within their rounding error is recomputed in double precision.
"""

from collections.abc import Iterator

import numpy as np

from xcompare.bagging.dunn.distances import ROUNDING, Factors, dunn_ratio

MAX_PAIRS = 2**26  # stored, in single precision
MAX_LEFT_OUT = 4  # features, each of which costs a pass over all pairs
BLOCK, ROWS = 128, 1024  # columns and rows of a pass: small enough for the cache
CHUNK = 2**20  # differences recomputed at a time
RELATIVE_SLACK = 16 * float(ROUNDING)
SIGN = np.uint32(2**31)


class DistanceMatrix:
    """Squared distances between all points: one block of columns after the other, from the diagonal down.

    Parameters
    ----------
    points : ndarray of shape (n_features, n_samples)
    """

    def __init__(self, points: np.ndarray) -> None:
        n = points.shape[1]
        factors = Factors.of(points)
        self.scaled, self.error = factors.right[:-2], factors.error
        # Without negative zeros, equal points have equal bytes.
        self.points = np.ascontiguousarray(points.T) + 0.0
        # The first of several equal points represents them all, so that ties among them are measured once.
        seen: dict[bytes, int] = {}
        self.first_equal = np.array([seen.setdefault(row.tobytes(), i) for i, row in enumerate(self.points)])
        self.starts = np.append(np.arange(0, n, BLOCK), n)
        self.offsets = np.concatenate([[0], np.cumsum((n - self.starts[:-1]) * np.diff(self.starts))])
        self.squares = np.empty(self.offsets[-1], dtype=np.float32)
        left = factors.left(slice(None))
        for block, start in enumerate(self.starts[:-1]):
            np.matmul(left[start:], factors.right[:, start : start + BLOCK], out=self._block(block))

    @staticmethod
    def suits(n_samples: int, n_features: int, m: int) -> bool:
        """Whether all distances fit in memory, and replicates leave few features out."""
        return n_samples * (n_samples + 1) // 2 <= MAX_PAIRS and n_features - m <= MAX_LEFT_OUT

    @staticmethod
    def seconds(n_samples: int, n_features: int, n_replicas: int) -> float:
        """Approximate time for all partitions."""
        n_pairs = n_samples**2 / 2
        return (1.5e-8 + 2.5e-11 * n_features) * n_pairs + n_replicas * (4e-4 + 1.8e-9 * n_pairs)

    def __call__(self, labels: np.ndarray, features: np.ndarray, centers: list) -> np.ndarray:
        """Dunn index of each partition in its own features; centres are not used."""
        return np.array([self._index(*partition) for partition in zip(labels, features, strict=True)])

    def _index(self, labels: np.ndarray, features: np.ndarray) -> float:
        """Dunn index of one partition."""
        if (labels == labels[0]).all():
            return 0.0
        left_out = self.scaled[~features]
        span = float(np.square(np.ptp(left_out, axis=1)).sum())
        # Pairs within a cluster get the sign bit. Read as unsigned integers, the squared distances then range
        # from the closest pair between clusters to the farthest pair within one.
        within = (labels == np.arange(labels.max() + 1)[:, None]) * SIGN
        closest, farthest = np.inf, 0.0
        near: list[np.ndarray] = []
        far: list[np.ndarray] = []
        for rows, columns, kept in self._passes():
            squares = np.abs(kept) if len(left_out) == 0 else kept
            for feature in left_out:
                away = np.subtract.outer(feature[rows], feature[columns])
                np.square(away, out=away)
                np.subtract(squares, away, out=away)
                squares = np.abs(away, out=away)
            bits = squares.view(np.uint32)
            bits |= within[:, columns].take(labels[rows], axis=0)
            lowest, highest = bits.min(), bits.max()
            if lowest < SIGN:
                closest = min(closest, float(lowest.view(np.float32)))
                limit = np.float32(closest + self._slack(closest, span)).view(np.uint32)
                if lowest <= limit:
                    near.append(_pairs(bits <= limit, rows, columns))
            farthest = max(farthest, float((highest ^ SIGN).view(np.float32)))
            limit = np.float32(max(farthest - self._slack(farthest, span), 0.0)).view(np.uint32) | SIGN
            if highest >= limit:
                far.append(_pairs(bits >= limit, rows, columns))
        return dunn_ratio(self._distances(near, features).min(), self._distances(far, features).max())

    def _passes(self) -> Iterator[tuple[slice, slice, np.ndarray]]:
        """Rows, columns and squared distances of all pairs, some at a time."""
        n = len(self.points)
        for block, start in enumerate(self.starts[:-1].tolist()):
            squares = self._block(block)
            for first in range(start, n, ROWS):
                rows = slice(first, min(first + ROWS, n))
                columns = slice(start, start + squares.shape[1])
                yield rows, columns, squares[first - start : first - start + ROWS]

    def _block(self, block: int) -> np.ndarray:
        """Squared distances of a block of points, one per column, to these and all later points."""
        width = self.starts[block + 1] - self.starts[block]
        return self.squares[self.offsets[block] : self.offsets[block + 1]].reshape(-1, width)

    def _slack(self, square: float, span: float) -> float:
        """Rounding error within which squared distances near this one may be in the wrong order."""
        return RELATIVE_SLACK * (square + span) + 2 * self.error

    def _distances(self, pairs: list[np.ndarray], features: np.ndarray) -> np.ndarray:
        """Distances of pairs in some features, each measured once."""
        first, second = self.first_equal[np.concatenate(pairs, axis=1)]
        codes = np.sort(first * len(self.points) + second)
        codes = codes[np.diff(codes, prepend=-1) > 0]
        found = []
        for some in np.array_split(codes, codes.size * len(features) // CHUNK + 1):
            difference = self.points[some // len(self.points)] - self.points[some % len(self.points)]
            squares = np.square(difference[:, features])
            # Summed in the same order as by the other strategies, for identical results.
            found.append(np.sqrt(np.add.accumulate(squares, axis=1)[:, -1]))
        return np.concatenate(found)


def _pairs(chosen: np.ndarray, rows: slice, columns: slice) -> np.ndarray:
    """Both points of the chosen pairs of a block, shape (2, n_pairs)."""
    row, column = np.divmod(np.flatnonzero(chosen), chosen.shape[1])
    return np.stack([rows.start + row, columns.start + column])
