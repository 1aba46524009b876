"""Methods that return or raise what no method should; each must cost its own unit only, or work after all."""

import os
import signal
import sys
import time
import warnings

import numpy as np

from xcompare.methods import Scores

HALF = "half a pair \ud800"


class OwnError(BaseException):
    pass


class MuteError(Exception):
    def __str__(self):
        raise RuntimeError("no words")


class Mute:
    def __repr__(self):
        raise RuntimeError("no words")


def scores(X):
    return np.arange(X.shape[1]) + 1.0


def exits(X, *args, **options):
    sys.exit(3)


def interrupts(X, *args, **options):
    raise KeyboardInterrupt


def raises_its_own(X, *args, **options):
    raise OwnError("mine")


def raises_mute(X, *args, **options):
    raise MuteError


def raises_half(X, *args, **options):
    raise ValueError(HALF)


def returns_nothing(X, *args, **options):
    return None


def returns_mute(X, *args, **options):
    return Mute()


def returns_text(X, *args, **options):
    return Scores(np.array(["high"] * X.shape[1]), "fake 1")


def returns_too_few(X, *args, **options):
    return scores(X)[1:]


def returns_no_scores(X, *args, **options):
    return Scores(np.empty(0), "fake 1")


def returns_labels_with_gaps(X, *args, **options):
    return Scores(scores(X), "fake 1", np.full(len(X), np.nan))


def returns_an_array(X, *args, **options):
    return scores(X)


def returns_a_list(X, *args, **options):
    return scores(X).tolist()


def returns_text_labels(X, *args, **options):
    return Scores(scores(X), "fake 1", np.array(["one", "two"] * (len(X) // 2)))


def returns_odd_words(X, *args, **options):
    warnings.warn(HALF, stacklevel=1)
    return Scores(scores(X), ("fake", 1), warnings=(HALF, 3), output=HALF)


def changes_the_data(X, *args, **options):
    X.flags.writeable = True
    X[:] = 0


def forks(X, *args, **options):
    os.fork()
    return scores(X)


def forgets_numpy(X, *args, **options):
    for name in [name for name in sys.modules if name.partition(".")[0] == "numpy"]:
        del sys.modules[name]
    return scores(X)


def varies_at_times(X, *args, random_state, **options):
    """Has a variant in some of its runs."""
    return Scores(scores(X), "fake 1", variants={"other": scores(X)[::-1]} if random_state % 2 else {})


def asked_to_stop(X, *args, **options):
    """As on Ctrl-C."""
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)


def asked_to_end(X, *args, **options):
    """As when a service is stopped, by a program that handles it."""
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)
