"""What is said about the time before the first unit."""

import re

import numpy as np

from xcompare.harness.data import prepare
from xcompare.harness.memory_store import MemoryStore
from xcompare.harness.outlook import outlook
from xcompare.harness.run import missing_units
from xcompare.results.comparing import make_plan


def said(n_samples, methods, n_processes=2, y_true=None):
    data = prepare(np.random.default_rng(0).normal(size=(n_samples, 6)), 3, y_true)
    plan = make_plan(data, methods, "auto", 3, {}, 0)
    return outlook(missing_units([(data, plan)], MemoryStore()), n_processes)


def test_small_data_need_no_words():
    assert said(300, "all") == ""


def test_long_methods_are_named_and_a_sample_is_offered():
    line = said(200_000, "urf_gini, ls, dip")
    assert re.match(r"expected: roughly \d+ min \d\d s on 2 processes \(one run: urf_gini \d+ min", line)
    assert "dip" not in line
    assert "a random sample of 10,000 rows (sample=10000, --sample 10000) takes roughly" in line


def test_half_the_processes_take_twice_as_long():
    assert "one process" in said(50_000, "urf_gini", 1)
    assert said(50_000, "urf_gini", 1) != said(50_000, "urf_gini", 2)
