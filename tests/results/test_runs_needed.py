"""n_runs="auto": as many runs as the scores need, whatever the processes, the order and the interruptions."""

import math

import numpy as np
import pytest

import xcompare
from tests import fakes
from xcompare.core.errors import DataError
from xcompare.harness.plan import Plan
from xcompare.methods import METHODS
from xcompare.results.runs_needed import with_runs_needed

QUIET = {"n_jobs": 1, "progress": False}
ALL = "noisy, in_between, quiet, certain"


@pytest.fixture(autouse=True)
def registry(monkeypatch, traces):
    for run in (fakes.noisy, fakes.in_between, fakes.quiet, fakes.fails_at_times, fakes.fails):
        monkeypatch.setitem(METHODS, run.__name__, fakes.fake(run))
    monkeypatch.setitem(METHODS, "certain", fakes.fake(fakes.quiet, name="certain", stochastic=False))


def runs_of(found):
    return {row.method: row.n_runs for row in (*found.plan.rows, *found.plan.clusterings)}


def scores(found):
    return {key: result.scores.scores.tolist() for key, result in found.results.items()}


def test_noisy_methods_run_often_quiet_ones_three_times_and_certain_ones_once(X):
    found = xcompare.compare(X, 2, methods=ALL, **QUIET)
    runs = runs_of(found)
    assert runs | {"in_between": None} == {"noisy": 20, "in_between": None, "quiet": 3, "certain": 1}
    assert 3 < runs["in_between"] < 20
    errors = {row.name: row.error.max() for row in found.rows}
    assert errors["in_between"] <= 0.02
    assert errors["quiet"] <= 0.02
    assert errors["noisy"] > 0.02
    assert found.table.notna().all(axis=None)
    assert found.failures.empty
    assert found.raw.groupby("method")["run"].nunique().to_dict() == runs


def test_the_number_of_runs_follows_from_the_standard_deviation(X):
    def needed(n_runs):
        [row] = xcompare.compare(X, 2, methods="in_between", n_runs=n_runs, **QUIET).rows
        return math.ceil((row.std.max() / 0.02) ** 2)

    heard = []
    xcompare.compare(X, 2, methods="in_between", n_jobs=1, progress=heard.append)
    stages = sorted({report.total for report in heard})
    assert stages[1] == 6 < needed(3)  # at most twice as many as before
    assert stages[2] == needed(6) <= 12


def test_a_row_is_that_of_a_comparison_with_its_number_of_runs(X):
    found = xcompare.compare(X, 2, methods=ALL, y_true=np.arange(60) % 2, **QUIET)
    for row in found.plan.rows:
        fixed = xcompare.compare(X, 2, methods=row.method, n_runs=row.n_runs, **QUIET)
        assert found.table.loc[row.method].equals(fixed.table.loc[row.method])
        assert found.std.loc[row.method].equals(fixed.std.loc[row.method])
    twenty = xcompare.compare(X, 2, methods=ALL, y_true=np.arange(60) % 2, n_runs=20, **QUIET)
    assert scores(found).items() <= scores(twenty).items()


def test_processes_do_not_change_the_result(X):
    one = xcompare.compare(X, 2, methods=ALL, **QUIET)
    two = xcompare.compare(X, 2, methods=ALL, n_jobs=2, progress=False)
    assert one.plan == two.plan
    assert scores(one) == scores(two)


def test_what_else_runs_and_how_scores_are_shown_do_not_change_the_runs(X):
    found = xcompare.compare(X, 2, methods=ALL, **QUIET)
    others = xcompare.compare(X, 2, methods="certain, in_between", normalize="minmax", flip=True, **QUIET)
    assert runs_of(others).items() <= runs_of(found).items()


class KilledError(Exception):
    pass


def killed_after(n_units):
    def progress(report):
        if report.done == n_units:
            raise KilledError

    return progress


@pytest.mark.parametrize("n_units", [1, 7, 10, 15])  # 10 are the first stage
def test_resumed_after_a_kill_it_is_the_same_and_one_comparison(X, tmp_path, n_units):
    path = tmp_path / "runs.sqlite"
    arguments = {"methods": ALL, "n_jobs": 1, "store": path}
    with pytest.raises(KilledError):
        xcompare.compare(X, 2, progress=killed_after(n_units), **arguments)
    [left] = xcompare.list_runs(path).itertuples()
    assert left.done == n_units
    assert (left.units == 10) == (n_units <= 10)
    heard = []
    resumed = xcompare.compare(X, 2, progress=heard.append, **arguments)
    whole = xcompare.compare(X, 2, methods=ALL, **QUIET)
    assert scores(resumed) == scores(whole)
    assert resumed.plan == whole.plan
    assert len(heard) == len(whole.results) - n_units
    [kept] = xcompare.list_runs(path).itertuples()
    assert kept.run == left.run
    assert kept.units == kept.done == len(whole.results)
    assert xcompare.Comparison.from_store(path).table.equals(whole.table)


def test_again_nothing_is_computed_and_a_fixed_number_is_another_comparison(X, tmp_path):
    arguments = {"methods": ALL, "n_jobs": 1, "store": tmp_path / "runs.sqlite"}
    three = xcompare.compare(X, 2, n_runs=3, progress=False, **arguments)
    found = xcompare.compare(X, 2, progress=False, **arguments)
    heard = []
    again = xcompare.compare(X, 2, progress=heard.append, **arguments)
    assert heard == []
    assert again.plan == found.plan
    units = xcompare.list_runs(arguments["store"])["units"].tolist()
    assert units == [len(found.results), len(three.results)]


def test_methods_with_failed_runs_get_no_more_until_they_work(X, traces, tmp_path):
    arguments = {"methods": "fails, fails_at_times, quiet", "store": tmp_path / "runs.sqlite"} | QUIET
    found = xcompare.compare(X, 2, **arguments)
    assert runs_of(found) == {"fails": 3, "fails_at_times": 3, "quiet": 3}
    assert 0 < len(found.rows[1].runs) < 3
    (traces / "mended").touch()
    mended = xcompare.compare(X, 2, **arguments)
    assert runs_of(mended) == {"fails": 3, "fails_at_times": 20, "quiet": 3}
    assert len(xcompare.list_runs(arguments["store"])) == 1


def test_plain_clusterings_run_until_their_agreement_is_known(X):
    reference = np.arange(60) % 2
    found = xcompare.compare(X, 2, methods="certain", y_true=reference, **QUIET)
    clouds = np.random.default_rng(1).normal(size=(60, 4))  # no clusters: every start finds its own
    other = xcompare.compare(clouds, 5, methods="certain", y_true=clouds[:, 0] > 0, **QUIET)
    assert runs_of(found) == {"certain": 1, "kmeans": 3, "complete_linkage": 1}
    assert 3 < runs_of(other)["kmeans"] <= 20


def test_the_caption_and_the_plan_say_how_many_runs(X):
    found = xcompare.compare(X, 2, methods="noisy, quiet, certain", name="mine", **QUIET)
    assert found.caption == "mine, 2 clusters, 3 to 20 runs; each row normalised as published"
    assert Plan.from_json(found.plan.to_json()) == found.plan
    assert with_runs_needed(found) == found.plan
    assert "1 run;" in xcompare.compare(X, 2, methods="certain", **QUIET).caption
    assert "3 runs;" in xcompare.compare(X, 2, methods="quiet, certain", **QUIET).caption


@pytest.mark.parametrize(
    ("n_runs", "message"),
    [
        ("many", "n_runs must be a whole number, or \"auto\"; got 'many'"),
        (0, "n_runs must be a whole number from 1 to 100000; got 0"),
        (2.5, "n_runs must be a whole number from 1 to 100000; got 2.5"),
    ],
)
def test_other_numbers_of_runs_are_refused(X, n_runs, message):
    with pytest.raises(DataError) as refused:
        xcompare.compare(X, 2, methods="quiet", n_runs=n_runs)
    assert str(refused.value) == message


def test_sweeps_keep_a_fixed_number(X):
    with pytest.raises(DataError, match="n_runs must be a whole number"):
        xcompare.sweep(X, [2, 3], methods="quiet", n_runs="auto")


@pytest.mark.parametrize("n_runs", ["auto", 5])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_preliminary_comparison_has_one_run_of_each(X, n_runs, n_jobs):
    shown = []
    found = xcompare.compare(
        X, 2, methods="quiet, certain, refined", n_runs=n_runs, n_jobs=n_jobs,
        progress=False, preliminary=shown.append,
    )  # fmt: skip
    [first] = shown
    assert runs_of(first) == {"quiet": 1, "certain": 1, "refined": 1}
    assert scores(first).items() <= scores(found).items()
    assert first.failures.empty
    assert first.significance is not None
    assert first.answer


def test_it_comes_before_the_other_runs_and_only_where_there_are_some(X, tmp_path):
    events = []
    arguments = {"methods": "quiet, certain", "n_runs": 3, "n_jobs": 1, "store": tmp_path / "runs.sqlite"}
    tell = {"progress": lambda report: events.append(report.result.unit.run), "preliminary": events.append}
    xcompare.compare(X, 2, **arguments, **tell)
    [at] = [number for number, event in enumerate(events) if isinstance(event, xcompare.Comparison)]
    assert events[:at] == [0, 0]
    assert events[at + 1 :] == [1, 2]
    events.clear()
    xcompare.compare(X, 2, **arguments, **tell)  # all there
    xcompare.compare(X, 2, methods="certain", n_jobs=1, **tell)  # one run is all there is
    assert events == [0]
    events.clear()
    xcompare.compare(X, 2, **(arguments | {"n_runs": 4}), **tell)  # its first runs are there
    assert [type(event) for event in events] == [xcompare.Comparison, int]
