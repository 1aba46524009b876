"""explain(): given labels of any kind, side by side, per cluster, with intervals, and back from the store."""

import re
import shutil
import sqlite3

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

import xcompare
from xcompare.core.errors import DataError, StoreError, UnknownNameError
from xcompare.methods import MEASURES
from xcompare.results.explaining import labelled
from xcompare.results.report.provenance import python_explain_call

mpl.use("Agg")
USED = [name for name, row in MEASURES.items() if row.default]
QUICK = {"n_runs": 1, "n_bootstraps": 3, "n_jobs": 1, "progress": False}


@pytest.fixture(scope="module")
def frame():
    """a tells north from south and west; b tells west from the others; c is noise."""
    rng = np.random.default_rng(0)
    place = np.repeat(["south", "north", "west"], [30, 40, 20])
    X = pd.DataFrame(rng.normal(size=(90, 3)), columns=list("abc"))
    X["a"] += 6 * (place == "north")
    X["b"] += 6 * (place == "west")
    return X.assign(place=place)


@pytest.fixture(scope="module")
def stored(frame, tmp_path_factory):
    return tmp_path_factory.mktemp("explain") / "runs.sqlite"


@pytest.fixture(scope="module")
def found(frame, stored):
    return xcompare.explain(frame, "place", store=stored, name="places", **QUICK)


@pytest.mark.slow
def test_measures_by_features(found):
    assert found.table.index.tolist() == USED
    assert found.table.columns.tolist() == list("abc")
    assert (found.table.drop(columns="c").gt(found.table["c"], axis=0)).all(axis=None)
    assert found.overall_ranks.index[-1] == "c"


@pytest.mark.slow
def test_clusters_go_by_their_own_names(found):
    assert found.clusters == ("north", "south", "west")
    assert found.sizes.to_dict() == {"north": 40, "south": 30, "west": 20}


@pytest.mark.slow
def test_each_cluster_against_the_rest(found):
    best = found.per_cluster.idxmax(axis=1).unstack(level="cluster")
    assert set(best["north"]) == {"a"}
    assert set(best["west"]) == {"b"}
    assert found.cluster_importances.shape == (3, 3)


def test_sentences_say_what_makes_each_cluster(found):
    north, south, west = found.sentences
    assert north == "north (40 rows): high a. a > 3.33: north, 100% pure, covers 100%"
    assert west == "west (20 rows): high b. b > 2.45: west, 100% pure, covers 100%"
    assert south.startswith("south (30 rows): low a, low b. a <= 2.43 and b <= 2.45: south, 100% pure")
    assert repr(found).splitlines()[0] == "<Explanation of 3 clusters of places>"


def test_intervals_hold_every_score_of_the_bootstraps(found):
    frame = found.intervals
    assert len(frame) == 3 * len(USED)
    assert (frame["low"] <= frame["high"]).all()
    noise = frame[(frame["feature"] == "c") & (frame["measure"] == "information")]
    assert noise["high"].item() < 0.5


def test_noise_and_missing_labels_are_left_out_and_counted(frame):
    labels = np.repeat([0.0, 1.0, -1.0], 30)
    labels[:5] = np.nan
    found = xcompare.explain(
        frame[list("abc")], labels, measures="eta_squared", reference=1, names={0.0: "Low"}, **QUICK
    )
    assert found.left_out == {"missing": 5, "noise": 30}
    assert found.notes[-2:] == ["5 rows left out: no label", "30 rows left out: label -1 (noise)"]
    assert found.sizes.tolist() == [25, 30]
    assert found.clusters == ("Low", "1")  # pandas makes floats of whole numbers with gaps


@pytest.mark.slow
def test_the_names_of_clusters_change_no_number(frame, found):
    numbers = frame["place"].map({"south": 20, "north": 3, "west": 100})
    renamed = xcompare.explain(frame[list("abc")], numbers, **QUICK)
    assert renamed.clusters == ("3", "20", "100")
    pd.testing.assert_frame_equal(renamed.table, found.table)


def test_comes_back_from_the_store(found, stored):
    again = xcompare.Explanation.from_store(stored)
    pd.testing.assert_frame_equal(again.table, found.table)
    pd.testing.assert_frame_equal(again.per_cluster, found.per_cluster)
    pd.testing.assert_frame_equal(again.intervals, found.intervals)
    assert again.sentences == found.sentences
    assert again.left_out == found.left_out


def test_what_is_in_the_store_is_not_computed_again(frame, found, stored):
    counted = []
    xcompare.explain(frame, "place", store=stored, name="places", **QUICK | {"progress": counted.append})
    assert counted == []


def test_without_some_of_its_parts_a_stored_explanation_is_refused(found, stored, tmp_path):
    path = shutil.copy(stored, tmp_path / "run.sqlite")
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM comparisons WHERE rowid = 2")
    with pytest.raises(StoreError, match="are missing"):
        xcompare.Explanation.from_store(path)


def test_an_explanation_that_was_stopped_has_no_intervals(found, stored, tmp_path):
    path = shutil.copy(stored, tmp_path / "run.sqlite")
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM units")
    assert xcompare.Explanation.from_store(path).intervals["low"].isna().all()


def test_a_comparison_is_no_explanation(tmp_path):
    path = tmp_path / "runs.sqlite"
    iris = xcompare.load_dataset("iris")
    xcompare.compare(iris, methods="ls", n_jobs=1, store=path, progress=False)
    with pytest.raises(DataError, match="run must belong to a result of kind 'explanation'"):
        xcompare.Explanation.from_store(path)
    with pytest.raises(StoreError):
        xcompare.Explanation.from_store(tmp_path / "nothing.sqlite")


def test_crosstab_under_the_names_of_both(frame, found):
    other = np.where(frame["place"] == "west", "coast", "land")
    table = found.crosstab(other)
    assert table.loc["west"].to_dict() == {"coast": 20, "land": 0}
    assert table.loc["north"].to_dict() == {"coast": 0, "land": 40}
    with pytest.raises(DataError, match="one per row"):
        found.crosstab([1, 2])


def test_agreement_of_the_measures(found):
    pairs = found.agreement()
    assert {"measure", "other_measure", "spearman"} <= set(pairs.columns)
    assert len(pairs) == len(USED) * (len(USED) - 1) // 2


def test_plots(found):
    assert found.plot().get_title() == "places: each cluster against the rest"
    assert [text.get_text() for text in found.plot.densities()[0].get_legend().get_texts()] == [
        "north", "south", "west",
    ]  # fmt: skip
    labels = found.plot.strips(["a"])[0].get_yticklabels()
    assert [label.get_text() for label in labels] == ["north", "south", "west"]
    found.plot.measures()


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ("color", "name of a column; got 'color'"),
        ([1, 2], r"one per row \(90\); got 2"),
        (np.zeros(90), "at least two clusters; got 1"),
        (np.arange(90), "at least two rows on average; got 90 labels in 90 rows"),
        (np.full(90, np.nan), "at least two clusters; got 0"),
    ],
)
def test_labels_that_cannot_be_explained(frame, labels, said):
    with pytest.raises(DataError, match=said):
        xcompare.explain(frame[list("abc")], labels, **QUICK)


def test_measures_that_are_none(frame):
    with pytest.raises(UnknownNameError, match="no measure named 'krusal'; did you mean 'kruskal'"):
        xcompare.explain(frame, "place", measures="krusal", **QUICK)


def test_validated_by_clustering_again(frame):
    quick = QUICK | {"measures": "eta_squared", "random_state": 1}
    found = xcompare.explain(frame, "place", validate="KMeans(n_clusters=3, n_init=5)", **quick)
    table = found.validated
    assert list(table.columns) == ["p", "q", "device", "hypothesis", "note"]
    assert (table["q"] <= 0.05).to_dict() == {"a": True, "b": True, "c": False}
    assert set(table["device"]) == {"fission"}
    assert any(section.key == "validated" for section in found.page().sections)
    assert found.csv_tables()["validated"].equals(table)
    assert [row["feature"] for row in found.to_dict()["validated"]] == list("abc")


def test_what_cannot_be_validated_says_why(frame):
    few = frame.groupby("place").head(10)
    found = xcompare.explain(few, "place", validate="DBSCAN", measures="eta_squared", **QUICK)
    assert found.validated["q"].isna().all()
    assert "30 rows are too few" in found.validated["note"].iloc[0]
    with pytest.raises(DataError, match="validate must be"):
        xcompare.explain(frame, "place", validate=3, **QUICK)


def test_shown_in_a_notebook(found):
    shown = found._repr_html_()
    assert "<table" in shown
    assert found.sentences[0].split(".")[0] in shown


@pytest.fixture(scope="module")
def contrasted(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("contrasts") / "runs.sqlite"
    options = QUICK | {"measures": "eta_squared, tree_gini, centroid_perm", "store": path}
    names = {"west": "Coast"}
    return xcompare.explain(frame, "place", reference="each", names=names, **options), path


def test_contrasts_stand_beside_the_overall_view(contrasted):
    found, _ = contrasted
    assert [(found.clusters[one.cluster], one.against) for one in found.contrasts] == [
        ("north", "rest"), ("south", "rest"), ("Coast", "rest"),
        ("north", "south"), ("north", "Coast"), ("south", "Coast"),
    ]  # fmt: skip
    best = found.contrast_importances.idxmax(axis=1)
    assert best["north", "south"] == "a"
    assert best["south", "Coast"] == "b"
    assert found.contrast_importances.iloc[:3].to_numpy() == pytest.approx(
        found.cluster_importances.to_numpy()
    )


def test_a_contrast_sees_only_the_rows_of_its_clusters(contrasted, frame):
    two = frame[frame["place"] != "west"]
    alone = xcompare.explain(two, "place", measures="eta_squared, tree_gini", **QUICK)
    contrast = contrasted[0].by_contrast[0].table
    assert contrast.loc["eta_squared"].to_numpy() == pytest.approx(alone.table.loc["eta_squared"].to_numpy())
    assert contrast.loc["tree_gini"].to_numpy() == pytest.approx(alone.table.loc["tree_gini"].to_numpy())


def test_one_cluster_or_several_as_reference(frame):
    options = QUICK | {"measures": "eta_squared"}
    found = xcompare.explain(frame, "place", reference=["south", "west"], **options)
    one = found.contrasts[-1]
    assert (found.clusters[one.cluster], one.against) == ("north", "south, west")
    # The two together are the rest.
    assert found.by_contrast[0].table.to_numpy() == pytest.approx(found.by_cluster[0].table.to_numpy())
    with pytest.raises(UnknownNameError, match="reference must be rest, each, or among the clusters"):
        xcompare.explain(frame, "place", reference="east", **options)


def test_effects_of_each_contrast_in_the_units_of_the_data(contrasted, frame):
    found, _ = contrasted
    assert len(found.effects) == 6 * 3
    one = found.effects.set_index(["cluster", "reference", "feature"]).loc["south", "Coast", "b"]
    means = frame.groupby("place")["b"].mean()
    assert (one["value"], one["reference_value"]) == pytest.approx((means["south"], means["west"]))
    assert one["importance"] == found.contrast_importances.loc[("south", "Coast"), "b"]
    top = found.top(1)
    assert top[["cluster", "feature"]].to_numpy().tolist()[:3] == [
        ["north", "a"],
        ["south", "a"],
        ["Coast", "b"],
    ]
    assert found.to_dict()["effects"][0]["feature"] == "a"


def test_the_call_that_repeats_it_has_the_reference(contrasted, frame):
    assert "    reference='each'," in python_explain_call(contrasted[0])
    options = QUICK | {"measures": "eta_squared"}
    found = xcompare.explain(frame, "place", reference=["west", "north"], **options)
    assert "    reference=['north', 'west']," in python_explain_call(found)


def test_contrasts_and_names_come_back_from_the_store(contrasted):
    found, path = contrasted
    again = xcompare.Explanation.from_store(path)
    assert again.clusters == ("north", "south", "Coast")
    pd.testing.assert_frame_equal(again.effects, found.effects)


def test_names_can_be_changed(contrasted):
    found, _ = contrasted
    other = found.renamed({"south": "South & more"})
    assert other.clusters == ("north", "South & more", "Coast")
    assert other.effects["reference"].unique().tolist() == ["rest", "South & more", "Coast"]
    with pytest.raises(DataError, match="names must differ between clusters; got north, north, Coast"):
        found.renamed({"south": "north"})
    with pytest.raises(
        UnknownNameError, match="names must be among the clusters north, south, Coast; got 'east'"
    ):
        found.renamed({"east": "x"})


def test_sparse_rows_with_a_cluster_become_dense():
    X = np.random.default_rng(0).poisson(0.5, size=(30, 4)).astype(float)
    labels = np.tile([0, 1, -1], 10)
    (dense, left_out), (sparse, also) = (labelled(rows, labels, None) for rows in (X, csr_array(X)))
    assert (sparse.fingerprint, also) == (dense.fingerprint, left_out)


def test_a_polars_frame_may_hold_the_labels():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.normal(size=12), "b": rng.normal(size=12), "group": ["x", "y", "z"] * 4})
    data, _ = labelled(frame, "group", None)
    assert data.info.feature_names == ("a", "b")
    assert data.info.label_names == ("x", "y", "z")


def test_a_misspelt_column_of_labels_gets_a_hint(frame):
    with pytest.raises(DataError, match="or the name of a column; got 'A'; did you mean 'a'"):
        xcompare.explain(frame, "A", progress=False)


def test_a_cluster_in_the_middle_is_neither_high_nor_low():
    place = np.repeat(["left", "middle", "right"], 30)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": np.repeat([0, 6, 12], 30) + rng.normal(size=90), "b": rng.normal(size=90)})
    found = xcompare.explain(frame, place, **QUICK)
    said = [re.split(r"[,.] ", sentence.split(": ")[1])[0] for sentence in found.sentences]
    assert said == ["low a", "medium a", "high a"]
