"""Compiled loops are there where numba is, and can be turned off."""

import os
import subprocess
import sys

import numpy as np
import pytest

from xcompare import compiled as module
from xcompare.compiled import can_compile, compiled


@compiled
def total(values):
    """Sum, in order."""
    found = 0.0
    for i in range(values.size):
        found += values[i]
    return found


def test_turned_off_by_the_environment(monkeypatch):
    monkeypatch.setattr(module, "_numba_is_installed", lambda: True)
    monkeypatch.delenv("XCOMPARE_COMPILED", raising=False)
    assert can_compile()
    monkeypatch.setenv("XCOMPARE_COMPILED", "1")
    assert can_compile()
    monkeypatch.setenv("XCOMPARE_COMPILED", "0")
    assert not can_compile()


def test_off_without_numba(monkeypatch):
    monkeypatch.setattr(module, "_numba_is_installed", lambda: False)
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


@pytest.mark.slow
def test_numba_is_not_imported_before_it_is_used():
    code = "import sys, xcompare, xcompare.bagging, xcompare.compiled; print('numba' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout.strip() == "False"
