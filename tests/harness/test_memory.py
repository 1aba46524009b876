"""The memory of a run: what it takes at its largest, where the system says."""

import numpy as np
import pytest

from xcompare.harness import memory
from xcompare.harness.memory import watch_memory


@pytest.mark.skipif(watch_memory()() is None, reason="the system does not say")
def test_the_peak_counts_also_when_it_is_over():
    taken = watch_memory()
    large = np.ones(40 * 2**17)  # 40 MiB
    assert large.sum() > 0
    del large
    assert 30 < taken() < 80
    assert watch_memory()() < 20


def test_where_the_system_does_not_say_nothing_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "PROCESS", tmp_path / "nothing")
    assert watch_memory()() is None
