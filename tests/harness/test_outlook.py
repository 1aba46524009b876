"""What is said about the time before the first unit."""

import re
from dataclasses import replace

import numpy as np

import xcompare
from xcompare.harness.outlook import outlook
from xcompare.harness.preparation import prepare
from xcompare.harness.run import missing_units
from xcompare.harness.store import RunStore
from xcompare.methods import METHODS
from xcompare.results.comparing import make_plan


def said(n_samples, methods, n_processes=2, y_true=None):
    data = prepare(np.random.default_rng(0).normal(size=(n_samples, 6)), 3, y_true)
    plan = make_plan(data, methods, "auto", 3, {}, 0)
    with RunStore(None) as store:
        return outlook(missing_units([(data, plan)], store), n_processes)


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


def test_a_method_that_cannot_is_named_with_the_sample_that_it_takes(monkeypatch):
    monkeypatch.setitem(METHODS, "spec", replace(METHODS["spec"], most_samples=50))
    assert said(60, "spec, dip") == (
        "spec cannot run: SPEC needs all pairwise distances and is limited to 50 rows; got 60: use a sample"
        " of the rows; a random sample of 50 rows (sample=50, --sample 50) runs all of them and takes"
        " roughly 1 s"
    )
    X = np.random.default_rng(0).normal(size=(60, 6))
    whole, sample = (
        xcompare.compare(X, 3, methods="spec, variance", n_runs=1, sample=n, n_jobs=1, progress=False)
        for n in (None, 50)
    )
    assert whole.table.dropna().index.tolist() == ["variance"]
    assert "limited to 50 rows; got 60: use a sample" in whole.failures["message"].item()
    assert sorted(sample.table.dropna().index) == ["spec", "variance"]
    assert (sample.name, sample.n_samples) == ("data, 50 of 60 rows", 50)
