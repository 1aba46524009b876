"""``xcompare sweep``."""

import json

import pandas as pd
import pytest

import xcompare as package
from xcompare.cli.sweeping import _spread_sizes
from xcompare.io.datasets import load_dataset

QUICK = ("--methods", "basic", "--runs", 1, "--jobs", 1)


@pytest.mark.slow
def test_sweep(xcompare, tmp_path):
    done = xcompare("sweep", "iris", "--max-features", "2,3", *QUICK)
    assert done.status == 0
    assert "basic: score by number of features drawn (m)" in done.stdout
    assert "m=2" in done.stdout
    assert "basic ARI" in done.stdout
    assert max(map(len, done.stdout.splitlines()[1:])) <= 80
    folder = tmp_path / "out" / "iris-sweep"
    assert {path.name for path in folder.iterdir()} == {
        "table.csv", "std.csv", "clustering.csv", "raw.csv", "failures.csv", "raw.parquet", "sweep.png",
        "heatmap.png",
        "report.html",
        "run.sqlite",
    }  # fmt: skip
    found = package.sweep(load_dataset("iris"), max_features=[2, 3], methods="basic", n_runs=1, n_jobs=1)
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "raw.parquet"), found.raw)
    shown = json.loads(xcompare("sweep", "iris", "--max-features", "2,3", *QUICK, "--json").stdout)
    assert shown["max_features"] == [2, 3]
    assert shown["rows"][0]["mean"] == found.table.loc[("basic", 2)].to_dict()


@pytest.mark.slow
def test_numbers_of_clusters(xcompare, tmp_path):
    done = xcompare("sweep", "iris", "--clusters", "2-3", "--methods", "cubt,ls", "--jobs", 1)
    assert done.status == 0
    assert "cubt: score by number of clusters (K)" in done.stdout
    assert "K=2" in done.stdout
    assert "m=" not in done.stdout
    page = (tmp_path / "out" / "iris-sweep-clusters" / "report.html").read_text()
    assert "does it matter how many clusters are looked for?" in page
    again = ("sweep", "iris", "--clusters", "2,3", "--methods", "cubt,ls", "--jobs", 1, "--json")
    shown = json.loads(xcompare(*again).stdout)
    assert shown["n_clusters"] == [2, 3]
    assert [(row["n_clusters"], row["method"]) for row in shown["rows"]] == [
        (2, "cubt"), (2, "ls"), (3, "cubt"), (3, "ls"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["iris", "--max-features", "2,9"], "max_features must be a number of features from 1 to 4"),
        (["iris", "--max-features", "a"], "--max-features must be numbers"),
        (["iris", "--methods", "ls"], "ls draws no features, so there is nothing to vary"),
        (["iris", "--methods", "bassic"], "did you mean 'basic'?"),
        (["irs"], "did you mean iris?"),
        (["iris", "--clusters", "2-x"], "--clusters must be numbers, e.g. 2-10 or 2,3,5"),
        (["iris", "--clusters", "two"], "--clusters must be a number or auto"),
        (["iris", "--clusters", "2,3", "--max-features", "2,3"], "got several values of both"),
    ],
)
def test_bad_input(refused, arguments, message):
    assert message in refused("sweep", *arguments)


@pytest.mark.parametrize(
    ("n_features", "sizes"),
    [(2, [1]), (3, [2]), (4, [2, 3]), (13, [2, 4, 6, 8, 10, 12]), (30, [2, 7, 13, 18, 24, 29])],
)
def test_default_sizes(n_features, sizes):
    assert _spread_sizes(n_features) == sizes


@pytest.mark.slow
def test_constant_columns_are_no_features_to_draw(xcompare, tmp_path):
    wide = load_dataset("iris").X[:, :3]
    frame = pd.DataFrame(wide, columns=list("abc")).assign(flat=1.0, level=2.0)
    frame.to_csv(tmp_path / "flat.csv", index=False)
    done = xcompare("sweep", "flat.csv", "-k", 3, *QUICK, "--json")
    assert done.status == 0
    shown = json.loads(done.stdout)
    assert (shown["features"], shown["max_features"]) == (["a", "b", "c"], [2])


@pytest.mark.slow
def test_the_tables_of_compare(xcompare, tmp_path):
    rows = [
        f"{at % 7 if at % 9 else ''},{at % 2 * 3 + at % 5},{'abc'[at % 3]},{'SML'[at % 3]}"
        for at in range(40)
    ]
    (tmp_path / "mixed.csv").write_text("\n".join(["a,b,plan,size", *rows]))
    options = ("--clusters", 2, "--max-features", "2,3", *QUICK, "--ordinal", "size: S<M<L", "--sample", 30)
    done = xcompare("sweep", "mixed.csv", *options)
    assert done.status == 0
    assert "note: not numeric: plan (nominal, 3 levels), size (ordinal, S < M < L)" in done.stderr
    assert "note: random sample of 30 of 40 rows (seed 0)" in done.stderr
    raw = pd.read_parquet(tmp_path / "out" / "mixed-sweep" / "raw.parquet")
    assert set(raw["feature"]) == {"a", "b", "plan", "size"}
    dropped = xcompare("sweep", "mixed.csv", *options, "--missing", "drop")
    assert "5 of 40 rows" in dropped.stderr
