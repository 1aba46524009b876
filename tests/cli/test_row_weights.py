"""`--weights`: a column of weights, in the terminal and as JSON."""

import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def survey(tmp_path):
    """Two groups in ``age``, and weights."""
    rng = np.random.default_rng(0)
    group = np.repeat(["old", "young"], 30)
    frame = pd.DataFrame({"age": rng.normal(np.where(group == "old", 9, 0)), "size": rng.normal(size=60)})
    frame.assign(w=np.tile([1, 2, 3], 20), group=group).to_csv(tmp_path / "survey.csv", index=False)
    return "survey.csv"


def test_the_column_is_no_feature_and_refusals_are_told(xcompare, survey):
    arguments = ("compare", survey, "-k", 2, "--drop", "group", "--methods", "variance_ratio,ls", "--runs", 1)
    done = xcompare(*arguments, "--weights", "w", "--jobs", 1)
    assert done.status == 0
    assert "unavailable: ls (python, 1 run): LS takes no row weights" in done.stdout
    assert "note: row weights: clusters are those of the weighted rows" in done.stderr
    found = json.loads(xcompare(*arguments, "--weights", "w", "--jobs", 1, "--json").stdout)
    assert found["features"] == ["age", "size"]


def test_explain_and_choose_k_take_them(xcompare, survey):
    explained = xcompare(
        "explain", survey, "--labels", "group", "--weights", "w", "--bootstraps", 2, "--jobs", 1
    )
    assert explained.status == 0
    assert "note: row weights: measures count rows by weight" in explained.stderr
    [line] = [line for line in explained.stdout.splitlines() if line.startswith("unavailable: ")]
    assert line.count("information (python, ") == 1
    chosen = xcompare("choose-k", survey, "--drop", "group", "--weights", "w", "-k", 2, "--jobs", 1)
    assert chosen.status == 0
    assert "note: row weights: the criteria and the test" in chosen.stderr


@pytest.mark.parametrize(
    ("column", "said"), [("ww", "no column 'ww' (--weights)"), ("group", "must be numbers")]
)
def test_a_column_that_holds_no_weights_is_refused(refused, survey, column, said):
    assert said in refused("compare", survey, "-k", 2, "--weights", column)
