"""Dunn indices of all partitions of an ensemble from the distances of all pairs of points.

The squared distances in all features are computed once, one strip of pairs after the other. A replicate that
leaves few features out subtracts their contribution: a few passes over the pairs, whatever the number of
features. The passes run in single precision; whatever could be extreme within their rounding error is
recomputed in double precision.
"""

from collections.abc import Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from xcompare.bagging.dunn.distances import ROUNDING, Factors, distances, dunn_ratio
from xcompare.core.blocks import slices

MAX_PAIRS = 2**26  # of all strips together
MAX_LEFT_OUT = 4  # features, each of which costs a pass over all pairs
STRIP_PAIRS, FEWEST_STRIPS = 2**22, 8  # pairs stored at a time, and strips to share among workers
BLOCK, ROWS = 128, 1024  # columns and rows of a pass: small enough for the cache
CHUNK = 2**20  # differences recomputed at a time
RELATIVE_SLACK = 16 * float(ROUNDING)
SIGN = np.uint32(2**31)


class Extremes(NamedTuple):
    """Distances of the pairs of a strip that decide the Dunn index of each partition."""

    closest: np.ndarray  # (n_partitions,), between clusters; infinite without such a pair
    farthest: np.ndarray  # (n_partitions,), within a cluster


class DistanceMatrix:
    """Distances between all points, in strips of columns from the diagonal down.

    Parameters
    ----------
    points : ndarray of shape (n_features, n_samples)
    """

    def __init__(self, points: np.ndarray) -> None:
        n = points.shape[1]
        self.points, self.factors = points, Factors.of(points)
        # The first of several equal points represents them all, so that ties among them are measured once.
        seen: dict[bytes, int] = {}
        rows = (points[:, some] for some in slices(n, BLOCK))
        # Without negative zeros, equal points have equal bytes.
        marks = (blake2b(row, digest_size=16).digest() for block in rows for row in block.T.copy() + 0.0)
        self.first_equal = np.array([seen.setdefault(mark, i) for i, mark in enumerate(marks)])

    @property
    def strips(self) -> list[slice]:
        """Columns of each strip, whole blocks."""
        n = self.points.shape[1]
        edges, size, most = [0], 0, min(STRIP_PAIRS, n**2 // 2 // FEWEST_STRIPS)
        for block in slices(n, BLOCK):
            size += (n - block.start) * (block.stop - block.start)
            if size >= most or block.stop == n:
                edges.append(block.stop)
                size = 0
        return [slice(*edge) for edge in pairwise(edges)]

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
        return self.indices([self.extremes(strip, labels, features) for strip in self.strips])

    @staticmethod
    def indices(parts: Sequence[Extremes]) -> np.ndarray:
        """Dunn index of each partition from the extremes of all strips; 0 for a single cluster."""
        closest = np.min([part.closest for part in parts], axis=0)
        farthest = np.max([part.farthest for part in parts], axis=0)
        closest[np.isinf(closest)] = 0.0
        return np.array(list(map(dunn_ratio, closest, farthest)))

    def extremes(self, strip: slice, labels: np.ndarray, features: np.ndarray) -> Extremes:
        """Extremes of one strip for several partitions, each in its own features."""
        left, n = self.factors.left(slice(strip.start, None)), labels.shape[1]
        blocks = slices(strip.stop, BLOCK, strip.start)
        squares = [left[block.start - strip.start :] @ self.factors.right[:, block] for block in blocks]
        del left
        passes = [
            (rows, block, square[rows.start - block.start : rows.stop - block.start])
            for block, square in zip(blocks, squares, strict=True)
            for rows in slices(n, ROWS, block.start)
        ]
        found = [self._extremes(passes, *partition) for partition in zip(labels, features, strict=True)]
        return Extremes(*map(np.array, zip(*found, strict=True)))

    def _extremes(
        self, passes: list[tuple[slice, slice, np.ndarray]], labels: np.ndarray, features: np.ndarray
    ) -> tuple[float, float]:
        """Closest and farthest pair of one partition: rows, columns and squared distances of each pass."""
        left_out = self.factors.right[:-2][~features]
        span = float(np.square(np.ptp(left_out, axis=1)).sum())
        # Pairs within a cluster get the sign bit. Read as unsigned integers, the squared distances then range
        # from the closest pair between clusters to the farthest pair within one.
        within = (labels == np.arange(labels.max() + 1)[:, None]) * SIGN
        closest, farthest = np.inf, 0.0
        near: list[np.ndarray] = []
        far: list[np.ndarray] = []
        for rows, columns, kept in passes:
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
        return self._distances(near, features).min(initial=np.inf), self._distances(far, features).max(
            initial=0
        )

    def _slack(self, square: float, span: float) -> float:
        """Rounding error within which squared distances near this one may be in the wrong order."""
        return RELATIVE_SLACK * (square + span) + 2 * self.factors.error

    def _distances(self, pairs: list[np.ndarray], features: np.ndarray) -> np.ndarray:
        """Distances of pairs in some features, each measured once."""
        if not pairs:
            return np.empty(0)
        n = self.points.shape[1]
        first, second = self.first_equal[np.concatenate(pairs, axis=1)]
        codes = np.sort(first * n + second)
        codes = codes[np.diff(codes, prepend=-1) > 0]
        found = []
        for some in np.array_split(codes, codes.size * len(features) // CHUNK + 1):
            found.append(distances(*(self.points.take(at, axis=1)[features] for at in (some // n, some % n))))
        return np.concatenate(found)


def _pairs(chosen: np.ndarray, rows: slice, columns: slice) -> np.ndarray:
    """Both points of the chosen pairs of a block, shape (2, n_pairs)."""
    row, column = np.divmod(np.flatnonzero(chosen), chosen.shape[1])
    return np.stack([rows.start + row, columns.start + column])
