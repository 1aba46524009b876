"""Columns that make the clusters, and columns that only describe them."""

from html import unescape

import numpy as np
import pandas as pd
import pytest

import xcompare
from xcompare.core.errors import DataError
from xcompare.harness.preparation import prepare
from xcompare.methods import METHODS

FAST = {"n_runs": 1, "n_jobs": 1, "progress": False}
CHOSEN = {"methods": "efron, variance_ratio, ls", "options": {"n_replicas": 20}}
BASIS = ["a", "b", "c"]


@pytest.fixture(scope="module")
def frame():
    """Three groups in ``a`` and ``b``; ``income`` and ``plan`` go along with them, with gaps."""
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1, 2], 30)
    frame = pd.DataFrame(rng.normal(size=(90, 3)), columns=BASIS)
    frame[["a", "b"]] += 9 * np.stack([group, group == 1], axis=1)
    frame["income"] = 1000.0 * group + rng.normal(size=90)
    frame.loc[5, "income"] = np.nan
    frame["plan"] = pd.Categorical(np.array(["basic", "plus", "pro"])[group])
    return frame


@pytest.fixture(scope="module")
def compared(frame, tmp_path_factory):
    store = tmp_path_factory.mktemp("described") / "run.sqlite"
    found = xcompare.compare(frame, 3, cluster_on=BASIS, store=store, **CHOSEN, **FAST)
    return found, store


def test_no_score_changes_and_described_columns_have_none(frame, compared):
    found, _ = compared
    alone = xcompare.compare(frame[BASIS], 3, **CHOSEN, **FAST)
    assert found.feature_names == alone.feature_names == tuple(BASIS)
    assert found.plan.fingerprint == alone.plan.fingerprint
    pd.testing.assert_frame_equal(found.raw, alone.raw)
    assert found.answer == alone.answer
    assert list(found.overall_ranks.index) == list(alone.overall_ranks.index)
    own = found.effects[~found.effects["described"]]
    pd.testing.assert_frame_equal(own.reset_index(drop=True), alone.effects)


@pytest.mark.parametrize("name", METHODS)
def test_no_method_gets_a_described_column(name, frame):
    both, alone = prepare(frame, 3, cluster_on=BASIS), prepare(frame[BASIS], 3)
    assert (both.fingerprint, both.info.scored, both.X.shape) == (alone.fingerprint, (), (90, 3))
    np.testing.assert_array_equal(both.X, alone.X)


def test_described_columns_are_profiled_and_marked(compared):
    found, _ = compared
    described = found.effects[found.effects["described"]]
    assert set(described["feature"]) == {"income", "plan"}
    assert set(described.loc[described["feature"] == "plan", "level"]) == {"basic", "plus", "pro"}
    assert "used only to describe the clusters: income, plan" in found.notes
    assert all("Not used for clustering: " in str(one) for one in found.summaries)
    first = found.top(2).groupby("cluster", sort=False).head(3)
    assert first["described"].tolist() == [False, False, True] * 3


def test_the_store_keeps_them_beside_the_same_data_without(frame, compared):
    found, store = compared
    again = xcompare.Comparison.from_store(store)
    pd.testing.assert_frame_equal(again.effects, found.effects)
    assert again.notes == found.notes
    xcompare.compare(frame[BASIS], 3, store=store, **CHOSEN, **FAST)
    assert not xcompare.Comparison.from_store(store).effects["described"].any()
    other = frame.assign(income=-frame["income"])
    turned = xcompare.compare(other, 3, cluster_on=BASIS, store=store, **CHOSEN, **FAST)
    pd.testing.assert_frame_equal(xcompare.Comparison.from_store(store).effects, turned.effects)


def test_the_report_shows_them(compared, tmp_path):
    found, _ = compared
    found.write(tmp_path, figures=["svg"])
    page = unescape((tmp_path / "report.html").read_text())
    assert "income (described)" in page
    assert "plan (described): basic" in page
    assert "describe=['income', 'plan']" in page


def test_explain_gives_them_effects_and_no_score(frame):
    labels = np.repeat(["u", "v", "w"], 30)
    found = xcompare.explain(frame, labels, describe=["income", "plan"], n_bootstraps=2, **FAST)
    alone = xcompare.explain(frame[BASIS], labels, n_bootstraps=2, **FAST)
    pd.testing.assert_frame_equal(found.table, alone.table)
    assert found.rules == alone.rules
    pd.testing.assert_frame_equal(found.profiles, alone.profiles)
    effects = found.effects.set_index("feature")
    assert effects.loc[["income", "plan"], "importance"].isna().all()
    assert effects.loc["a", "importance"].notna().all()
    assert any(note.startswith("used only to describe") for note in found.notes)


def test_one_of_the_two_is_enough_and_identifiers_describe_nothing(frame):
    named = frame.assign(id=[f"c{i}" for i in range(90)])
    with pytest.warns(UserWarning, match="left out: id"):
        first = prepare(named, 3, describe=["income", "plan", "id"], missing="error").info
    second = prepare(frame, 3, cluster_on=BASIS).info
    third = prepare(frame, 3, cluster_on=["a", "b"], describe=["plan"]).info
    assert first.feature_names == second.feature_names == tuple(BASIS)
    assert first.described == second.described == ("income", "plan")
    assert (third.feature_names, third.described) == (("a", "b"), ("plan",))
    assert prepare(frame.to_numpy()[:, :3].astype(float), 2, describe=["x2"]).info.described == ("x2",)
    assert xcompare.choose_k(frame, cluster_on=BASIS, n_jobs=1, progress=False).feature_names == tuple(BASIS)


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ({"describe": ["incme"]}, "describe names 'incme', which is not in the data; did you mean 'income'?"),
        ({"cluster_on": "a"}, "cluster_on must be a list of columns; got 'a'"),
        ({"cluster_on": ["a", "b"], "describe": ["b"]}, "describe; got b"),
        ({"describe": ["a", "b", "c", "income", "plan"]}, "no column is left for clustering"),
        ({"cluster_on": ["a"]}, "at least two features that vary"),
    ],
)
def test_roles_that_make_no_sense_are_refused(frame, roles, said):
    with pytest.raises(DataError, match=said.replace("?", r"\?")):
        prepare(frame, 3, **roles)


def test_described_rows_follow_a_sample_and_complete_rows(frame):
    sampled = prepare(frame, 3, cluster_on=BASIS, sample=40, seed=1)
    whole = prepare(frame, 3, cluster_on=BASIS)
    at = [int(np.flatnonzero((whole.values[:, :3] == row).all(axis=1))[0]) for row in sampled.values[:, :3]]
    np.testing.assert_array_equal(sampled.values, whole.values[at])
    gaps = frame.copy()
    gaps.loc[7, "a"] = np.nan
    with pytest.warns(UserWarning, match="1 of 90 rows"):
        kept = prepare(gaps, 3, cluster_on=BASIS, missing="drop")
    assert np.isnan(kept.values[5, 3])
    np.testing.assert_array_equal(kept.values[7:], whole.values[8:])
