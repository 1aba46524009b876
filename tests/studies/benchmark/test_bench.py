"""`bench`: the same numbers however it is run, failures that keep their row, and what the table says."""

import re

import numpy as np
import pandas as pd
import pytest

from tests.fakes import fails, fine
from xcompare.core.errors import DataError, SchedulerError
from xcompare.harness.plan import plan_rows
from xcompare.methods import get_method
from xcompare.results.recommendation import DESCRIPTION
from xcompare.results.report import build_report
from xcompare.studies.benchmark import bench
from xcompare.studies.benchmark.document import document
from xcompare.studies.benchmark.protocol import FULL, QUICK, BenchmarkEffort, jobs
from xcompare.studies.benchmark.scenarios import SCENARIOS
from xcompare.studies.benchmark.sections import parts

FEW = {"n_draws": 2, "n_jobs": 1, "timeout": None, "progress": False}


@pytest.fixture(scope="module")
def found():
    return bench("lone, copies, iris", methods="mi_kmeans, ls, cubt", **FEW)


@pytest.mark.slow
def test_the_truth_leads_and_every_method_has_a_row(found):
    table = found.table
    assert table.index[0] == "truth"
    assert set(table.index) == {"truth", "mi_kmeans", "ls", "cubt"}
    assert table.loc["truth", ["auc", "auc_1", "auc_2", "precision"]].tolist() == [1, 1, 1, 1]
    assert table["rank"].drop("truth").is_monotonic_increasing
    assert found.answer.startswith(
        f"Over 3 scenarios {found.results.mean().idxmax()} has the largest mean AUC"
    )
    assert found.answer.endswith("no winner is named, with too few scenarios and draws for intervals.")
    assert list(found.by_scenario().index) == ["lone", "copies", "iris"]


@pytest.mark.slow
def test_numbers_depend_on_neither_order_nor_processes(found):
    again = bench(["iris", "copies"], methods="cubt, mi_kmeans", **{**FEW, "n_jobs": 2})
    expected = found.by_scenario().loc[["copies", "iris"], ["mi_kmeans", "cubt"]]
    pd.testing.assert_frame_equal(again.by_scenario()[["mi_kmeans", "cubt"]], expected)


def test_a_scheduler_that_is_named_is_asked():
    pytest.importorskip("distributed")
    with pytest.raises(SchedulerError, match="no Dask scheduler answers at nonsense"):
        bench("lone", methods="ls", **{**FEW, "n_jobs": None, "scheduler": "nonsense"})


@pytest.mark.slow
def test_a_method_that_reads_the_other_way_round_is_turned(found):
    assert not get_method("ls").larger_is_better
    assert found.by_scenario().loc["copies", "ls"] > 0.9


def test_a_method_that_fails_keeps_its_row_and_counts_as_random(register):
    register(fine, fails)
    board = bench("lone", methods="fine, fails, cubt", **FEW)
    assert board.table.loc["fails", "auc"] == 0.5
    assert board.table.loc["fails", "ari"] == 0
    assert board.table.loc["fails", "n_failed"] == 2
    assert np.isnan(board.by_scenario().loc["lone", "fails"])
    [row] = board.failures.to_dict(orient="records")
    assert (row["method"], row["scenarios"], row["runs"]) == ("fails", "lone", 2)
    assert "this method never works" in row["message"]


@pytest.mark.slow
def test_a_method_that_calls_itself_slow_is_skipped_with_its_reason(register):
    register(fine, seconds=lambda n, p, k: 3600.0, faster="ask for fewer rows")
    board = bench("lone", methods="fine, cubt", **FEW)
    [row] = board.failures.to_dict(orient="records")
    assert row["status"] == "skipped"
    assert re.fullmatch(
        r"skipped: fine takes about 3,600 s per run on .*; ask for fewer rows", row["message"]
    )
    assert bench("lone", methods="fine", **FEW).table.loc["fine", "auc"] == 0.5


def test_a_slow_method_that_expects_to_stay_below_the_time_limit_is_run(register):
    register(fine, seconds=lambda n, p, k: 20.0, faster="ask for fewer rows")
    rows = plan_rows("fine", "auto", 1, {})
    for timeout, skipped in ((60.0, False), (10.0, True), (None, True)):
        [job] = jobs([SCENARIOS["lone"]], rows, BenchmarkEffort(1, 1), 0, timeout)
        assert (job.plan is None) == skipped


def test_draws_that_are_asked_for_are_drawn_of_slow_scenarios_too():
    rows = plan_rows("random", "auto", 1, {})
    for effort, n_draws in ((FULL, 2), (BenchmarkEffort(4, 4, fewer_if_large=False), 4)):
        assert len(list(jobs([SCENARIOS["n_5000"]], rows, effort, 0, None))) == n_draws


def test_scenarios_without_their_package_are_left_out_with_the_reason(monkeypatch):
    monkeypatch.setattr("xcompare.rbridge.why_unavailable", lambda packages: "no R here")
    board = bench("lone, crabs", methods="ls", **FEW)
    assert board.left_out == {"crabs": "no R here"}
    assert list(board.by_scenario().index) == ["lone"]
    assert "Left out: crabs: no R here" in build_report(board)


@pytest.fixture(scope="module")
def answers():
    return bench("nothing_gaussian, shared", methods="refined", **{**FEW, "n_draws": 1})


def test_the_answer_is_judged_where_there_are_clusters_and_where_there_are_none(answers):
    by = answers.answers.set_index("scenario")
    assert by["no_clusters"].to_dict() == {"shared": False, "nothing_gaussian": True}
    assert by["outcome"].to_dict() == {"shared": "found", "nothing_gaussian": "no evidence"}
    assert by.loc["shared", ["first_named", "all_named", "recall", "precision"]].tolist() == [1, 1, 1, 1]
    assert by.loc["nothing_gaussian", ["first_named", "recall"]].isna().all()
    [about] = [part.table for part in parts(answers) if part.title == "Scenarios"]
    assert about.set_index("scenario")["draws"].to_dict() == {"shared": 1, "nothing_gaussian": 1}
    shares = answers.answer_shares
    assert list(shares.index) == ["shared", "nothing_gaussian", "all with clusters", "all without clusters"]
    assert shares.loc["all without clusters", ["found", "no evidence", "cannot tell"]].tolist() == [0, 1, 0]
    assert list(answers.by_scenario().index) == ["shared"]


def test_without_the_method_that_leads_no_answer_is_judged(found):
    assert found.answers.empty
    assert found.answer_shares.empty


@pytest.mark.slow
def test_page_and_document_say_what_was_found(found, answers):
    for board in (found, answers):
        page = build_report(board, command="xcompare bench")
        text = document(board, "xcompare bench", "leaderboard", ["scenarios"])
        assert board.versions["xcompare"] in page
        assert board.versions["xcompare"] in text
        assert ("How often the answer is right" in page) == (board is answers)
        assert ("The answer is evaluated on every draw" in text) == (board is answers)
        assert page.index("leaderboard-title") < page.index("scenarios-title")
        assert "](leaderboard-scenarios.png)" in text


@pytest.mark.slow
def test_files(found, tmp_path):
    files = found.write(tmp_path, figures=("svg",))
    assert {path.name for path in files} == {
        "report.html", "leaderboard.csv", "by_scenario.csv", "scores.csv", "answers.csv", "failures.csv",
        "first_places.csv", "results.parquet", "citation.bib",
        "leaderboard.tex", "scenarios.svg", "cost.svg",
    }  # fmt: skip
    read = pd.read_csv(tmp_path / "by_scenario.csv", index_col="scenario")
    pd.testing.assert_frame_equal(read, found.nearest, check_names=False)
    assert list(read.columns) == ["tier", *DESCRIPTION, *found.methods]
    assert r"mi\_kmeans" in (tmp_path / "leaderboard.tex").read_text()


def test_the_full_benchmark_is_more_than_the_quick_one():
    assert FULL.n_draws > QUICK.n_draws
    assert FULL.n_empty_draws > QUICK.n_empty_draws


def test_draws_must_be_a_number():
    with pytest.raises(DataError, match="n_draws must be a whole number of at least 1; got 0"):
        bench("lone", methods="ls", n_draws=0)
