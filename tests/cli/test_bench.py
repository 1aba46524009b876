"""``xcompare bench``."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import pandas as pd
import pytest

from xcompare import list_runs

TINY = ("bench", "lone", "iris", "--methods", "mi_kmeans,ls,cubt", "--draws", 2, "--jobs", 1)


@pytest.mark.slow
def test_bench_prints_writes_and_resumes(xcompare, tmp_path):
    done = xcompare(*TINY, "--page", "leaderboard.md")
    assert done.status == 0
    assert done.stdout.startswith("Over 2 scenarios")
    assert "truth" in done.stdout
    assert max(map(len, done.stdout.splitlines()[1:])) <= 80
    folder = tmp_path / "out" / "bench"
    assert {path.name for path in folder.iterdir()} == {
        "report.html", "leaderboard.csv", "by_scenario.csv", "scores.csv", "answers.csv", "failures.csv",
        "first_places.csv", "results.parquet", "citation.bib",
        "leaderboard.tex", "scenarios.png", "cost.png", "run.sqlite",
    }  # fmt: skip
    assert {path.name for path in tmp_path.glob("leaderboard*")} == {
        "leaderboard.md", "leaderboard.parquet", "leaderboard-scenarios.png", "leaderboard-cost.png",
    }  # fmt: skip
    runs = list_runs(folder / "run.sqlite")
    assert runs["done"].tolist() == runs["units"].tolist() == [3] * 4
    scores = (folder / "scores.csv").read_bytes()
    found = json.loads(xcompare(*TINY, "--json").stdout)  # from the store: the same to the last digit
    assert (folder / "scores.csv").read_bytes() == scores
    table = pd.read_csv(folder / "leaderboard.csv", index_col="method")
    assert [row["method"] for row in found["leaderboard"]] == list(table.index)
    assert found["auc"]["lone"]["truth"] == 1
    other = ("bench", "lone", "--methods", "random", "--draws", 2, "--jobs", 1, "--figures", "", "--out", "o")
    merged = json.loads(xcompare(*other, "--merge", folder / "results.parquet", "--json").stdout)
    assert set(merged["auc"]["lone"]) == {"truth", "random", "mi_kmeans", "ls", "cubt"}
    assert merged["auc"]["lone"]["ls"] == found["auc"]["lone"]["ls"]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("stop", [pytest.param(signal.SIGKILL, marks=pytest.mark.endurance), signal.SIGINT])
def test_a_bench_that_was_stopped_goes_on_to_the_same_scores(tmp_path, xcompare, stop):
    methods = ("--methods", "cubt,urf_gini", "--draws", "4")
    arguments = ("bench", "shared", *methods, "--jobs", "1", "--figures", "")
    process = subprocess.Popen(
        [sys.executable, "-m", "xcompare", *arguments, "--out", "o"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        start_new_session=True,
    )
    store = tmp_path / "o" / "run.sqlite"
    deadline = time.monotonic() + 60
    while len(units_in(store)) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, stop)
    _, said = process.communicate(timeout=30)
    kept = units_in(store)
    assert 2 <= len(kept) < 8  # two methods on 4 draws
    if stop == signal.SIGINT:
        assert process.returncode == 130
        assert f"stopped; {len(kept)} of 8 runs are saved in o/run.sqlite" in said
    assert not (tmp_path / "o" / "scores.csv").exists()
    again = xcompare(*arguments, "--out", "o")
    assert kept < units_in(store)
    assert len(units_in(store)) == 8
    assert xcompare(*arguments, "--out", "at_once").status == again.status == 0
    resumed, at_once = (
        pd.read_csv(tmp_path / folder / "scores.csv").drop(columns=["seconds", "memory"])
        for folder in ("o", "at_once")
    )
    pd.testing.assert_frame_equal(resumed, at_once)


def units_in(store):
    """Runs that a store holds, to the byte."""
    if not store.exists():
        return set()
    with sqlite3.connect(store) as database:
        try:
            return set(database.execute("SELECT * FROM units"))
        except sqlite3.OperationalError:
            return set()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["loen"], "no scenario named 'loen'; did you mean 'lone'?"),
        (["--tiers", "4"], "tiers must be among 1, 2, 3; got 4"),
        (["--tiers", "a"], "--tiers must be among 1, 2, 3, separated by commas"),
        (["--methods", "bassic"], "did you mean 'basic'?"),
        (["--draws", "0"], "n_draws must be a whole number"),
        (["--figures", "gif"], "figures must be among svg"),
    ],
)
def test_bad_input(refused, arguments, message):
    assert message in refused("bench", *arguments)
