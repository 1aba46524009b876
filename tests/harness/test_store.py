"""The store keeps what it is given, and refuses files that are not its own without touching them."""

import shutil
import sqlite3
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import xcompare
from xcompare.core.errors import StoreError, UnknownNameError
from xcompare.harness.plan import Part, Plan, Row
from xcompare.harness.preparation import prepare
from xcompare.harness.schema import APPLICATION_ID
from xcompare.harness.store import RunStore, list_runs
from xcompare.harness.unit import UnitResult
from xcompare.methods import Scores
from xcompare.results.report import write_report

PLAN = Plan("f", 2, 0, (Row("efron", "python", {"n_replicas": 3}, 2),))
FRAME = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [2.0, 0.0, 1.0]})
WINE = prepare(FRAME, 2, ["red", "white", "white"], "wine")
IRIS = prepare(FRAME, 2, None, "iris")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.sqlite"


def result(status="ok", run=0, **fields):
    scores = Scores(
        np.array([0.1, 1 / 3]),
        "fake 1",
        np.array([0, 1, 1]),
        variants={"unweighted": np.array([0.2, 1e-300])},
    )
    unit = PLAN.units()[run]
    defaults = {"scores": scores if status == "ok" else None, "seconds": 0.5}
    return UnitResult(unit, status, **{**defaults, **fields})


def test_round_trip(path):
    saved = result(warnings=("w1", "w2"), output="R said", versions={"R": "4.2.2"})
    with RunStore(path) as store:
        store.save(saved, PLAN)
    with RunStore(path) as store:
        [read] = store.results(PLAN.units(), len(FRAME)).values()
    np.testing.assert_array_equal(read.scores.scores, saved.scores.scores)  # every bit
    np.testing.assert_array_equal(read.scores.variants["unweighted"], [0.2, 1e-300])
    np.testing.assert_array_equal(read.scores.labels, [0, 1, 1])
    assert (read.unit, read.warnings, read.output, read.versions) == (
        saved.unit, saved.warnings, "R said", {"R": "4.2.2"},
    )  # fmt: skip
    assert (read.scores.software, read.seconds) == ("fake 1", 0.5)


def test_failures_are_kept_to_read_and_are_not_finished(path):
    with RunStore(path) as store:
        store.save(result("failed", message="why"), PLAN)
        assert store.finished(PLAN.units()) == set()
        [read] = store.results(PLAN.units(), len(FRAME)).values()
    assert (read.status, read.message, read.scores) == ("failed", "why", None)


def test_a_good_result_replaces_a_failure_and_never_the_other_way_round(path):
    with RunStore(path) as store:
        for status in ("timeout", "ok", "failed"):
            store.save(result(status), PLAN)
        [read] = store.results(PLAN.units(), len(FRAME)).values()
    assert read.status == "ok"


def test_every_result_is_committed_at_once(path):
    with RunStore(path) as writer, RunStore(path) as reader:
        writer.save(result(), PLAN)
        assert len(reader.finished(PLAN.units())) == 1


def test_reference_labels_keep_their_names(path):
    with RunStore(path) as store:
        store.save_comparison(PLAN, WINE.info)
        [stored] = store.comparisons()
    assert stored.label_names == ("red", "white")
    assert stored.labels.tolist() == [0, 1, 1]


def test_comparisons_are_found_by_key_and_name_the_latest_first(path):
    with RunStore(path) as store:
        first = store.save_comparison(PLAN, WINE.info)
        second = store.save_comparison(PLAN, IRIS.info)
        assert store.find_comparison().key == second
        assert store.find_comparison(first[:8]).name == "wine"
        found = store.find_comparison("wine")
        assert (found.plan.units(), found.feature_names, found.n_samples) == (PLAN.units(), ("a", "b"), 3)
        assert found.labels.tolist() == [0, 1, 1]
        assert store.save_comparison(PLAN, WINE.info) == first
        assert store.find_comparison().key == first
        with pytest.raises(UnknownNameError, match=r"no run 'nope' .* it holds .*\(wine\), .*\(iris\)"):
            store.find_comparison("nope")


def test_list_runs(path):
    with RunStore(path) as store:
        key = store.save_comparison(PLAN, WINE.info)
        store.save(result(), PLAN)
        store.save(result("failed", run=1), PLAN)
    [row] = list_runs(path).to_dict("records")
    assert (row["run"], row["name"], row["methods"], row["units"], row["done"]) == (
        key,
        "wine",
        "efron",
        2,
        1,
    )


def test_more_units_than_sqlite_takes_parameters():
    plan = replace(PLAN, rows=(Row("efron", "python", {}, 1200),))
    units = plan.units()
    with RunStore(None) as store:
        assert store.finished(units) == set()
        for at in (0, 498, 499, 500, 999, 1000, 1199):
            store.save(replace(result(), unit=units[at]), plan)
        assert store.finished(units) == {units[at].key for at in (0, 498, 499, 500, 999, 1000, 1199)}
        assert set(store.results(units, len(FRAME))) == store.finished(units)


def test_a_whole_is_put_together_of_the_latest_of_each_part():
    parts = [("old", "whole", 3), ("one", "whole", 2), ("new", "whole", 3), ("other", "another", 4)]
    with RunStore(None) as store:
        keys = {
            name: store.save_comparison(
                replace(PLAN, fingerprint=name, part=Part("sweep", whole, at)), IRIS.info
            )
            for name, whole, at in parts
        }
        found = store.siblings(store.find_comparison(keys["old"]))
    assert [(at, one.key) for at, one in found.items()] == [(2, keys["one"]), (3, keys["new"])]


def foreign_database(path):
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE cats (name TEXT)")


def newer_schema(path):
    RunStore(path).close()
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")


def cut_short(path):
    with RunStore(path) as store:
        for run in (0, 1):
            store.save(result(run=run, output="x" * 50_000), PLAN)
    path.write_bytes(path.read_bytes()[:40_000])


def overwritten(path):
    with RunStore(path) as store:
        store.save(result(output="x" * 50_000), PLAN)
    content = bytearray(path.read_bytes())
    content[4096:8192] = b"\xff" * 4096
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path.write_text("method,x0\nls,1\n" * 100), "is not a run store, or damaged"),
        (foreign_database, "is an SQLite file of another program"),
        (newer_schema, "has schema version 99, this xcompare reads 7"),
        (cut_short, "damaged"),
        (overwritten, "damaged"),
    ],
)
def test_files_that_are_no_store_are_refused_and_left_alone(path, make, message, X):
    make(path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=message):
        xcompare.compare(X, 2, methods="ls", store=path)
    assert path.read_bytes() == before


def full(path, pages):
    """A store on a disk with room for so many more pages."""
    store = RunStore(path)
    [used] = store._database.execute("PRAGMA page_count").fetchone()
    store._database.execute(f"PRAGMA max_page_count = {used + pages}")
    return store


def test_a_full_disk_is_an_error_and_what_was_saved_stays(path):
    with full(path, 3) as store:
        store.save(result(), PLAN)
        with pytest.raises(StoreError, match="database or disk is full"):
            store.save(result(run=1, output="x" * 100_000), PLAN)
    with RunStore(path) as store:
        assert len(store.finished(PLAN.units())) == 1


def test_an_output_folder_stands_for_its_store(tmp_path):
    with RunStore(tmp_path) as store:
        store.save(result(), PLAN)
    with RunStore(tmp_path / "run.sqlite", create=False) as store:
        assert len(store.results(PLAN.units(), len(FRAME))) == 1


def test_a_folder_deleted_under_a_store_is_an_error(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    with RunStore(folder / "run.sqlite") as store:
        shutil.rmtree(folder)
        with pytest.raises(StoreError, match="cannot use the run store"):
            store.save(result(), PLAN)
    assert not folder.exists()


def test_a_store_that_cannot_be_written_leaves_no_file(path, monkeypatch):
    monkeypatch.setattr("xcompare.harness.schema.TABLES", ("CREATE nonsense",))
    with pytest.raises(StoreError, match="cannot use the run store"):
        RunStore(path)
    assert not path.exists()


def test_an_empty_file_becomes_a_store(path):
    path.touch()
    RunStore(path).close()
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


def test_paths_that_cannot_be_used(tmp_path, path):
    with pytest.raises(StoreError, match="its folder does not exist"):
        RunStore(tmp_path / "no" / "runs.sqlite")
    with pytest.raises(StoreError, match="no run store at"):
        RunStore(path, create=False)
    (tmp_path / "out" / "run.sqlite").mkdir(parents=True)
    with pytest.raises(StoreError, match="cannot use the run store"):
        RunStore(tmp_path / "out")
    RunStore(path).close()
    with pytest.raises(StoreError, match="holds no comparison yet"):
        xcompare.Comparison.from_store(path)


@pytest.mark.slow
def test_reading_a_store_makes_none_of_its_estimators(path, X, monkeypatch, tmp_path):
    options = {"n_replicas": 3}
    xcompare.compare(
        X, 2, methods="efron", estimator="KMeans", options=options, n_runs=1, n_jobs=1, store=path
    )

    def refuse(text):
        raise AssertionError(f"{text} was made")

    for module in ("bagging.clusterer_text", "methods.bagging"):
        monkeypatch.setattr(f"xcompare.{module}.clusterer_from_text", refuse)
    found = xcompare.Comparison.from_store(path)
    assert found.plan.rows[0].options["estimator"] == "KMeans()"
    write_report(found, tmp_path / "report.html")
    list_runs(path)


@pytest.fixture
def of_kinds():
    frame = FRAME.assign(plan=pd.Categorical(["x", None, "y"]))
    with pytest.warns(UserWarning, match="not numeric: plan"):
        return prepare(frame, 2, name="kinds")


def test_kinds_and_levels_are_kept(path, of_kinds):
    with RunStore(path) as store:
        store.save_comparison(PLAN, of_kinds.info, of_kinds.values)
        found = store.find_comparison()
        assert found.info.features == of_kinds.info.features
        assert found.feature_names == ("a", "b", "plan")
        np.testing.assert_array_equal(store.data(found), of_kinds.values)


@pytest.mark.parametrize("features", ['[["a"]]', '[["a", "color", []]]', '[["a", "nominal", [1]]]', "[1]"])
def test_damaged_kinds_are_told_in_one_line(path, of_kinds, features):
    with RunStore(path) as store:
        store.save_comparison(PLAN, of_kinds.info)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE comparisons SET feature_names = ?", (features,))
    with RunStore(path) as store, pytest.raises(StoreError, match="is damaged"):
        store.comparisons()
