"""A small comparison that several tests look at."""

import pytest

import xcompare


@pytest.fixture(scope="session")
def iris_store(tmp_path_factory):
    return tmp_path_factory.mktemp("iris") / "run.sqlite"


@pytest.fixture(scope="session")
def iris_compared(iris_store):
    """Iris by three methods; what it found is in the store, too."""
    return xcompare.compare(
        xcompare.load_dataset("iris"), methods="efron,cubt,ls", n_runs=2, n_jobs=1,
        options={"n_replicas": 20}, store=iris_store, progress=False,
    )  # fmt: skip
