"""Compiled loops are there where numba is, and can be turned off."""

import os
import subprocess
import sys

import numpy as np
import pytest

from xcompare.core import compilation
from xcompare.core.compilation import can_compile, compiled


@compiled
def total(values):
    """Sum, in order."""
    found = 0.0
    for i in range(values.size):
        found += values[i]
    return found


@compiled
def scaled_total(values, factor):
    """Calls a function inside it."""

    def scaled(value):
        return factor * value

    found = 0.0
    for i in range(values.size):
        found += scaled(values[i])
    return found


def test_turned_off_by_the_environment(monkeypatch):
    monkeypatch.setattr(compilation, "_numba_is_installed", lambda: True)
    monkeypatch.delenv("XCOMPARE_COMPILED", raising=False)
    assert can_compile()
    monkeypatch.setenv("XCOMPARE_COMPILED", "1")
    assert can_compile()
    monkeypatch.setenv("XCOMPARE_COMPILED", "0")
    assert not can_compile()


def test_off_without_numba(monkeypatch):
    monkeypatch.setattr(compilation, "_numba_is_installed", lambda: False)
    assert not can_compile()


def test_a_loop_adds_in_the_order_it_is_written():
    pytest.importorskip("numba")
    values = np.random.default_rng(0).normal(size=1001)
    assert total(values) == np.cumsum(values)[-1]
    assert total.__doc__ == "Sum, in order."


def test_a_loop_runs_where_nothing_can_be_kept(tmp_path):
    """Source from a string has no file to keep machine code beside."""
    pytest.importorskip("numba")
    scope: dict = {}
    exec("def double(x):\n    return 2 * x\n", scope)
    assert compiled(scope["double"])(21) == 42


def test_a_loop_calls_a_function_inside_it():
    pytest.importorskip("numba")
    values = np.random.default_rng(1).normal(size=1001)
    assert scaled_total(values, 3.0) == np.cumsum(3.0 * values)[-1]


@pytest.mark.slow
def test_numba_is_imported_by_methods_that_use_it_only():
    code = (
        "import sys, numpy, xcompare; X = numpy.random.default_rng(0).normal(size=(60, 4));"
        " xcompare.BaggedClustering(2, n_replicas=5).fit(X); print('numba' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout.strip() == "False"
