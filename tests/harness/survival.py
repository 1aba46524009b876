"""A comparison in a process of its own, for tests that kill it.

python -m tests.harness.survival STORE N_JOBS N_RUNS [METHODS]
"""

import sys

import numpy as np

import xcompare
from tests import fakes
from xcompare.methods import METHODS

X = np.random.default_rng(0).normal(size=(30, 3))


def run(store, n_jobs, n_runs, methods="slow, cubt"):
    for method in (fakes.slow, fakes.fine, fakes.never_sent):
        METHODS[method.__name__] = fakes.fake(method)
    return xcompare.compare(
        X,
        2,
        methods=methods,
        n_runs=n_runs,
        n_jobs=n_jobs,
        store=store,
        y_true=np.arange(30) % 2,
        progress=False,
    )


if __name__ == "__main__":
    path, n_jobs, n_runs, *methods = sys.argv[1:]
    run(path, int(n_jobs), n_runs if n_runs == "auto" else int(n_runs), *methods)
