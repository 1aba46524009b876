"""Results are kept by what computed them: xcompare, R or the user's own code, each in its version."""

import importlib
import sys
from functools import partial

import pytest

import xcompare
from xcompare import rbridge
from xcompare.harness import versions
from xcompare.harness.plan import plan_rows
from xcompare.harness.versions import computed_by
from xcompare.methods import METHODS, Method, get_method
from xcompare.version import __version__

SOURCE = """
import numpy as np
from xcompare.methods import Scores

FACTOR = {factor}

def helper(X):
    return np.abs(X).mean(axis=0) * FACTOR

def mine(X, n_clusters, *, random_state, engine):
    return Scores(helper(X), "mine 1")
"""


def own(run, **fields):
    defaults = {
        "name": "mine", "title": "Mine", "run": run, "larger_is_better": True, "normalization": "none",
        "reference": "none", "family": "own", "engines": ("python",),
    }  # fmt: skip
    return Method(**defaults | fields)


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write the user's module, load it anew and register its method."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(factor):
        (tmp_path / "users_own.py").write_text(SOURCE.format(factor=factor))
        sys.modules.pop("users_own", None)
        importlib.invalidate_caches()
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        method = own(importlib.import_module("users_own").mine)
        monkeypatch.setitem(METHODS, "mine", method)
        return method

    yield write
    sys.modules.pop("users_own", None)


def test_native_methods_are_computed_by_xcompare():
    for name in ("basic", "ls", "urf_perm", "perm_kmeans"):
        assert computed_by(get_method(name), "python", {}) == f"xcompare {__version__}"


def test_r_methods_are_computed_by_r_and_its_packages(monkeypatch):
    status = rbridge.RStatus
    found = {"wskm": "1.4.40"}
    monkeypatch.setattr(
        versions.rbridge,
        "status",
        lambda names=(): status(
            ok=True,
            reason=None,
            r_version="4.2.2",
            rpy2_version="3.6.5",
            packages={name: found.get(name) for name in names},
        ),
    )
    assert computed_by(get_method("fgkm"), "r", {}) == f"xcompare {__version__}, R 4.2.2, wskm 1.4.40"
    assert computed_by(get_method("cubt"), "r", {}) == f"xcompare {__version__}, R 4.2.2"
    found["wskm"] = "1.4.41"
    assert computed_by(get_method("fgkm"), "r", {}).endswith("wskm 1.4.41")


def test_a_package_that_an_option_asks_for_counts_where_it_does(monkeypatch):
    def status(names=()):
        return rbridge.RStatus(True, None, "4.2.2", "3.6.5", dict.fromkeys(names, "1.0"))

    monkeypatch.setattr(versions.rbridge, "status", status)
    (plain,) = plan_rows("urf_gini", "r", 1, {})
    (other,) = plan_rows("urf_gini", "r", 1, {"r_package": "ranger"})
    assert plain.version.endswith("R 4.2.2, randomForest 1.0")
    assert other.version.endswith("R 4.2.2, randomForest 1.0, ranger 1.0")


def test_an_upgrade_changes_every_key(monkeypatch):
    before = plan_rows("ls", "python", 1, {})
    monkeypatch.setattr(versions, "OWN", "xcompare 99")
    assert plan_rows("ls", "python", 1, {}) != before


def test_an_upgrade_never_mixes_and_is_noted(X, tmp_path, monkeypatch):
    store = tmp_path / "run.sqlite"
    settings = {"methods": "ls", "n_jobs": 1, "store": store}
    xcompare.compare(X, 2, **settings)
    monkeypatch.setattr(versions, "OWN", "xcompare 99")
    heard = []
    note = rf"ls \(python\) is computed again: .* runs of xcompare {__version__}, here it is xcompare 99"
    with pytest.warns(UserWarning, match=note):
        xcompare.compare(X, 2, progress=heard.append, **settings)
    assert len(heard) == 1
    assert xcompare.list_runs(store).done.tolist() == [1, 1]  # the old one can still be read
    monkeypatch.undo()
    xcompare.compare(X, 2, progress=heard.append, **settings)
    assert len(heard) == 1


def test_changed_code_of_the_users_own_is_computed_again(X, tmp_path, write, recwarn):
    store = tmp_path / "run.sqlite"

    def compare():
        return xcompare.compare(X, 2, methods="mine", n_runs=1, n_jobs=1, store=store).raw["raw"]

    write(1.0)
    first = compare()
    write(1.0)
    assert compare().equals(first)
    assert not recwarn.list
    write(2.0)  # a line outside the function
    with pytest.warns(
        UserWarning, match=r"mine \(python\) is computed again: the store holds runs of source"
    ):
        assert compare().tolist() == (2 * first).tolist()


def made(text):
    names = {}
    exec(text, names)
    return names["f"]


def test_functions_without_source_text_are_told_apart():
    texts = [f"def f(X, *a, **k):\n    return X.mean(axis=0) * {n}" for n in (1, 1, 2)]
    methods = [own(made(text)) for text in texts]
    versions = [computed_by(method, "python", {}) for method in methods]
    assert versions == [computed_by(method, "python", {}) for method in methods]
    assert len(set(versions)) == 3
    assert versions[0].startswith("source ")


def test_values_bound_to_a_function_count():
    function = made("def f(X, n): return n")
    one, other, same = (computed_by(own(partial(function, n=n)), "python", {}) for n in (1, 2, 1))
    assert one == same != other
