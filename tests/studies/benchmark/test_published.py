"""Tier 3: data as described, published results beside ours, first places, results exchanged."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from xcompare.core.errors import DataError
from xcompare.methods import METHODS
from xcompare.studies.benchmark import bench
from xcompare.studies.benchmark.exchange import read_results, schema, write_results
from xcompare.studies.benchmark.families import ALL, first_place_sentences, first_places, winner
from xcompare.studies.benchmark.published_results import beside_published
from xcompare.studies.benchmark.scenarios import SCENARIOS, chosen_scenarios

FEW = {"n_draws": 3, "n_jobs": 1, "timeout": None, "progress": False}
HERE = [row for row in SCENARIOS.values() if row.tier == 3 and row.why_left_out is None]


@pytest.mark.parametrize("row", [row for row in HERE if "_1000" not in row.name], ids=lambda row: row.name)
def test_relevant_features_say_more_of_the_clusters_than_noise(row):
    data = row.draw(0)
    classes = [data.labels == k for k in np.unique(data.labels)]
    h = stats.kruskal(*(data.X[rows] for rows in classes)).statistic
    assert np.median(h[data.relevant]) > 2 * np.median(h[~data.relevant])
    if row.source == "cluster_loco":
        assert data.X.shape == (1400, int(row.name.split("_")[-1]))
        assert data.relevant.sum() == 10


def test_third_tier_runs_if_asked_for_by_number_or_name():
    assert {row.tier for row in chosen_scenarios()} == {1, 2}
    assert [row.name for row in chosen_scenarios("clustvarsel, lone")] == ["lone", "clustvarsel"]
    assert {row.tier for row in chosen_scenarios(tiers=(3,), quick=True)} == {3}


def test_data_of_a_package_that_is_missing_are_left_out(monkeypatch):
    monkeypatch.setattr("xcompare.studies.benchmark.scenarios.find_spec", lambda name: None)
    said = "the data need scanpy and h5py: pip install scanpy h5py"
    assert SCENARIOS["pbmc68k"].why_left_out == said


@pytest.fixture(scope="module")
def found():
    return bench("clustvarsel", methods="pbfi, variance, random", **FEW)


def scores_of(scenarios, **aucs):
    """Scores of methods on the same number of draws of each scenario."""
    n_draws = len(next(iter(aucs.values()))) // len(scenarios)
    where = [(name, draw) for name in scenarios for draw in range(n_draws)]
    return pd.DataFrame(
        [
            {"scenario": scenario, "draw": draw, "method": method, "auc": auc}
            for method, values in aucs.items()
            for (scenario, draw), auc in zip(where, values, strict=True)
        ]
    )


A = [0.9, 0.8, 1.0, 0.7, 0.8, 0.9, 0.8, 0.8, 0.9, 1.0]
B = [0.8, 0.72, 0.91, 0.6, 0.68, 0.81, 0.7, 0.7, 0.82, 0.9]


@pytest.mark.parametrize(
    ("scenarios", "axis", "over"),
    [(("shared", "lone"), 0, "draws"), (("shared", "lone", "copies", "moons", "rings"), 1, "scenarios")],
)
def test_first_place_is_told_apart_by_paired_differences(scenarios, axis, over):
    c = [*A[:8], 0.91, 0.98]
    table = first_places(scores_of(scenarios, a=A, b=B, c=c))
    line = table.set_index("other").loc["b"]
    units = (np.array(A) - B).reshape(len(scenarios), -1).mean(axis=axis)
    reach = stats.t.ppf(1 - 0.05 / 2 / 2, 4) * units.std(ddof=1) / np.sqrt(5)
    assert line[["low", "high"]].tolist() == pytest.approx([units.mean() - reach, units.mean() + reach])
    assert table["told_apart"].tolist() == [False, True]
    assert first_place_sentences(table) == [
        f"simulated: a, mean AUC 0.860, not told apart from c (intervals over {over})."
    ]


def test_a_winner_is_named_only_if_it_is_told_apart_from_all_others():
    where = ("shared", "lone", "copies", "moons", "iris")
    c = [*A[:8], 0.91, 0.98]
    table = first_places(scores_of(where, a=A, b=B, c=c))
    assert list(dict.fromkeys(table["family"])) == [ALL, "simulated", "real data"]
    of_all = table[table["family"] == ALL].set_index("other")
    units = (np.array(A) - B).reshape(5, 2).mean(axis=1)
    reach = stats.t.ppf(1 - 0.05 / 2 / 2, 4) * units.std(ddof=1) / np.sqrt(5)
    assert of_all.loc["b", "low"] == pytest.approx(units.mean() - reach)
    near = of_all.loc["c"]
    assert winner(table) == (
        "Over 5 scenarios a has the largest mean AUC, 0.860, but is not told apart from c: the 95% intervals"
        " of the paired differences include 0. Its difference from the next, c, is"
        f" 0.001 ({near['low']:.3f} to {near['high']:.3f})."
    )
    assert [line.split(":")[0] for line in first_place_sentences(table)] == ["simulated", "real data"]
    apart = first_places(scores_of(where, a=A, b=B))
    assert winner(apart).startswith(
        "Over 5 scenarios a finds the relevant features best: its mean AUC, 0.860, is told apart from all"
        " others by 95% intervals of the paired differences. Its difference from the next, b, is 0.096 (0.0"
    )
    few = first_places(scores_of(("lone",), a=A[:2], b=B[:2]))
    assert winner(few) == (
        "Over 1 scenario a has the largest mean AUC, 0.850; no winner is named, with too few scenarios and"
        " draws for intervals."
    )


def test_fewer_than_five_draws_have_no_interval():
    table = first_places(scores_of(("shared", "lone"), a=[1.0] * 4, b=[0.5, 0.5, 0.5, 0.4]))
    assert table[["low", "high"]].isna().all(axis=None)
    assert not table["told_apart"].any()
    assert first_place_sentences(table) == [
        "simulated: a, mean AUC 1.000, too few draws for intervals (4 of 2 scenarios)."
    ]


def test_published_results_stand_beside_ours():
    runs = [("pbmc68k", method, auc, 0.3) for method, auc in (("truth", 1), ("lrp", 0.7), ("efron", 0.76))]
    table = beside_published(
        pd.DataFrame(runs, columns=["scenario", "method", "auc", "average_precision"])
    ).set_index(["measure", "method"])
    line = table.loc[("auc", "lrp")]
    assert (line["published"], line["measured"], line["best"]) == (0.724, 0.7, "efron")
    assert np.isnan(table.loc[("auc", "pbfi"), "measured"])


def test_every_test_of_others_but_that_of_sparse_kmeans_has_published_results():
    tests = [row for row in SCENARIOS.values() if row.tier == 3]
    runs = pd.DataFrame({"scenario": [row.name for row in tests], "method": "ls"})
    found = beside_published(runs.assign(auc=0.5, average_precision=0.5, precision=0.5))
    assert {row.name for row in tests} - set(found["scenario"]) == {"sparse_kmeans_200", "sparse_kmeans_500"}
    assert found["published"].between(0, 1).all()
    assert set(found["method"]) <= set(METHODS)


def test_results_are_exchanged_as_one_file(found, tmp_path):
    found.write(tmp_path, formats=["parquet"])
    read, about = read_results(tmp_path / "results.parquet")
    assert about["random_state"] == 0
    pd.testing.assert_frame_equal(read, found.scores, check_dtype=False)
    other = bench("clustvarsel", methods="dip", **FEW | {"n_draws": 2})
    both = other.merged(tmp_path / "results.parquet")
    assert set(both.methods) == {"dip", "pbfi", "variance", "random"}
    assert both.scores["draw"].max() == 1  # the draws that both have
    expected = found.scores.query("draw < 2 and method == 'pbfi'")["auc"].mean()
    assert both.by_scenario().loc["clustvarsel", "pbfi"] == pytest.approx(expected)
    with pytest.raises(DataError, match=r"results.parquet must have methods that are not run here; got none"):
        found.merged(tmp_path / "results.parquet")
    some = bench("clustvarsel", methods="dip, random", **FEW | {"n_draws": 2})
    theirs = read_results(tmp_path / "results.parquet")[0].assign(auc=0.123)
    write_results(replace(found, scores=theirs), tmp_path / "changed.parquet")
    kept = some.merged(tmp_path / "changed.parquet").by_scenario().loc["clustvarsel"]
    assert kept["random"] == some.by_scenario().loc["clustvarsel", "random"]  # that of this benchmark
    assert kept["pbfi"] == pytest.approx(0.123)
    with pytest.raises(DataError, match="has no draw in common with this benchmark"):
        bench("clustvarsel", methods="dip", random_state=1, **FEW).merged(tmp_path / "results.parquet")


def test_a_file_of_something_else_is_refused_in_one_line(tmp_path):
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "other.parquet")
    with pytest.raises(DataError, match="must be results of xcompare bench, format 1; got another table"):
        read_results(tmp_path / "other.parquet")
    with pytest.raises(DataError, match=r"no file .*none\.parquet"):
        read_results(tmp_path / "none.parquet")


def test_the_page_for_method_authors_has_every_column_of_the_file():
    page = Path(__file__).parents[3] / "docs" / "benchmark-your-method.md"
    table = page.read_text(encoding="utf-8").split("| column | type | meaning |")[1].split("\n\n")[0]
    cells = [line.split("|")[1] for line in table.splitlines()[2:]]
    assert sorted(re.findall(r"`(\w+)`", " ".join(cells))) == sorted(schema().names)
