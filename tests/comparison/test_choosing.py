"""`choose_k`: known answers, one cluster among them; stored, resumed, the same on any number of processes."""

import matplotlib
import numpy as np
import pytest

import xcompare
from xcompare.exceptions import DataError
from xcompare.report import build_report

matplotlib.use("Agg")
QUIET = {"n_jobs": 1, "progress": False}


def groups(n_clusters=3, seed=0, n=60):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 4)) + 7 * (np.arange(n) % n_clusters)[:, None]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    store = tmp_path_factory.mktemp("choice") / "run.sqlite"
    return xcompare.choose_k(groups(), range(2, 6), store=store, name="groups", **QUIET), store


@pytest.mark.slow
def test_three_groups_by_all_criteria_but_one(found):
    choice, _ = found
    assert choice.best == 3
    assert choice.choices.to_dict() == {"stability": 3, "dunn": 3, "silhouette": 3, "gap": 3}
    assert choice.answer == "3 clusters, by 4 of 4 criteria (stability 3, dunn 3, silhouette 3, gap 3)."


@pytest.mark.slow
def test_curves_hold_every_criterion_for_every_k(found):
    choice, _ = found
    curves = choice.curves
    assert list(curves.columns) == ["value", "one_gaussian", "excess", "error", "chosen"]
    assert curves.index.unique("n_clusters").tolist() == [1, 2, 3, 4, 5]
    np.testing.assert_allclose(curves["excess"], curves["value"] - curves["one_gaussian"])
    assert curves["value"]["gap", 1] == 0.0
    assert np.isnan(curves["value"]["dunn", 1])
    assert curves["chosen"].sum() == 4
    assert choice.table["p_value"].isna().to_dict() == {
        "stability": False, "dunn": False, "silhouette": False, "gap": True,
    }  # fmt: skip


def test_it_is_read_back_from_the_store_and_not_computed_again(found):
    choice, store = found
    again = xcompare.KChoice.from_store(store)
    assert again.curves.equals(choice.curves)
    ran = []
    xcompare.choose_k(groups(), range(2, 6), store=store, name="groups", n_jobs=1, progress=ran.append)
    assert not ran
    runs = xcompare.list_runs(store)
    assert sorted(runs["n_clusters"]) == [2, 3, 4, 5]
    assert runs["max_features"].isna().all()
    xcompare.compare(groups(), 2, methods="ls", store=store, **QUIET)
    with pytest.raises(DataError, match="must be a choice of K"):
        xcompare.KChoice.from_store(store)


@pytest.mark.slow
def test_the_same_for_any_number_of_processes():
    one, two = (xcompare.choose_k(groups(n=20), [2, 3], n_jobs=n, progress=False) for n in (1, 2))
    assert one.curves.equals(two.curves)


@pytest.mark.slow
def test_noise_is_one_cluster():
    noise = np.random.default_rng(3).normal(size=(80, 5))
    choice = xcompare.choose_k(noise, range(2, 5), **QUIET)
    assert choice.best == 1
    assert choice.answer.startswith("One cluster: ")


def test_the_plot_has_a_panel_per_criterion_with_its_choice(found):
    axes = found[0].plot()
    assert [ax.get_title() for ax in axes] == ["Stability: 3", "Dunn: 3", "Silhouette: 3", "Gap: 3"]


def test_the_report_says_it_all(found):
    page = build_report(found[0], notes=["a note"])
    for text in (found[0].answer, "What each criterion says", "Every value", "xcompare.choose_k(", "a note"):
        assert text in page
    assert "What failed" not in page


@pytest.mark.slow
def test_a_k_that_fails_is_left_out(monkeypatch):
    from dataclasses import replace

    from xcompare.methods import _criteria

    def broken(X, n_clusters, **_):
        if n_clusters > 3:
            raise RuntimeError("no more")
        return _criteria._criteria(X, n_clusters, **_)

    row = replace(_criteria.HOW_MANY, run=broken)
    monkeypatch.setitem(_criteria.COUNTS, "how_many", row)
    choice = xcompare.choose_k(groups(), [2, 3, 4], **QUIET)
    assert choice.best == 3
    assert choice.failures["n_clusters"].tolist() == [4]
    none = xcompare.choose_k(groups(), [4], **QUIET)
    assert none.table.isna().all(axis=None)
    with pytest.raises(DataError, match="no more"):
        _ = none.best


@pytest.mark.parametrize("ks", [[], [1, 2], [2.5], 3, ["2"], [True]])
def test_what_ks_must_be(ks):
    with pytest.raises(DataError, match="ks must be whole numbers of at least 2"):
        xcompare.choose_k(groups(), ks, **QUIET)


def test_fewer_clusters_than_rows():
    with pytest.raises(DataError, match="ks must be below the number of rows, 20; got 20"):
        xcompare.choose_k(groups(n=20), [20], **QUIET)


@pytest.mark.slow
def test_a_comparison_may_leave_the_number_to_it(monkeypatch, tmp_path):
    monkeypatch.setattr("xcompare.bagging.choice.MOST_CLUSTERS", 4)
    found = xcompare.compare(groups(n=24), "auto", methods="ls", name="groups", **QUIET)
    assert found.plan.n_clusters == 3
    note = "3 clusters, chosen by 3 of 4 criteria (stability 1, dunn 3, silhouette 3, gap 3)"
    assert found.notes[0] == note
    assert note in build_report(found)
    found.save(tmp_path / "auto.sqlite")
    assert xcompare.Comparison.load(tmp_path / "auto.sqlite").notes[0] == note


@pytest.mark.slow
def test_where_there_are_no_clusters_a_number_is_asked_for(monkeypatch):
    monkeypatch.setattr("xcompare.bagging.choice.MOST_CLUSTERS", 3)
    noise = np.random.default_rng(3).normal(size=(20, 5))
    with pytest.raises(DataError, match=r"got 1 cluster, chosen by .* give a number of clusters"):
        xcompare.compare(noise, "auto", methods="ls", **QUIET)


@pytest.mark.slow
def test_of_few_rows_fewer_clusters_than_rows():
    assert list(xcompare.choose_k(groups(n=5), **QUIET).plans) == [2, 3, 4]
    with pytest.raises(DataError, match="takes at least 3 rows; got 2"):
        xcompare.choose_k(groups(n=2), **QUIET)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "best"),
    [
        ("overlap", 4), ("wine", 3),
        pytest.param("proportion", 5, marks=pytest.mark.endurance),
        pytest.param("correlation", 4, marks=pytest.mark.endurance),
        pytest.param("illustrative", 3, marks=pytest.mark.endurance),
        # Two diagnoses, but three groups by every criterion: docs/how-many-clusters.md.
        pytest.param("breast", 3, marks=pytest.mark.endurance),
    ],
)  # fmt: skip
def test_the_data_of_the_paper(name, best):
    choice = xcompare.choose_k(xcompare.load_dataset(name), range(2, 8), **QUIET)
    assert choice.best == best


@pytest.mark.slow
def test_iris_is_two_or_three():
    choice = xcompare.choose_k(xcompare.load_dataset("iris"), range(2, 6), **QUIET)
    assert choice.answer.startswith(("3 or 2 clusters", "2 or 3 clusters"))
