"""Weights of rows in compare, explain and choose_k, in the store and in the report."""

import numpy as np
import pandas as pd
import pytest

import xcompare
from xcompare.core.errors import DataError
from xcompare.results.report import build_report

FAST = {"n_runs": 1, "n_jobs": 1, "progress": False}
METHODS = "efron, variance_ratio, cubt"
OPTIONS = {"n_replicas": 20}


@pytest.fixture(scope="module")
def frame():
    """Three groups of 40 rows; the last has the column ``weight`` at 3, the first at 0."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    X[:40, 0] += 12
    X[80:, 1] += 12
    weight = np.repeat([0.0, 1.0, 3.0], 40)
    return pd.DataFrame(X, columns=list("abcd")).assign(weight=weight, group=np.repeat(["u", "v", "w"], 40))


@pytest.fixture(scope="module")
def compared(frame, tmp_path_factory):
    store = tmp_path_factory.mktemp("weights") / "run.sqlite"
    found = xcompare.compare(
        frame[list("abcd")], 2, methods=METHODS, options=OPTIONS, sample_weight=frame["weight"], store=store,
        y_true=frame["group"], **FAST,
    )  # fmt: skip
    return found, store


def test_methods_that_cannot_take_weights_say_so_and_keep_their_row(compared):
    found, store = compared
    [refused] = found.failures.to_dict(orient="records")
    assert (refused["method"], refused["status"]) == ("cubt", "unavailable")
    assert refused["message"] == "CUBT takes no row weights: it runs only without sample_weight (--weights)"
    assert found.table.loc["cubt"].isna().all()
    assert found.table.loc["efron"].idxmax() == "b"
    assert found.notes[0].startswith("row weights: clusters are those of the weighted rows")
    assert any(note.startswith("Hierarchical takes no row weights") for note in found.notes)
    again = xcompare.Comparison.from_store(store)
    assert again.notes == found.notes
    assert again.table.equals(found.table)


def test_the_report_says_what_is_weighted_and_how_to_repeat_it(compared, tmp_path):
    found, _ = compared
    found.write(tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert "row weights: clusters are those of the weighted rows" in page
    assert "sample_weight=weights" in page


def test_the_store_knows_the_weights(frame, compared):
    found, _ = compared
    X = frame[list("abcd")]
    others = [None, np.ones(120), frame["weight"], 2 * frame["weight"], frame["weight"] + 1]
    plans = [
        xcompare.compare(X, 2, methods="variance", sample_weight=weights, **FAST).plan for weights in others
    ]
    none, equal, same, twice, other = (plan.fingerprint for plan in plans)
    assert none == equal
    assert same == twice == found.plan.fingerprint
    assert len({none, same, other}) == 3
    assert [plan.weighted for plan in plans] == [False, False, True, True, True]


def test_explain_counts_rows_by_weight(frame):
    X, labels = frame[list("abcd")], frame["group"]
    found = xcompare.explain(X, labels, sample_weight=frame["weight"], n_bootstraps=2, **FAST)
    assert found.left_out == {"missing": 0, "noise": 0, "weight 0": 40}
    assert found.clusters == ("v", "w")
    assert set(found.failures["method"]) == {"information"}
    assert found.overall_ranks.index[0] == "b"
    assert any(note.startswith("row weights: measures") for note in found.notes)
    twice = frame.loc[np.repeat(np.arange(120), frame["weight"].astype(int))]
    plain = xcompare.explain(twice[list("abcd")], twice["group"], n_bootstraps=2, **FAST)
    assert found.overall_ranks.index[0] == plain.overall_ranks.index[0]


def test_choose_k_uses_rows_kept_in_proportion(frame):
    X = frame[list("abcd")]
    assert xcompare.choose_k(X, range(2, 5), n_jobs=1, progress=False).best == 3
    known = (frame["weight"] > 0).astype(float)
    found = xcompare.choose_k(X, range(2, 5), sample_weight=known, n_jobs=1, progress=False)
    assert found.best == 2
    assert found.to_dict()["notes"] == found.notes != []
    assert "sample_weight=weights" in build_report(found)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (np.ones(3), "one number per row"),
        (np.full(120, -1.0), "at least 0"),
        (np.eye(120)[0], "above zero in at least n_clusters=2 rows; got 1"),
    ],
)
def test_invalid_weights_are_refused(frame, weights, said):
    with pytest.raises(DataError, match=said):
        xcompare.compare(frame[list("abcd")], 2, methods="variance", sample_weight=weights, **FAST)


def test_weights_follow_the_rows_of_a_sample_and_of_complete_rows(frame):
    X = frame[list("abcd")].copy()
    X.loc[50, "a"] = np.nan
    with pytest.warns(UserWarning, match="1 of 120 rows"):
        dropped = xcompare.compare(
            X, 2, methods="efron", options=OPTIONS, missing="drop", sample_weight=frame["weight"], **FAST
        )
    assert dropped.table.loc["efron"].idxmax() == "b"
    sampled = xcompare.compare(
        frame[list("abcd")], 2, methods="efron", options=OPTIONS, sample=90,
        sample_weight=frame["weight"], **FAST,
    )  # fmt: skip
    assert sampled.table.loc["efron"].idxmax() == "b"
