"""The scale replicas are clustered on: each feature about its mean, in units of its spread."""

from dataclasses import dataclass, replace

import numpy as np

from xcompare.bagging.information.mutual import Information, comparable_scale
from xcompare.core.checks import check_squares
from xcompare.core.standardization import Standardization, varying

AT_ONCE = 2**12  # rows turned over: they stay in the processor's cache


@dataclass(frozen=True, eq=False)
class Scale:
    """How the values of each feature become points.

    Attributes
    ----------
    unit : ndarray of shape (n_features,)
        Powers of two: nothing is rounded in them, and sums of very large values stay finite.
    center, spread : ndarray of shape (n_features,)
        What is taken off, and what is divided by, in those units.
    constant : ndarray of bool of shape (n_features,)
        Features of a single value.
    """

    unit: np.ndarray
    center: np.ndarray
    spread: np.ndarray
    constant: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, *, standardize: bool, information: Information) -> "tuple[Scale, np.ndarray]":
        """That of the columns of ``X``, and its rows as points.

        Unless information is "kde", rare values are brought nearer.
        """
        constant = ~varying(X)
        if standardize:
            found = Standardization.of(X)
            scale = cls(found.unit, found.mean, found.deviation, constant)
        else:
            check_squares(X, name="the data taken as it is")
            scale = cls(np.ones(X.shape[1]), np.zeros(X.shape[1]), np.ones(X.shape[1]), constant)
        points = scale.apply(X)
        nearer = comparable_scale(points) if information != "kde" else np.ones(len(points))
        if (nearer == 1).all():
            return scale, points
        scale = replace(scale, spread=scale.spread * nearer)
        return scale, scale.apply(X)

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Rows of data as points: features first."""
        points = np.empty(X.shape[::-1])
        for start in range(0, len(X), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            points[:, some] = ((X[some] / self.unit - self.center) / self.spread).T
        return points
