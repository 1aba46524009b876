"""Data of a comparison, identified by a fingerprint."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from xcompare.core.features import Feature, feature_of_columns, groups_of
from xcompare.core.standardization import Fences, Scaling


@dataclass(frozen=True, eq=False)
class DataInfo:
    """Description of data, without its values, for tables, reports and the run store.

    Attributes
    ----------
    name : str
        Name in tables and reports.
    n_samples : int
    feature_names : tuple of str
    labels : ndarray of int of shape (n_samples,) or None, default=None
        Reference partition, for evaluation only.
    label_names : tuple of str, default=()
        What each of its codes stands for; empty without a reference.
    row_names : Index of length n_samples or None, default=None
        Of a data frame: its index. A run store does not keep it.
    features : tuple of Feature, default=()
        Kinds and levels of the columns, those that only describe clusters last; empty if all are complete
        numbers that make clusters.
    plain : bool, default=True
        Whether the columns that make clusters are complete, and numbers or of two levels: every method takes
        them as they are.
    """

    name: str
    n_samples: int
    feature_names: tuple[str, ...]
    labels: np.ndarray | None = None
    label_names: tuple[str, ...] = ()
    row_names: pd.Index | None = None
    features: tuple[Feature, ...] = ()
    plain: bool = True

    @property
    def columns(self) -> tuple[Feature, ...]:
        """Every column of the data."""
        return self.features or tuple(map(Feature, self.feature_names))

    @property
    def described(self) -> tuple[str, ...]:
        """Names of the columns that only describe clusters."""
        return tuple(feature.name for feature in self.features if feature.described)

    @property
    def scored(self) -> tuple[Feature, ...]:
        """The columns that make clusters; empty if they are complete numbers, each a feature."""
        return () if self.plain else tuple(feature for feature in self.features if not feature.described)

    @property
    def n_scored(self) -> int:
        """Number of columns that make clusters."""
        return len(self.columns) - len(self.described)

    @property
    def groups(self) -> dict[str, list[str]]:
        """Columns of each feature that is a group of them."""
        return groups_of(self.features)


class Described:
    """Base class of objects with a `DataInfo`, whose fields it exposes."""

    info: DataInfo

    @property
    def name(self) -> str:
        """Name of the data."""
        return self.info.name

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.info.n_samples

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features."""
        return self.info.feature_names

    @property
    def labels(self) -> np.ndarray | None:
        """Reference partition as codes, shape (n_samples,); None without one."""
        return self.info.labels

    @property
    def label_names(self) -> tuple[str, ...]:
        """Names of the codes of the reference partition."""
        return self.info.label_names


@dataclass(frozen=True, eq=False)
class Data(Described):
    """Data ready for every method.

    Attributes
    ----------
    info : DataInfo
    values : ndarray of shape (n_samples, n_columns)
        Original values, without constant columns: codes of levels, NaN where missing. The columns that only
        describe clusters are last.
    X : ndarray of shape (n_samples, n_features)
        What methods see: standardised.
    n_clusters : int
    fingerprint : str
        Hash of the values as given, of weights, and of how they are standardised where that makes a
        difference: the same data is recognised under any name.
    weights : ndarray of shape (n_samples,) or None, default=None
        Weights of the rows, in multiples of the smallest; None if they are equal.
    """

    info: DataInfo
    values: np.ndarray
    X: np.ndarray
    n_clusters: int
    fingerprint: str
    weights: np.ndarray | None = None

    @property
    def described(self) -> str:
        """Hash of the columns that only describe clusters; empty without any."""
        values = self.values[:, self.X.shape[1] :]
        return fingerprint(values, "robust") if values.size else ""


def fingerprint(
    values: np.ndarray,
    how: Scaling | None,
    features: Sequence[Feature] = (),
    weights: np.ndarray | None = None,
) -> str:
    """Hash of shape and values, of features that are not complete numbers, of weights, and of the scaling."""
    hasher = hashlib.blake2b(repr(values.shape).encode(), digest_size=16)
    hasher.update(np.ascontiguousarray(values, dtype="<f8").data)
    if features:
        hasher.update(repr([(feature.kind, feature.levels) for feature in features]).encode())
    if any(feature.group for feature in features):
        hasher.update(feature_of_columns(features).astype("<i8").data)
    if how != "robust" and not (how == "sd" and not features and not Fences.of(values).features.size):
        hasher.update(str(how).encode())
    if weights is not None:
        hasher.update(np.ascontiguousarray(weights, dtype="<f8").data)
    return hasher.hexdigest()
