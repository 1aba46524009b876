"""Methods that misbehave, in a module of their own: worker processes import it by name."""

import inspect
import os
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np

from xcompare.methods import Method, Scores

FOLDER = "XCOMPARE_TEST_FOLDER"  # where the fakes leave traces of what they did


def _scores(X, seed):
    return Scores(np.random.default_rng(seed).uniform(size=X.shape[1]), "fake 1.0")


def fine(X, n_clusters, *, random_state, engine):
    return _scores(X, random_state)


def _around(X, seed, spread):
    """1, and a half with noise, which dividing by the largest leaves as they are."""
    half = 0.5 + spread * np.random.default_rng(seed).uniform(-1, 1, size=X.shape[1] - 1)
    return Scores(np.array([1.0, *half]), "fake 1.0")


def noisy(X, n_clusters, *, random_state, engine):
    return _around(X, random_state, 0.4)


def in_between(X, n_clusters, *, random_state, engine):
    return _around(X, random_state, 0.1)


def quiet(X, n_clusters, *, random_state, engine):
    return _around(X, random_state, 0.01)


def fails(X, n_clusters, *, random_state, engine):
    raise RuntimeError("this method never works")


def fails_at_times(X, n_clusters, *, random_state, engine, folder):
    if Path(folder, "mended").exists() or random_state % 2:
        return _scores(X, random_state)
    raise ValueError("not today")


def not_finite(X, n_clusters, *, random_state, engine):
    return Scores(np.full(X.shape[1], np.nan), "fake 1.0")


def dies(X, n_clusters, *, random_state, engine):
    os.kill(os.getpid(), 9)


def kills_the_pool(X, n_clusters, *, random_state, engine):
    """Takes a process of the pool down, from within it or from the process of its own that it was given."""
    alone = sys.modules["__main__"].__spec__.name == "xcompare.core.worker"
    os.kill(os.getppid() if alone else os.getpid(), 9)
    time.sleep(60)


def hangs(X, n_clusters, *, random_state, engine):
    time.sleep(600)


def warns(X, n_clusters, *, random_state, engine):
    warnings.warn("mind the gap", stacklevel=1)
    return _scores(X, random_state)


def constant(X, n_clusters, *, random_state, engine):
    return Scores(np.full(X.shape[1], -0.25), "fake 1.0")


def slow(X, n_clusters, *, random_state, engine, folder):
    """Takes a moment, and leaves a file with its seed and parent process at its start, and one when done.

    It does not go on while a file ``hold`` is there.
    """
    Path(folder, f"start-{random_state}-{os.getppid()}").touch()
    time.sleep(0.25)
    while Path(folder, "hold").exists():
        time.sleep(0.01)
    Path(folder, f"done-{random_state}").touch()
    return _scores(X, random_state)


def threads(X, n_clusters, *, random_state, engine):
    """Threads that BLAS and OpenMP may use here."""
    from threadpoolctl import threadpool_info

    return Scores(np.full(X.shape[1], float(max(pool["num_threads"] for pool in threadpool_info()))), "fake")


class NeverSent:
    """A method that never gets to another process: it takes too long to pickle."""

    __name__ = "never_sent"

    def __call__(self, X, n_clusters, *, random_state, engine):
        return _scores(X, random_state)

    def __reduce__(self):
        time.sleep(600)
        return NeverSent, ()


never_sent = NeverSent()


def fake(run, **fields):
    """A registry row for one of the functions above."""
    wants_folder = "folder" in inspect.signature(run).parameters
    defaults = {
        "name": run.__name__,
        "title": run.__name__.title(),
        # Bound here: worker processes may be older than the variable.
        "run": partial(run, folder=os.environ[FOLDER]) if wants_folder else run,
        "larger_is_better": True,
        "normalization": "max",
        "reference": "none",
        "engines": ("python",),
    }
    return Method(**{**defaults, **fields})
