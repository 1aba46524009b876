"""`choose_k`: known answers, one cluster among them; stored, resumed, the same on any number of processes."""

import html
from dataclasses import replace

import matplotlib
import numpy as np
import pytest

import xcompare
from xcompare.core.errors import DataError
from xcompare.methods.number_of_clusters import HOW_MANY
from xcompare.results.report import build_report

matplotlib.use("Agg")
QUIET = {"n_jobs": 1, "progress": False}


def groups(n_clusters=3, seed=0, n=60):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 4)) + 7 * (np.arange(n) % n_clusters)[:, None]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    store = tmp_path_factory.mktemp("choice") / "run.sqlite"
    return xcompare.choose_k(groups(), range(2, 6), store=store, name="groups", **QUIET), store


def test_three_groups(found):
    choice, _ = found
    assert choice.best == 3
    assert choice.answer == (
        "3 clusters: the best BIC of the numbers whose clusters are all separated; more than one cluster:"
        " p < .001."
    )
    assert choice.p_clusters < 0.001
    assert set(choice.features) <= set(choice.feature_names)


def test_curves_hold_both_criteria_for_every_k(found):
    curves = found[0].curves
    assert list(curves.columns) == ["density_gap", "bic", "separated", "chosen"]
    assert curves.index.tolist() == [2, 3, 4, 5]
    assert curves.index[curves["chosen"]].tolist() == [3]
    assert curves["bic"].idxmin() == 3
    assert curves.loc[3, "separated"]


def test_it_is_read_back_from_the_store_and_not_computed_again(found):
    choice, store = found
    again = xcompare.KChoice.from_store(store)
    assert again.curves.equals(choice.curves)
    assert again.answer == choice.answer
    ran = []
    xcompare.choose_k(groups(), range(2, 6), store=store, name="groups", n_jobs=1, progress=ran.append)
    assert not ran
    assert len(xcompare.list_runs(store)) == 1
    xcompare.compare(groups(), 2, methods="ls", store=store, **QUIET)
    with pytest.raises(DataError, match="must belong to a result of kind 'choice'"):
        xcompare.KChoice.from_store(store)


def test_the_same_in_another_process():
    one, two = (xcompare.choose_k(groups(n=40), [2, 3], n_jobs=n, progress=False) for n in (1, 2))
    assert one.curves.equals(two.curves)


def test_noise_is_one_cluster():
    noise = np.random.default_rng(3).normal(size=(80, 5))
    choice = xcompare.choose_k(noise, range(2, 5), **QUIET)
    assert choice.best == 1
    assert not choice.curves["chosen"].any()
    assert choice.answer.startswith("One cluster: no evidence of more (p = ")


def test_the_plot_has_a_panel_per_criterion(found):
    axes = found[0].plot()
    assert [ax.get_title() for ax in axes] == ["Density gap", "BIC of a Gaussian mixture"]


def test_the_report_says_it_all(found):
    page = build_report(found[0], notes=["a note"])
    for text in (found[0].answer, "The criteria", "Criteria by K", "xcompare.choose_k(", "a note"):
        assert html.escape(text) in page
    assert "Failures" not in page


def test_a_choice_that_fails_says_why(monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("no more")

    monkeypatch.setattr("xcompare.harness.plan.HOW_MANY", replace(HOW_MANY, run=broken))
    choice = xcompare.choose_k(groups(), [2, 3], **QUIET)
    assert choice.failures["message"].tolist() == ["RuntimeError: no more"]
    with pytest.raises(DataError, match="no more"):
        _ = choice.best


@pytest.mark.parametrize("ks", [[], [1, 2], [2.5], 3, ["2"], [True]])
def test_what_ks_must_be(ks):
    with pytest.raises(DataError, match="ks must be whole numbers of at least 2"):
        xcompare.choose_k(groups(), ks, **QUIET)


def test_fewer_clusters_than_rows():
    with pytest.raises(DataError, match="ks must be below the number of rows, 20; got 20"):
        xcompare.choose_k(groups(n=20), [20], **QUIET)


def test_a_comparison_may_leave_the_number_to_it(tmp_path):
    found = xcompare.compare(groups(n=90), "auto", methods="ls", name="groups", **QUIET)
    assert found.plan.n_clusters == 3
    note = found.notes[0]
    assert note.startswith("3 clusters chosen: the best BIC")
    assert html.escape(note) in build_report(found)
    found.save(tmp_path / "auto.sqlite")
    assert xcompare.Comparison.from_store(tmp_path / "auto.sqlite").notes[0] == note


def test_where_there_are_no_clusters_a_number_is_asked_for():
    noise = np.random.default_rng(3).normal(size=(60, 5))
    with pytest.raises(DataError, match=r"found one cluster \(p = .*\), so there is nothing to compare"):
        xcompare.compare(noise, "auto", methods="ls", **QUIET)


def test_of_few_rows_fewer_clusters_than_rows():
    assert xcompare.choose_k(groups(n=5), **QUIET).curves.index.tolist() == [2, 3, 4]
    with pytest.raises(DataError, match="needs at least 3 rows; got 2"):
        xcompare.choose_k(groups(n=2), **QUIET)


@pytest.mark.parametrize(
    ("name", "best"),
    [("overlap", 4), ("wine", 3), ("correlation", 4), ("breast", 2), ("iris", 2)],
)
def test_the_data_of_the_paper(name, best):
    # Two of the three species of iris touch.
    assert xcompare.choose_k(xcompare.load_dataset(name), range(2, 8), **QUIET).best == best
