"""Comparisons in a process of their own, for tests that kill it, or repeat it for long.

python -m tests.harness.endurance run STORE ENGINE TIMEOUT     a comparison of 24 units in two processes
python -m tests.harness.endurance repeat N ENGINE              N comparisons, and what they leave behind
"""

import gc
import json
import os
import sys
import tempfile

import numpy as np
import psutil

import xcompare
from tests import fakes
from xcompare.methods import METHODS

X = np.random.default_rng(0).normal(size=(30, 3))
METHODS_RUN = {"python": "slow, cubt", "r": "basic"}
REPEATED = "ls, mi_kmeans, twkm"


def run(store, engine, timeout=None, **settings):
    METHODS["slow"] = fakes.fake(fakes.slow)
    return xcompare.compare(
        X,
        2,
        methods=METHODS_RUN[engine],
        engine=engine,
        n_runs=24,
        n_jobs=2,
        store=store,
        timeout=timeout,
        options={"basic": {"n_replicas": 20}},
        **{"progress": False, **settings},
    )


def repeat(n, engine):
    """What this process holds after the first fifth of the comparisons, at least 6, and after all."""
    held = []
    for at in range(n):
        xcompare.compare(
            X, 2, methods=REPEATED, engine=engine, n_runs=2, n_jobs=1 + at % 2, random_state=at,
            timeout=60 if at % 3 else None, progress=False, y_true=np.arange(30) % 2,
        )  # fmt: skip
        if at + 1 in (max(6, n // 5), n):
            held.append(holds())
    return held


def holds():
    gc.collect()
    own = psutil.Process()
    return {
        "megabytes": own.memory_info().rss / 1e6,
        "descriptors": own.num_fds(),
        "children": len(own.children(recursive=True)),
        "threads": own.num_threads(),
        "folders": sum(len(folders) for _, folders, _ in os.walk(tempfile.gettempdir())),
    }


if __name__ == "__main__":
    what, first, engine, *rest = sys.argv[1:]
    if what == "run":
        run(first, engine, *(float(seconds) for seconds in rest))
    else:
        print(json.dumps(repeat(int(first), engine)))
