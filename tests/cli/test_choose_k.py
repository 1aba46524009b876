"""`xcompare choose-k`: the answer and a table, files, JSON, and the report again from the store."""

import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def cells(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(45, 3)) + 7 * (np.arange(45) % 3)[:, None]
    pd.DataFrame(values, columns=["size", "age", "light"]).to_csv(tmp_path / "cells.csv", index=False)
    return tmp_path / "cells.csv"


@pytest.mark.slow
def test_terminal_files_and_the_report_again(xcompare, cells, tmp_path):
    done = xcompare("choose-k", cells, "-k", "2-4", "--jobs", "1", "--out", "found")
    assert done.status == 0
    assert done.stdout.startswith("3 clusters: ")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["K", "density", "gap", "BIC"] in lines
    found = tmp_path / "found"
    assert pd.read_csv(found / "curves.csv")["n_clusters"].tolist() == [2, 3, 4]
    assert (found / "curves.png").exists()
    (found / "report.html").unlink()
    assert xcompare("report", "found").status == 0
    assert "how many clusters?" in (found / "report.html").read_text()
    found = json.loads(xcompare("choose-k", cells, "-k", "2-4", "--out", "found", "--json").stdout)
    assert found["best"] == 3
    assert found["p_clusters"] < 0.05
    assert [one["n_clusters"] for one in found["curves"]] == [2, 3, 4]


@pytest.mark.parametrize(
    ("ks", "said"),
    [
        ("2-x", "--clusters must be numbers"),
        ("1-3", "--clusters must be numbers of at least 2"),
        ("9-2", "got '9-2'"),
    ],
)
def test_numbers_that_are_none_are_refused_in_one_line(xcompare, cells, ks, said):
    done = xcompare("choose-k", cells, "-k", ks)
    assert done.status == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
