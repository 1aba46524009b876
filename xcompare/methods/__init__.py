"""The importance methods, in native Python, through R, or both, and their registry.

To add a method: one file here with its function and its `Method` row, one file in ``r_scripts``, one line in
the registry below, and tests.
"""

from collections import UserDict
from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from xcompare.core.errors import UnknownNameError
from xcompare.methods.base import CONTROL, ENGINES, Engine, Method, Scores

__all__ = [
    "CONTROL",
    "ENGINES",
    "MEASURES",
    "METHODS",
    "Engine",
    "Method",
    "Scores",
    "cluster_loco",
    "clustvarsel",
    "cubt",
    "dip",
    "fgkm",
    "get_method",
    "hinov",
    "impacc",
    "laplacian_score",
    "lrp",
    "mcfs",
    "mi_kmeans",
    "pbfi",
    "perm_kmeans",
    "rampart",
    "random_scores",
    "sparse_kmeans",
    "spec",
    "twkm",
    "urf",
    "variance",
    "variance_ratio",
]


class Registry(UserDict[str, Method]):
    """Methods by name. A text, ``module.ROW``, stands for a row that is imported when it is first used."""

    def __getitem__(self, name: str) -> Method:
        row: Any = self.data[name]
        if isinstance(row, str):
            module, _, constant = row.rpartition(".")
            row = self.data[name] = getattr(import_module(f"xcompare.methods.{module}"), constant)
        return row


_ROWS = {
    "basic": "bagging.BASIC",
    "efron": "bagging.EFRON",
    "bbc": "bagging.BBC",
    "refined": "refined.REFINED",
    "urf_gini": "forest.urf.URF_GINI",
    "urf_perm": "forest.urf.URF_PERM",
    "cubt": "trees.cubt.CUBT",
    "twkm": "weighted_kmeans.twkm.TWKM",
    "fgkm": "weighted_kmeans.fgkm.FGKM",
    "ls": "graph.laplacian_score.LS",
    "mi_kmeans": "kmeans_baselines.MI_KMEANS",
    "perm_kmeans": "kmeans_baselines.PERM_KMEANS",
    "sparse_kmeans": "weighted_kmeans.sparse_kmeans.SPARSE_KMEANS",
    "dip": "filters.dip.DIP",
    "hinov": "filters.hinov.HINOV",
    "mcfs": "graph.mcfs.MCFS",
    "spec": "graph.spec.SPEC",
    "clustvarsel": "mixture.clustvarsel.CLUSTVARSEL",
    "variance_ratio": "kmeans_baselines.VARIANCE_RATIO",
    "pbfi": "kmeans_explained.PBFI",
    "lrp": "kmeans_explained.LRP",
    "loco": "minipatches.loco.LOCO",
    "rampart": "minipatches.loco.RAMPART",
    "impacc": "minipatches.impacc.IMPACC",
    "variance": "filters.variance.VARIANCE",
    "random": "filters.random_scores.RANDOM",
}
METHODS = Registry()
METHODS.data.update(_ROWS)  # type: ignore[arg-type]

# Where the functions live, which load when first used, as the rows do: most have the name of their row.
_HOMES = {name: row.rpartition(".")[0] for name, row in _ROWS.items()} | {
    "cluster_loco": "minipatches.loco",
    "laplacian_score": "graph.laplacian_score",
    "random_scores": "filters.random_scores",
    "urf": "forest.urf",
    "MEASURES": "measures",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'xcompare.methods' has no attribute {name!r}")
    return getattr(import_module(f"xcompare.methods.{_HOMES[name]}"), name)


def get_method(name: str, registry: Mapping[str, Method] = METHODS) -> Method:
    """The registry row of a method, or of a measure with ``registry=MEASURES``.

    Raises
    ------
    UnknownNameError
        The message suggests the most similar name.

    Examples
    --------
    >>> get_method("ls").larger_is_better
    False
    """
    if name not in registry:
        near = get_close_matches(name, registry, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(registry)}"
        raise UnknownNameError(f"no {'method' if registry is METHODS else 'measure'} named {name!r}; {hint}")
    return registry[name]
