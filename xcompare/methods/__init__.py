"""The importance methods, in native Python, through R, or both, and their registry.

To add a method: one file here with its function and its `Method` row, one file in ``r_scripts``, one line in
the registry below, and tests.
"""

from collections.abc import Mapping
from difflib import get_close_matches

from xcompare.core.errors import UnknownNameError
from xcompare.methods.bagging import BASIC, BBC, EFRON
from xcompare.methods.base import CONTROL, ENGINES, Engine, Method, Scores
from xcompare.methods.filters.dip import DIP, dip
from xcompare.methods.filters.hinov import HINOV, hinov
from xcompare.methods.filters.random_scores import RANDOM, random_scores
from xcompare.methods.filters.variance import VARIANCE, variance
from xcompare.methods.forest.urf import URF_GINI, URF_PERM, urf
from xcompare.methods.graph.laplacian_score import LS, laplacian_score
from xcompare.methods.graph.mcfs import MCFS, mcfs
from xcompare.methods.graph.spec import SPEC, spec
from xcompare.methods.kmeans_baselines import (
    MI_KMEANS,
    PERM_KMEANS,
    VARIANCE_RATIO,
    mi_kmeans,
    perm_kmeans,
    variance_ratio,
)
from xcompare.methods.kmeans_explained.lrp import LRP, lrp
from xcompare.methods.kmeans_explained.pbfi import PBFI, pbfi
from xcompare.methods.measures import MEASURES
from xcompare.methods.minipatches.impacc import IMPACC, impacc
from xcompare.methods.minipatches.loco import LOCO, RAMPART, cluster_loco, rampart
from xcompare.methods.mixture.clustvarsel import CLUSTVARSEL, clustvarsel
from xcompare.methods.refined import REFINED
from xcompare.methods.trees.cubt import CUBT, cubt
from xcompare.methods.weighted_kmeans.fgkm import FGKM, fgkm
from xcompare.methods.weighted_kmeans.sparse_kmeans import SPARSE_KMEANS, sparse_kmeans
from xcompare.methods.weighted_kmeans.twkm import TWKM, twkm

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

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        BASIC,
        EFRON,
        BBC,
        REFINED,
        URF_GINI,
        URF_PERM,
        CUBT,
        TWKM,
        FGKM,
        LS,
        MI_KMEANS,
        PERM_KMEANS,
        SPARSE_KMEANS,
        DIP,
        HINOV,
        MCFS,
        SPEC,
        CLUSTVARSEL,
        VARIANCE_RATIO,
        PBFI,
        LRP,
        LOCO,
        RAMPART,
        IMPACC,
        VARIANCE,
        RANDOM,
    )
}


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
        raise UnknownNameError(f"no {'measure' if registry is MEASURES else 'method'} named {name!r}; {hint}")
    return registry[name]
