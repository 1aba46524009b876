"""compare() and choose_k() on tables with several kinds of columns and missing values."""

import warnings

import numpy as np
import pandas as pd
import pytest

import xcompare
from xcompare.core.errors import DataError
from xcompare.results.report import render

N = 90
LABELS = np.repeat([0, 1, 2], N // 3)


@pytest.fixture(scope="module")
def frame():
    """Clusters in an age, a plan and a size; noise in a number and a region; a tenth of values missing."""
    rng = np.random.default_rng(0)
    size = np.clip(LABELS + rng.integers(2, size=N), 0, 2)
    frame = pd.DataFrame(
        {
            "age": 3 * LABELS + rng.normal(size=N),
            "income": 1e4 * ((LABELS == 1) * 4 + rng.normal(size=N)),
            "plan": pd.Categorical(np.array(["basic", "plus", "pro"])[LABELS]),
            "size": pd.Categorical(np.array(["S", "M", "L"])[size], ["S", "M", "L"], ordered=True),
            "noise": rng.normal(size=N),
            "region": pd.Categorical(np.array(list("abcdef"))[rng.integers(6, size=N)]),
        }
    )
    return frame.mask(rng.random(frame.shape) < 0.1)


@pytest.fixture(scope="module")
def found(frame, tmp_path_factory):
    store = tmp_path_factory.mktemp("tables") / "run.sqlite"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        comparison = xcompare.compare(
            frame, 3, methods="efron, refined, ls", n_runs=2, n_jobs=1, progress=False, store=store,
            options={"n_replicas": 20},
        )  # fmt: skip
    return comparison, store


def test_a_column_is_one_feature_in_every_table(frame, found):
    comparison, _ = found
    assert comparison.table.columns.tolist() == frame.columns.tolist()
    scores = comparison.table.loc["efron"]
    assert scores[["age", "income", "plan", "size"]].min() > 0.3 > scores[["noise", "region"]].max()
    assert comparison.failures.empty
    assert comparison.decision.outcome == "found"
    assert any("plan (nominal, 3 levels)" in note for note in comparison.notes)


def test_data_checks_are_of_every_table(frame):
    colors = pd.get_dummies(pd.Series(list("rgb") * (N // 3)), prefix="color", dtype=float)
    odd = frame.assign(age=frame["age"].fillna(-999), count=np.arange(N), **colors)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = xcompare.compare(odd, 3, methods="ls", n_runs=1, n_jobs=1, progress=False)
    assert "count has a different whole number in every row: drop it if it identifies the rows" in found.notes
    assert any(note.startswith("age holds -999 in") for note in found.notes)
    assert any(
        note.startswith("color_b, ..., color_r are 3 indicators of one column, color:")
        for note in found.notes
    )


def test_associated_features_of_every_kind_are_found(found):
    verdicts = found[0].significance.verdicts
    assert verdicts["noise"] == verdicts["region"] == "noise"
    assert "noise" not in {verdicts[name] for name in ("age", "income", "plan", "size")}


def test_it_is_read_back_from_its_store_and_reported(found, tmp_path):
    comparison, store = found
    again = xcompare.Comparison.from_store(store)
    pd.testing.assert_frame_equal(again.table, comparison.table)
    assert again.info.features == comparison.info.features
    np.testing.assert_array_equal(again.data, comparison.data)
    pd.testing.assert_frame_equal(again.effects, comparison.effects)
    assert again.summaries == comparison.summaries
    assert "The clusters in words" in render(again.page())
    again.write(tmp_path)
    assert again.to_dict()["n_samples"] == N
    with pytest.raises(DataError, match="profiles need numeric columns without missing values"):
        _ = again.profiles


def test_the_number_of_clusters_is_chosen_on_the_same_tables(frame):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert xcompare.choose_k(frame, [2, 3], n_jobs=1, progress=False).best == 3


QUICK = {"n_runs": 1, "n_bootstraps": 2, "n_jobs": 1, "progress": False}


@pytest.fixture(scope="module")
def explained(frame, tmp_path_factory):
    store = tmp_path_factory.mktemp("explained") / "run.sqlite"
    labels = np.array(["a", "b", "c"])[LABELS]
    with pytest.warns(UserWarning, match="not numeric: plan") as told:
        found = xcompare.explain(frame, labels, store=store, validate="KMeans(n_clusters=3)", **QUICK)
    assert len(told) == 1
    return found, store


def test_explain_takes_the_same_tables(explained):
    found, _ = explained
    assert found.failures.empty
    leading = found.table.columns[np.argsort(-found.table.mean())][:4]
    assert set(leading) == {"age", "income", "plan", "size"}
    assert found.tested.device == "none"
    assert "numeric columns without missing values" in found.tested.reason
    with pytest.raises(DataError, match="profiles need numeric columns without missing values"):
        _ = found.profiles
    assert found.notes[0].startswith("not numeric: plan (nominal, 3 levels), size (ordinal, S < M < L)")


def test_an_explanation_is_read_back_with_its_data(explained):
    found, store = explained
    again = xcompare.Explanation.from_store(store)
    pd.testing.assert_frame_equal(again.effects, found.effects)
    assert again.rules == found.rules
    assert "The clusters in words" in render(again.page())


def test_rows_with_gaps_are_dropped_before_explaining(frame):
    complete = frame.notna().all(axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = xcompare.explain(frame, LABELS, missing="drop", measures="eta_squared", **QUICK)
    assert found.sizes.tolist() == np.bincount(LABELS[complete]).tolist()
    assert not np.isnan(found.overall.data).any()


def test_effects_and_summaries_of_every_kind(frame, found):
    comparison, _ = found
    effects = comparison.effects.set_index(["cluster", "feature"])
    consensus = comparison.consensus.labels
    for number, level in enumerate(effects.xs("plan", level="feature")["level"]):
        inside = frame["plan"][consensus == number].dropna()
        one = effects.loc[str(number + 1), "plan"]
        assert one["value"] == pytest.approx((inside == level).mean())
    age = frame["age"][consensus == 0]
    assert effects.loc[("1", "age"), "rows"] == age.notna().sum()
    assert effects.loc[("1", "age"), "value"] == pytest.approx(age.mean())
    assert any("plan pro for" in str(one) for one in comparison.summaries)
    page = render(comparison.page())
    assert "The clusters in words" in page
    assert "because of its size" not in page


def test_two_levels_are_named_in_every_result(tmp_path):
    rng, cluster = np.random.default_rng(1), np.repeat([0, 1], 20)
    frame = pd.DataFrame(rng.normal(size=(40, 2)), columns=["age", "noise"])
    frame = frame.assign(plan=np.array(["basic", "pro"])[cluster], member=np.roll(cluster, 3) == 1)
    with pytest.warns(UserWarning, match="not numeric: plan"):
        explained = xcompare.explain(frame, np.array(["a", "b"])[cluster], store=tmp_path / "e", **QUICK)
    assert str(explained.rules[1]).startswith("plan is pro: b, 100% pure")
    assert "plan pro" in explained.sentences[1]
    again = xcompare.Explanation.from_store(tmp_path / "e")
    assert again.rules == explained.rules
    assert again.profiles.equals(explained.profiles)
    with pytest.warns(UserWarning, match="not numeric: plan"):
        compared = xcompare.compare(
            frame, 2, methods="cubt", n_runs=1, n_jobs=1, progress=False, store=tmp_path / "c"
        )
    again = xcompare.Comparison.from_store(tmp_path / "c")
    assert again.info.features == compared.info.features
    assert not again.profiles.empty
    assert {"plan", "member"} <= set(again.effects.loc[again.effects["level"] != "", "feature"])
    assert "plan basic for 85%" in str(again.summaries[0])
    assert "plan basic for 85%" in render(again.page())
