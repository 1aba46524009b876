"""Which method for data like these: what data are like, and which scenarios are nearest."""

import warnings

import numpy as np
import pandas as pd
import pytest

from xcompare.io.datasets import leaderboard
from xcompare.methods import METHODS
from xcompare.results import recommendation
from xcompare.results.recommendation import DESCRIPTION, describe, nearest_scenarios
from xcompare.studies.benchmark.scenarios import SCENARIOS


def test_what_data_are_like():
    rng = np.random.default_rng(0)
    n = 4000
    common = rng.normal(size=(n, 1))
    gauss = describe(np.sqrt(0.6) * common + np.sqrt(0.4) * rng.normal(size=(n, 5)))
    assert gauss["correlation"] == pytest.approx(0.6, abs=0.03)
    assert gauss["tails"] == pytest.approx(1.0, abs=0.1)
    far = describe(np.column_stack([rng.standard_t(2, size=(n, 3)), rng.integers(2, size=n)]))
    assert far["tails"] > 2
    assert far["discrete"] == 0.25
    assert (far["n_samples"], far["n_features"]) == (n, 4)
    assert describe(rng.integers(3, size=(50, 4)).astype(float))["tails"] == 1


def test_the_largest_numbers_do_not_overflow():
    x = np.random.default_rng(0).normal(size=(50, 3))
    far = x.copy()
    far[0, 0] = 1e308
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert 0 <= describe(far)["correlation"] <= 1


def test_a_scenario_is_nearest_to_its_own_draws():
    for name in ("heavy_tails", "few_of_1000", "n_5000", "binary_noise"):
        hint = nearest_scenarios(SCENARIOS[name].draw(7).X)
        assert name in hint.scenarios.index, name


def test_the_best_methods_there_are_named(monkeypatch):
    known = pd.DataFrame(
        [[1, 100, 10, 0.1, 1.0, 0.0, 0.9, 0.5], [1, 100, 10, 0.1, 1.0, 0.0, 0.7, 0.8],
         [1, 9000, 10, 0.1, 1.0, 0.0, 0.1, 1.0]],
        index=["a", "b", "far"], columns=["tier", *DESCRIPTION, "one", "two"],
    )  # fmt: skip
    monkeypatch.setattr(recommendation, "leaderboard", lambda: known)
    hint = nearest_scenarios(np.random.default_rng(0).normal(size=(100, 10)), n_nearest=2)
    assert list(hint.scenarios.index) == ["a", "b"]
    assert hint.methods.round(2).to_dict() == {"one": 0.8, "two": 0.65}
    assert hint.best == ["one"]
    assert "by mean AUC: one (0.80)." in str(hint)
    monkeypatch.setattr(recommendation, "leaderboard", lambda: known.iloc[:0])
    assert nearest_scenarios(np.eye(4)) is None


def test_the_committed_file_fits_the_package():
    known = leaderboard()
    assert set(known.index) <= set(SCENARIOS)
    assert set(known.columns) <= {"tier", *DESCRIPTION, *METHODS}
    assert len(known) > 20
