"""What all tests share: small data, fake methods, how properties are tried, and what is done without R."""

import os
import signal
import sys
from importlib import import_module
from pkgutil import walk_packages

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

import xcompare
from tests.browser import Browser, why_missing
from tests.fakes import FOLDER, fake
from xcompare import rbridge
from xcompare.methods import METHODS

# Properties are tried on the same examples on every run and every machine; `make fuzz` looks for new ones,
# and keeps those that fail in .hypothesis until they pass. What it finds is pinned with @example.
ALWAYS = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}  # a busy machine is no failure
settings.register_profile("same-every-time", max_examples=25, derandomize=True, database=None, **ALWAYS)
settings.register_profile("fuzz", max_examples=2000, **ALWAYS)
settings.load_profile("same-every-time")
# hypothesis tries the constants of the modules imported so far: all of them, whichever test comes first.
for module in walk_packages(xcompare.__path__, "xcompare."):
    if not module.name.endswith("__main__"):
        import_module(module.name)

# Tests run in as many processes as there are cores: a thread per core in each would wait for the others.
threadpool_limits(1)

# What a script starts in its background, or under nohup, ignores some signals, and so do its children: tests
# that send them would wait for nothing.
signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, signal.SIG_DFL)


def pytest_runtest_setup(item: pytest.Item) -> None:
    markers = list(item.iter_markers("r"))
    if not markers:
        return
    reason = rbridge.why_unavailable([package for marker in markers for package in marker.args])
    if reason is None:
        return
    if os.environ.get("XCOMPARE_REQUIRE_R") == "1":
        pytest.fail(f"XCOMPARE_REQUIRE_R=1, but {reason}", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(autouse=True)
def _figures_closed():
    """Plots that a test was shown are its own: the next one finds none open."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def X():
    """Two clusters in the first two of four features."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    X[:30, :2] += 6
    return X


@pytest.fixture
def register(monkeypatch):
    """Put fake methods into the registry."""

    def register(*runs, **fields):
        for run in runs:
            row = fake(run, **fields)
            monkeypatch.setitem(METHODS, row.name, row)

    return register


@pytest.fixture
def traces(tmp_path, monkeypatch):
    """Folder where fakes registered from here on leave their traces."""
    folder = tmp_path / "traces"
    folder.mkdir()
    monkeypatch.setenv(FOLDER, str(folder))
    return folder


@pytest.fixture
def cluster():
    """A scheduler and three worker processes."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    ) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def window(tmp_path_factory):
    """The browser; tests that need it skip without, unless XCOMPARE_REQUIRE_BROWSER=1."""
    reason = why_missing()
    if reason is not None:
        if os.environ.get("XCOMPARE_REQUIRE_BROWSER") == "1":
            pytest.fail(f"XCOMPARE_REQUIRE_BROWSER=1, but {reason}", pytrace=False)
        pytest.skip(reason)
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.quit()
