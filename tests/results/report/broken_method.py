"""A method that fails, in a module that worker processes can import."""

from xcompare.methods import Method


def _fail(X, n_clusters, *, random_state, engine):
    raise RuntimeError("it <never> works")


broken = Method("broken", "Broken", _fail, True, "max", "none", engines=("python",))
