"""Columns that are probably no features."""

import numpy as np
import pandas as pd
import pytest

import xcompare
from xcompare.harness.data import DataInfo
from xcompare.results.data_checks import odd_features, redundancy_notes

RNG = np.random.default_rng(0)
LABELS = np.repeat([0, 1, 2], 20)
COLUMNS = {
    "has a different whole number": RNG.permutation(60) + 1000.0,
    "is nearly constant: 0 in 59 of 60 rows": np.arange(60.0) == 7,
    "may hold codes, 4 whole numbers from 101 to 905": RNG.choice([101, 204, 310, 905], size=60),
    "has a heavy tail: 2 of 60 rows are outliers, the most extreme at -9e+03. Check for errors;"
    " otherwise take logarithms or use standardize='rank'": np.append(RNG.normal(size=58), [-9e3, 4e3]),
    "is equivalent to the reference labels": np.array([7.0, -1.0, 3.0])[LABELS],
}


def notes(X, names, labels):
    return odd_features(DataInfo("data", len(X), tuple(names), labels), X)


@pytest.mark.parametrize("note", COLUMNS)
def test_what_is_noted(note):
    X = np.column_stack([COLUMNS[note], RNG.normal(size=60)])
    [said] = notes(X, ["odd", "fine"], LABELS)
    assert said.startswith(f"odd {note}")


@pytest.mark.parametrize(
    "column",
    [
        RNG.normal(size=60),
        RNG.normal(size=60).round(),
        RNG.exponential(size=60),
        RNG.integers(1, 11, size=60),  # grades
        RNG.integers(0, 500, size=60),  # counts, some twice
        RNG.random(60) < 0.3,
        LABELS % 2,  # tells one group apart, not all
    ],
)
def test_what_is_not(column):
    assert notes(column[:, None].astype(float), ["fine"], LABELS) == []


def test_the_bundled_data_have_nothing_suspicious():
    for name in ("wine", "iris", "breast", "overlap"):
        data = xcompare.load_dataset(name)
        assert notes(data.X, data.feature_names, data.labels) == []


def test_notes_are_part_of_a_comparison():
    X = np.column_stack([RNG.normal(size=(60, 2)), np.arange(60)])
    found = xcompare.compare(X, 2, methods="ls", n_jobs=1, progress=False)
    assert found.notes == ["x2 has a different whole number in every row: drop it if it identifies the rows"]


def test_a_note_on_redundant_features_names_the_engine_where_both_ran():
    index = pd.MultiIndex.from_tuples([("efron", "python"), ("efron", "r")], names=["method", "engine"])
    importances = pd.DataFrame({"a + b": [0.5, 0.6]}, index)
    [note] = redundancy_notes((("a", "b"),), importances)
    assert note.startswith("a and b are redundant (together 0.50 by efron (python)) and count")
    assert "spread" not in note  # the command line has no such option
