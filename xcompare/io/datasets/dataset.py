"""The `Dataset` class: data, with the ground truth that methods never see."""

from dataclasses import dataclass
from html import escape

import numpy as np
import pandas as pd

from xcompare.core.features import FeatureKind

MOST_ROWS, MOST_COLUMNS = 10, 50  # displayed in a notebook


@dataclass(frozen=True, eq=False)
class Dataset:
    """Data with its reference partition.

    Attributes
    ----------
    name : str
        Name for `load_dataset`.
    X : ndarray of shape (n_samples, n_features)
        The data, as measured (not standardised).
    labels : ndarray of shape (n_samples,) or None
        Reference partition, for evaluation only.
    feature_names : tuple of str
    n_clusters : int
        Number of clusters in the paper.
    relevant : ndarray of bool of shape (n_features,) or None
        Which features separate the clusters; known for simulated data.
    groups : tuple of str or None
        Block each simulated feature belongs to, e.g. ``"sd 0.2"`` or ``"noise"``.
    kinds : tuple of {"numeric", "ordinal", "nominal"}
        Kinds of the features, which hold codes of levels if not numeric; empty if all are.
    """

    name: str
    X: np.ndarray
    labels: np.ndarray | None
    feature_names: tuple[str, ...]
    n_clusters: int
    relevant: np.ndarray | None = None
    groups: tuple[str, ...] | None = None
    kinds: tuple[FeatureKind, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.X, self.labels, self.relevant):
            if array is not None:
                array.flags.writeable = False

    @property
    def frame(self) -> pd.DataFrame:
        """The data as a data frame."""
        return pd.DataFrame(self.X, columns=list(self.feature_names))

    def _repr_html_(self) -> str:
        n_samples, n_features = self.X.shape
        said = f"{self.name}: {n_samples} rows, {n_features} features, {self.n_clusters} clusters"
        return f"<p>{escape(said)}</p>\n{self.frame.to_html(max_rows=MOST_ROWS, max_cols=MOST_COLUMNS)}"
