"""Ways to cluster again: a scikit-learn clusterer, its text, a function, or Leiden."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph

from xcompare.bagging.clusterer_text import clusterer_from_text
from xcompare.core.errors import DataError
from xcompare.core.standardization import standardize

NOISE = -1  # label of rows in no cluster, as in HDBSCAN
N_NEIGHBORS = 15  # of the graph that Leiden partitions
AS_GIVEN, STANDARDIZED = "columns as given", "columns standardised"

Labelling = Callable[[np.ndarray], np.ndarray]


class Reclustering(NamedTuple):
    """How to cluster again."""

    name: str
    ways: dict[str, Labelling]  # by the scale of the columns

    @classmethod
    def of(cls, clusterer: Any, seed: int = 0) -> "Reclustering":
        """From what a user gives.

        ``clusterer``: "leiden"; the text of a clusterer; an object with ``fit_predict``; or a function from
        rows to labels, which is given the columns as they are. ``seed``: ``random_state`` of a clusterer that
        has none.

        Raises
        ------
        DataError
            It is none of these, or igraph is not installed.
        UnknownNameError
            There is no such class.

        Examples
        --------
        >>> again = Reclustering.of("AgglomerativeClustering(n_clusters=2)")
        >>> again.best(np.array([[0.0], [9.0], [0.1]]), np.array([1, 0, 1]))[1:]
        ('columns as given', 1.0)
        """
        if isinstance(clusterer, str) and clusterer.strip().lower() == "leiden":
            _igraph()
            return cls("leiden", _both_scales(leiden))
        if isinstance(clusterer, str):
            clusterer = clusterer_from_text(clusterer)
        if not isinstance(clusterer, type):
            if hasattr(clusterer, "fit_predict"):
                name = " ".join(repr(clusterer).split())
                return cls(name, _both_scales(lambda X: _seeded(clusterer, seed).fit_predict(X)))
            if callable(clusterer):
                return cls(getattr(clusterer, "__name__", repr(clusterer)), {AS_GIVEN: clusterer})
        raise DataError(
            "validate must be a scikit-learn clusterer, its text, 'leiden' or a function from rows to labels;"
            f" got {clusterer!r}"
        )

    def best(self, X: np.ndarray, labels: np.ndarray) -> tuple[Labelling, str, float]:
        """The way to cluster, and the scale, that reproduces the labels best; its adjusted Rand index.

        The returned function gives codes from 0, and -1 for noise; it raises ``ValueError`` unless there is
        one label per row and at least two clusters.
        """
        found = {
            scale: float(adjusted_rand_score(labels, _codes(way(X), len(X))))
            for scale, way in self.ways.items()
        }
        scale = max(found, key=lambda one: found[one])  # the first of equals
        way = self.ways[scale]
        return lambda rows: _codes(way(rows), len(rows)), scale, found[scale]


def _seeded(clusterer: Any, seed: int) -> Any:
    """An unfitted copy that gives the same labels again, also as a step of a pipeline."""
    copy = clone(clusterer)
    free = [name for name, value in copy.get_params().items()
            if name.rpartition("__")[2] == "random_state" and value is None]  # fmt: skip
    return copy.set_params(**dict.fromkeys(free, seed))


def _both_scales(label: Labelling) -> dict[str, Labelling]:
    return {AS_GIVEN: label, STANDARDIZED: lambda X: label(standardize(X))}


def _codes(labels: Any, n_samples: int) -> np.ndarray:
    """Labels as codes from 0; noise stays -1."""
    labels = np.asarray(labels)
    if labels.shape != (n_samples,):
        raise ValueError(f"it gave labels of shape {labels.shape} for {n_samples} rows")
    noise = labels == NOISE
    codes = np.full(n_samples, NOISE)
    names, codes[~noise] = np.unique(labels[~noise], return_inverse=True)
    if len(names) < 2:
        raise ValueError(f"it found {len(names)} cluster{'' if len(names) == 1 else 's'}")
    return codes


def leiden(X: np.ndarray) -> np.ndarray:
    """Leiden communities (modularity, resolution 1) of the 15-nearest-neighbour graph.

    References
    ----------
    Traag, Waltman, van Eck (2019), From Louvain to Leiden. doi:10.1038/s41598-019-41695-z
    """
    igraph = _igraph()
    pairs = kneighbors_graph(X, min(N_NEIGHBORS, len(X) - 1)).tocoo()
    graph = igraph.Graph(n=len(X), edges=np.column_stack([pairs.row, pairs.col]).tolist()).simplify()
    return np.array(graph.community_leiden("modularity", n_iterations=2).membership)


def _igraph() -> Any:
    try:
        import igraph
    except ImportError:
        raise DataError("validate='leiden' needs igraph: pip install igraph") from None
    return igraph
