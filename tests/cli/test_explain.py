"""`xcompare explain`: clusters of a column, in the terminal, as files, as JSON, and again from the store."""

import json

import numpy as np
import pandas as pd
import pytest

QUICK = ("--runs", "1", "--bootstraps", "3", "--jobs", "1")


@pytest.fixture
def cells(tmp_path):
    """Two groups that differ in size; three cells of no group, two without a label."""
    rng = np.random.default_rng(0)
    group = np.array(["big"] * 20 + ["small"] * 20, dtype=object)
    frame = pd.DataFrame({"size": rng.normal(np.where(group == "big", 9, 0)), "age": rng.normal(size=40)})
    group[[3, 30]] = ""
    frame.assign(group=group).to_csv(tmp_path / "cells.csv", index=False)
    return tmp_path / "cells.csv"


@pytest.mark.slow
def test_the_answer_then_a_sentence_for_each_cluster(xcompare, cells):
    done = xcompare("explain", cells, "--labels", "group", *QUICK)
    assert done.status == 0
    assert done.stdout.startswith("size ")
    assert "big (19 rows): high size. size > " in done.stdout
    assert "chosen to differ" in " ".join(done.stdout.split())  # the caution


@pytest.mark.slow
def test_another_cluster_as_reference_under_a_name_of_its_own(xcompare, cells):
    options = (
        "--labels",
        "group",
        "--reference",
        "small",
        "--names",
        "big=Large cells",
        "--measures",
        "kruskal",
    )
    done = xcompare("explain", cells, *options, "--top", "1", *QUICK)
    tables = done.stdout.split("Large cells against ")[1:]
    assert [table.split()[0] for table in tables] == ["rest", "small"]
    assert "covers" in tables[1]
    assert "100%" in tables[1]
    assert "size" in tables[1]
    assert "age" not in tables[1].split("means (")[0]


@pytest.mark.slow
def test_json_files_and_the_report_again_from_the_store(xcompare, cells, tmp_path):
    done = xcompare(
        "explain", cells, "--labels", "group", *QUICK, "--out", "found", "--figures", "svg", "--json"
    )
    shown = json.loads(done.stdout)
    assert shown["left_out"] == {"missing": 2, "noise": 0}
    big, small = shown["clusters"]
    assert (big["cluster"], big["rows"], big["coverage"]) == ("big", 19, 1.0)
    assert small["importances"]["size"] > small["importances"]["age"]
    found = tmp_path / "found"
    for name in ("table", "per_cluster", "cluster_importances", "intervals", "profiles", "agreement"):
        assert len(pd.read_csv(found / f"{name}.csv"))
    assert (found / "strips.svg").exists()
    page = (found / "report.html").read_text()
    for text in (
        "What characterises each cluster",
        "Cluster by cluster",
        "How precise are the scores?",
        "2 rows left out",
    ):
        assert text in page
    (found / "report.html").unlink()
    assert xcompare("report", "found").status == 0
    again = (found / "report.html").read_text()
    assert "big (19 rows): high size" in again
    assert "2 rows left out" in again


def test_labels_are_needed(refused, cells):
    named = refused("explain", cells, "--labels", "group", "--names", "big", *QUICK)
    assert named.startswith('--names must be pairs, e.g. "1=Loyal,2=New"; got')
    assert refused("explain", cells, "--drop", "group", *QUICK).startswith("no cluster labels: give --labels")
    assert "has no column 'kind'" in refused("explain", cells, "--labels", "kind", *QUICK)


@pytest.mark.slow
def test_the_features_are_tested_by_clustering_again(xcompare, cells):
    done = xcompare(
        "explain", cells, "--labels", "group", "--measures", "eta_squared", *QUICK, "--validate", "KMeans(2)"
    )
    assert done.status == 2
    assert "parameters must be given by name" in done.stderr
    done = xcompare(
        "explain", "iris", "--measures", "eta_squared", *QUICK, "--validate", "KMeans(n_clusters=3)"
    )
    assert done.status == 0
    assert "Validated by clustering again (KMeans(n_clusters=3)" in done.stdout
