"""The memory of a run: what it takes at its largest, where the system says."""

import subprocess
import sys

import pytest

from xcompare.harness import memory
from xcompare.harness.memory import watch_memory


@pytest.mark.skipif(watch_memory()() is None, reason="the system does not say")
def test_the_peak_counts_also_when_it_is_over():
    # In a process of its own: one that has freed much memory before reuses it, which does not count.
    code = """
import numpy as np
from xcompare.harness.memory import watch_memory
taken = watch_memory()
large = np.ones(40 * 2**17)  # 40 MiB
assert large.sum() > 0
del large
print(taken(), watch_memory()())
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    first, second = map(float, done.stdout.split())
    assert 38 < first < 48
    assert second < 20


def test_where_the_system_does_not_say_nothing_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "PROCESS", tmp_path / "nothing")
    assert watch_memory()() is None
