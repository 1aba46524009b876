"""A table with a cluster for each row, and its contrasts: which cluster is compared with which."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from xcompare.core.errors import DataError, UnknownNameError
from xcompare.core.features import Feature
from xcompare.core.names import label_text, listed
from xcompare.core.standardization import Standardization

MOST_CLUSTERS = 12  # for all pairs
REST = "rest"


@dataclass(frozen=True)
class Contrast:
    """A cluster and what it is compared with, as codes."""

    cluster: int
    reference: tuple[int, ...]  # one or several other clusters, taken together
    against: str  # name of the reference: "rest", or the names of its clusters

    @classmethod
    def of(cls, cluster: int, reference: Sequence[int], clusters: Sequence[str]) -> "Contrast":
        """A cluster against others, with their names."""
        return cls(cluster, tuple(reference), ", ".join(clusters[code] for code in reference))


@dataclass(frozen=True, eq=False)
class ClusteredTable:
    """A table and the cluster of each of its rows."""

    # (n_samples, n_features): in the units of the data; codes of levels for a feature that is not numeric;
    # NaN for missing values
    X: np.ndarray
    features: tuple[Feature, ...]
    codes: np.ndarray  # (n_samples,): clusters ``0..K-1``, each used
    clusters: tuple[str, ...]  # name of each code

    @property
    def sizes(self) -> np.ndarray:
        """Number of rows of each cluster."""
        return np.bincount(self.codes, minlength=len(self.clusters))

    def means(self, x: np.ndarray) -> np.ndarray:
        """Mean of each cluster of a column; NaN for a cluster without values."""
        present = ~np.isnan(x)
        return cluster_means(x[present], self.codes[present], len(self.clusters))

    def column(self, name: str) -> tuple[Feature, np.ndarray]:
        """A feature and its values, by name."""
        names = [feature.name for feature in self.features]
        if name not in names:
            raise UnknownNameError(f"features must be among {listed(names)}; got {name!r}")
        return self.features[names.index(name)], self.X[:, names.index(name)]

    def select(self, features: Iterable[int]) -> "ClusteredTable":
        """The table with these columns only, by number."""
        some = list(features)
        return replace(self, X=self.X[:, some], features=tuple(self.features[j] for j in some))

    def profiled(self, features: Iterable[str]) -> list[str]:
        """The columns of these features, then those that only describe the clusters."""
        names: dict[str, list[str]] = {}
        for one in self.features:
            names.setdefault("" if one.described else one.group or one.name, []).append(one.name)
        return [column for feature in (*features, "") for column in names.get(feature, [])]

    def against_rest(self) -> tuple[Contrast, ...]:
        """Each cluster against all others together."""
        every = range(len(self.clusters))
        return tuple(Contrast(k, tuple(j for j in every if j != k), REST) for k in every)


def contrasts_with(reference: Any, clusters: Sequence[str]) -> tuple[Contrast, ...]:
    """The contrasts that ``reference`` adds to those of each cluster against the rest.

    ``reference``: "rest": none. "each": every pair of clusters. Otherwise every other cluster against this
    one, or against these together.

    Examples
    --------
    >>> [(one.cluster, one.against) for one in contrasts_with("b", ["a", "b", "c"])]
    [(0, 'b'), (2, 'b')]
    >>> [(one.cluster, one.against) for one in contrasts_with("each", ["a", "b", "c"])]
    [(0, 'b'), (0, 'c'), (1, 'c')]
    """
    known = list(clusters)
    if isinstance(reference, str) and reference in ("rest", "each") and reference not in known:
        if reference == "rest":
            return ()
        if len(known) > MOST_CLUSTERS:
            raise DataError(
                f"reference='each' compares at most {MOST_CLUSTERS} clusters in pairs; got {len(known)}:"
                " name one cluster to compare the others with"
            )
        return tuple(Contrast.of(a, (b,), known) for a, b in combinations(range(len(known)), 2))
    several = not isinstance(reference, str) and isinstance(reference, Iterable)
    names = [label_text(name) for name in (sorted(reference, key=str) if several else [reference])]
    for name in names:
        if name not in known:
            raise UnknownNameError(
                f"reference must be rest, each, or among the clusters {', '.join(known)}; got {name!r}"
            )
    codes = tuple(sorted({known.index(name) for name in names}))
    others = [code for code in range(len(known)) if code not in codes]
    if not codes or not others:
        raise DataError("reference must name at least one cluster and leave at least one to compare with it")
    return tuple(Contrast.of(code, codes, known) for code in others)


def numbered(n_clusters: int) -> list[str]:
    """Names of the clusters of a consensus: "1", the largest, "2", ..."""
    return [str(number) for number in range(1, n_clusters + 1)]


def renamed(clusters: Sequence[str], names: Mapping[Any, str]) -> tuple[str, ...]:
    """The names of the clusters, with those of ``names`` replaced.

    Examples
    --------
    >>> renamed(["0", "1"], {0: "Loyal"})
    ('Loyal', '1')
    """
    given = {label_text(old): str(new) for old, new in names.items()}
    for old in given:
        if old not in clusters:
            raise UnknownNameError(f"names must be among the clusters {', '.join(clusters)}; got {old!r}")
    new = tuple(given.get(name, name) for name in clusters)
    if len(set(new)) < len(new):
        raise DataError(f"names must differ between clusters; got {', '.join(new)}")
    return new


def deviations(table: ClusteredTable) -> pd.DataFrame:
    """Deviation of each cluster from the mean of all rows, in standard deviations: features by clusters.

    Values far from the bulk of a feature are brought nearer first, as in `compare`. A nominal feature has a
    line for each of its levels, a binary one for its second: the deviation of its share.

    Examples
    --------
    >>> X = np.array([[1.0, 0], [1.0, 1], [3.0, 1], [3.0, 1]])
    >>> features = (Feature("size"), Feature("color", "nominal", ("red", "blue")))
    >>> table = ClusteredTable(X, features, np.array([0, 0, 1, 1]), ("a", "b"))
    >>> deviations(table).round(2)
                    a     b
    size        -0.87  0.87
    color: red   0.50 -0.50
    color: blue -0.50  0.50
    """
    lines: dict[str, np.ndarray] = {}
    for feature, x in zip(table.features, table.X.T, strict=True):
        present = ~np.isnan(x)
        values, codes = x[present], table.codes[present]
        if feature.kind == "nominal":
            columns = {
                f"{feature.title}: {level}": (values == code).astype(float)
                for code, level in enumerate(feature.levels)
            }
        elif feature.kind == "binary" and feature.levels:
            columns = {f"{feature.title}: {feature.levels[1]}": values}
        else:
            columns = {feature.title: values}
        for name, one in columns.items():
            lines[name] = _mean_deviation(one, codes, len(table.clusters))
    return pd.DataFrame.from_dict(lines, orient="index", columns=list(table.clusters))


def _mean_deviation(values: np.ndarray, codes: np.ndarray, n_clusters: int) -> np.ndarray:
    """Mean of each cluster of the standardised values; NaN for a cluster without any."""
    if not len(values):
        return np.full(n_clusters, np.nan)
    column = values[:, None]
    z = Standardization.of(column).apply(column)[:, 0]
    return cluster_means(z, codes, n_clusters)


def cluster_means(values: np.ndarray, codes: np.ndarray, n_clusters: int) -> np.ndarray:
    """Mean of each cluster; NaN for a cluster without any row."""
    sizes = np.bincount(codes, minlength=n_clusters)
    sums = np.bincount(codes, values, minlength=n_clusters)
    return np.divide(sums, sizes, out=np.full(n_clusters, np.nan), where=sizes > 0)
