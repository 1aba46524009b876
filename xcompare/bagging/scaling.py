"""The scale replicas are clustered on: each feature standardised, features of rare values brought nearer."""

from dataclasses import dataclass, replace

import numpy as np

from xcompare.bagging.information.mutual import Information, comparable_scale
from xcompare.core.checks import check_squares
from xcompare.core.standardization import Scaling, Standardization, varying

AT_ONCE = 2**12  # rows turned over: they stay in the processor's cache


@dataclass(frozen=True, eq=False)
class Scale:
    """How the values of each feature become points.

    Attributes
    ----------
    standardization : Standardization
    constant : ndarray of bool of shape (n_features,)
        Features of a single value.
    """

    standardization: Standardization
    constant: np.ndarray

    @classmethod
    def of(
        cls, X: np.ndarray, *, standardize: Scaling | None, information: Information
    ) -> "tuple[Scale, np.ndarray]":
        """That of the columns of ``X``, and its rows as points.

        Unless information is "kde", rare values are brought nearer.
        """
        if standardize is None:
            check_squares(X, name="the data taken as it is")
        found = Standardization.of(X, standardize)
        scale = cls(found, ~varying(X))
        points = scale.apply(X)
        nearer = comparable_scale(points) if information != "kde" else np.ones(len(points))
        if (nearer == 1).all():
            return scale, points
        scale = replace(scale, standardization=replace(found, deviation=found.deviation * nearer))
        return scale, scale.apply(X)

    @property
    def unit(self) -> np.ndarray:
        """Powers of two, in which sums of very large values stay finite."""
        return self.standardization.unit

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Rows of data as points: features first."""
        points = np.empty(X.shape[::-1])
        for start in range(0, len(X), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            points[:, some] = self.standardization.apply(X[some]).T
        return points
