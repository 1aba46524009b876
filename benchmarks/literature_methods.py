"""Literature methods against their R counterparts: same data and settings, processor time.

R is timed inside R, without the bridge. If Rdimtools or wskm is not installed, the peer is our reference
implementation in R, which is faster than Rdimtools.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import Row
from xcompare import load_dataset, rbridge
from xcompare.core.compilation import SWITCH, can_compile
from xcompare.core.standardization import standardize
from xcompare.methods import METHODS, cubt, fgkm, laplacian_score, twkm, urf

TITLE = "Literature methods beside R"
SCRIPT = Path(__file__).parent / "processor_time.R"
N_TREES = 500
LARGE = {
    "100 x 3,000": (100, 3_000),
    "60,000 x 8": (60_000, 8),
}  # shapes on which a run should take at most 10 s


def blobs(n_samples: int, n_features: int = 20, n_clusters: int = 5) -> np.ndarray:
    """Standardised data; 40% of the features are informative."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n_samples, n_features))
    informative = int(0.4 * n_features)
    X[:, :informative] += (
        2 * random.normal(size=(n_clusters, informative))[random.integers(0, n_clusters, n_samples)]
    )
    return standardize(X)


def clocked(call: Callable[[], object]) -> float:
    """Processor seconds of a call."""
    began = time.process_time()
    call()
    return time.process_time() - began


def without_numba(call: Callable[[], object]) -> float:
    """Processor seconds of a call without compiled loops."""
    os.environ[SWITCH] = "0"
    try:
        return clocked(call)
    finally:
        del os.environ[SWITCH]


def in_r(function: str, arguments: dict[str, Any]) -> float:
    """Processor seconds of an R function, measured inside R."""
    given = {"method": function, "arguments": arguments}
    return float(rbridge.call("processor_time", given, script=SCRIPT, seed=1).values["seconds"][0])


def in_r_by(package: str) -> str:
    """Implementation of the R engine: the package if installed, else our reference."""
    return package if rbridge.why_unavailable((package,)) is None else "r_scripts"


def beside(
    case: str,
    ours: Callable[[], object],
    peer: str,
    function: str,
    arguments: dict[str, Any],
    goal: float | None,
    *,
    packages: tuple[str, ...] = (),
    repeats: int = 5,
    compiles: bool = False,
) -> Row:
    """Time both alternately, so that other load affects both; the fastest of each counts.

    For compiled loops, the note gives the time without them.
    """
    reason = rbridge.why_unavailable(packages)
    python, plain, r = [], [], []
    for _ in range(repeats):
        python.append(clocked(ours))
        if compiles and can_compile():
            plain.append(without_numba(ours))
        if reason is None:
            r.append(in_r(function, arguments))
    note = reason or (f"{min(plain):.2g} s without numba" if plain else "")
    return Row(case, peer, min(python), min(r, default=None), goal, times_faster=True, note=note)


def forests(quick: bool) -> list[Row]:
    """URF against randomForest, which it follows, and ranger."""
    rows = []
    datasets = {"wine": load_dataset("wine").X, "breast": load_dataset("breast").X}
    if not quick:
        datasets["2,000 x 20"] = blobs(2_000)
    for name, X in datasets.items():
        permuted = np.random.default_rng(1).permuted(X, axis=0)
        for importance, protocol in [("gini", "oob"), ("permutation", "oob"), ("permutation", "paper")]:
            options = {"importance": importance, "n_trees": N_TREES, "permuted": permuted}

            def ours(X=X, protocol=protocol, options=options) -> object:
                return urf(X, protocol=protocol, random_state=0, **options)

            case = f"urf, {importance}, {protocol}, {name}"
            given = {"x": X, "mtry": 2, **options}
            repeats = 2 if name == "2,000 x 20" else 5
            packages = ("randomForest",)
            rows.append(
                beside(case, ours, "randomForest", "xc_urf", {**given, "protocol": protocol}, 3,
                       packages=packages, repeats=repeats, compiles=True)
            )  # fmt: skip
            if protocol == "oob":
                rows.append(
                    beside(case, ours, "ranger", "ranger_urf", given, None,
                           packages=("ranger",), repeats=repeats)
                )  # fmt: skip
    return rows


def graphs_and_trees() -> list[Row]:
    """LS for every kind of graph, and CUBT."""
    X = blobs(2_000, n_clusters=4)
    graphs: dict[str, tuple[str, float]] = {
        "all points": ("proportion", 1.0),
        "5 nearest": ("knn", 5),
        "nearest 10%": ("proportion", 0.1),
        "radius 5": ("radius", 5.0),
    }
    rows = []
    for name, graph in graphs.items():
        arguments = {"x": X, "type": graph[0], "amount": float(graph[1])}
        rows.append(
            beside(f"ls, {name}, 2,000 x 20", lambda graph=graph: laplacian_score(X, graph=graph),
                   in_r_by("Rdimtools"), "xc_laplacian_score", arguments, 10)
        )  # fmt: skip
    rows.append(
        beside("cubt, 2,000 x 20", lambda: cubt(X, 4), "r_scripts", "xc_cubt", {"x": X, "n_clusters": 4}, 5)
    )
    return rows


def weighted_kmeans(quick: bool) -> list[Row]:
    """FGKM and TWKM from the same initial centres."""
    rows = []
    for n_samples in (2_000,) if quick else (2_000, 20_000):
        X = blobs(n_samples)
        eta = n_samples / 10  # leaves more than one feature
        for method in (fgkm, twkm):
            arguments = {"x": X, "n_clusters": 5, "groups": np.ones(20), "eta": eta, "centers": X[:5]}
            rows.append(
                beside(f"{method.__name__}, {n_samples:,} x 20",
                       lambda method=method, X=X, eta=eta: method(X, 5, eta=eta, init=X[:5]),
                       in_r_by("wskm"), f"xc_{method.__name__}", arguments, 5)
            )  # fmt: skip
    return rows


def one_run_each() -> list[Row]:
    """A Python run of every method on wide and on long data: 10 s, or a warning in advance."""
    rows = []
    for name, shape in LARGE.items():
        X = blobs(*shape, n_clusters=3)
        for method in METHODS.values():
            if method.needs_labels or "python" not in method.engines:
                continue
            slow = method.why_slow("python", shape, 3, {})
            seconds, note = None, "said before it starts: " + slow
            if not slow:
                note = ""
                seconds = clocked(
                    lambda method=method, X=X: method.run(X, 3, random_state=0, engine="python")
                )
            rows.append(Row(f"{method.name}, {name}", "none: 10 s is the aim", seconds, None, note=note))
    return rows


def run(quick: bool) -> list[Row]:
    """Every method against its counterpart; without the large data if quick."""
    with threadpool_limits(1):
        rows = [*forests(quick), *graphs_and_trees(), *weighted_kmeans(quick)]
        rbridge.shutdown()
        return rows if quick else rows + one_run_each()
