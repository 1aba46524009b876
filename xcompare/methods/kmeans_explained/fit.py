"""The K-means that is explained."""

from importlib.metadata import version

import numpy as np
from sklearn.cluster import KMeans

from xcompare.core.checks import check_data, check_integer
from xcompare.core.seeds import as_seed
from xcompare.methods.base import SOFTWARE, Engine

ENGINES: tuple[Engine, ...] = ("python",)
INITIALIZATIONS = 10  # by k-means++, so that the explanation is not one of a poor local optimum
WITH_SKLEARN = f"{SOFTWARE}, scikit-learn {version('scikit-learn')}"


def checked_kmeans(
    X: np.ndarray, n_clusters: int, random_state: int | np.random.Generator | None
) -> tuple[np.ndarray, KMeans]:
    """The data, validated, and K-means fitted to all features."""
    X = check_data(X, squares=True)
    check_integer("n_clusters", n_clusters, 1, len(X))
    model = KMeans(n_clusters, n_init=INITIALIZATIONS, random_state=as_seed(random_state))
    return X, model.fit(X)
