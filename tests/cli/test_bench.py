"""``xcompare bench``."""

import json

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
        "report.html", "leaderboard.csv", "by_scenario.csv", "scores.csv", "claims.csv", "failures.csv",
        "leaderboard.tex", "scenarios.png", "time.png", "ranks.png", "run.sqlite",
    }  # fmt: skip
    assert {path.name for path in tmp_path.glob("leaderboard*")} == {
        "leaderboard.md", "leaderboard-scenarios.png", "leaderboard-time.png", "leaderboard-ranks.png",
    }  # fmt: skip
    runs = list_runs(folder / "run.sqlite")
    assert runs["done"].tolist() == runs["units"].tolist() == [3] * 4
    scores = (folder / "scores.csv").read_bytes()
    found = json.loads(xcompare(*TINY, "--json").stdout)  # from the store: the same to the last digit
    assert (folder / "scores.csv").read_bytes() == scores
    table = pd.read_csv(folder / "leaderboard.csv", index_col="method")
    assert [row["method"] for row in found["leaderboard"]] == list(table.index)
    assert found["auc"]["lone"]["truth"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["loen"], "no scenario named 'loen'; did you mean 'lone'?"),
        (["--tiers", "3"], "tiers must be of 1, 2; got 3"),
        (["--tiers", "a"], "--tiers takes 1, 2 or both"),
        (["--methods", "bassic"], "did you mean 'basic'?"),
        (["--draws", "0"], "n_draws must be a whole number"),
        (["--figures", "gif"], "figures must be of svg"),
    ],
)
def test_bad_input(refused, arguments, message):
    assert message in refused("bench", *arguments)
