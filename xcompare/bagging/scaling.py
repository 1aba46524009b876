"""Scaling before clustering: features are standardised, and those with rare values shrunk."""

from dataclasses import dataclass, replace

import numpy as np

from xcompare.bagging.information.mutual import Information, comparable_scale
from xcompare.core.blocks import slices
from xcompare.core.checks import check_squares
from xcompare.core.standardization import Scaling, Standardization, varying
from xcompare.core.threads import one_blas_thread

BLOCK_ROWS = 2**12  # transposed at a time, to fit in the cache


@dataclass(frozen=True, eq=False)
class Scale:
    """Transformation of each feature before clustering."""

    standardization: Standardization
    constant: np.ndarray  # (n_features,): features with a single value

    @classmethod
    def of(
        cls, X: np.ndarray, *, standardize: Scaling | None, information: Information
    ) -> "tuple[Scale, np.ndarray]":
        """Fit the scale to ``X``, and return it with the transformed points.

        Unless ``information`` is "kde", features with rare values are shrunk, see `comparable_scale`.
        """
        if standardize is None:
            check_squares(X, name="the data taken as it is")
        found = Standardization.of(X, standardize)
        scale = cls(found, ~varying(X))
        points = scale.apply(X)
        nearer = comparable_scale(points) if information != "kde" else np.ones(len(points))
        if (nearer == 1).all():
            return scale, points
        del points  # free before they are computed again
        scale = replace(scale, standardization=replace(found, deviation=found.deviation * nearer))
        return scale, scale.apply(X)

    @property
    def unit(self) -> np.ndarray:
        """Powers of two that keep sums of very large values finite."""
        return self.standardization.unit

    def means(self, X: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Means of clusters of rows, in the units of the data."""
        sizes = np.bincount(labels)
        sums = np.zeros((sizes.size, X.shape[1]))
        clusters = np.arange(sizes.size)[:, None]
        with one_blas_thread():
            for some in slices(len(X), BLOCK_ROWS):
                sums += (labels[some] == clusters) @ (X[some] / self.unit)
        return sums / sizes[:, None] * self.unit

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Transform rows of data into points, features first."""
        points = np.empty(X.shape[::-1])
        for some in slices(len(X), BLOCK_ROWS):
            points[:, some] = self.standardization.apply(X[some]).T
        return points
