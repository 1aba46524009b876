"""The numbers do not depend on how many processes compute them, nor on where; progress is told."""

import io
import os
import re
import signal
import sys
import threading
import time
import warnings
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

import xcompare
from tests import fakes
from xcompare.core.errors import SchedulerError
from xcompare.harness import progress, run
from xcompare.harness.plan import Plan, Row
from xcompare.harness.preparation import prepare
from xcompare.harness.progress import Reporter
from xcompare.harness.store import RunStore
from xcompare.harness.unit import Task, run_unit
from xcompare.methods import METHODS
from xcompare.results.comparing import make_plan

METHODS_TRIED = "slow, basic, efron, bbc, urf_gini, urf_perm, cubt, twkm, fgkm, ls, mi_kmeans, perm_kmeans"
QUICK = {"n_replicas": 8, "n_trees": 20}


def exact(comparison):
    """Every number of every unit, bit by bit."""
    return {
        key: (result.unit, result.status, result.scores.scores.tobytes(), result.scores.labels)
        for key, result in comparison.results.items()
    }


def same(one, other):
    one, other = exact(one), exact(other)
    assert one.keys() == other.keys()
    for key, (*numbers, labels) in one.items():
        *others, other_labels = other[key]
        assert numbers == others
        assert (labels is None) == (other_labels is None)
        assert labels is None or labels.tolist() == other_labels.tolist()


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    folder = tmp_path_factory.mktemp("traces")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(fakes.FOLDER, str(folder))
        patch.setitem(METHODS, "slow", fakes.fake(fakes.slow))
        yield folder


@pytest.fixture(scope="module")
def compare(traces):
    iris = xcompare.load_dataset("iris")

    def compare(**arguments):
        return xcompare.compare(
            iris, methods=METHODS_TRIED, n_runs=4, options=QUICK, **{"progress": False, **arguments}
        )

    return compare


@pytest.fixture(scope="module")
def here(compare):
    return compare(n_jobs=1)


@pytest.mark.slow
def test_two_processes_give_the_same_numbers(compare, here):
    same(compare(n_jobs=2), here)


@pytest.mark.slow
def test_processes_that_can_be_stopped_give_the_same_numbers(compare, here):
    same(compare(n_jobs=1, timeout=100), here)


@pytest.mark.slow
def test_another_seed_gives_other_numbers(compare, here):
    other = compare(n_jobs=1, random_state=1)
    assert not other.table.loc["urf_gini"].equals(here.table.loc["urf_gini"])
    assert other.table.loc["cubt"].equals(here.table.loc["cubt"])


@pytest.mark.slow
def test_dask_cluster_loses_a_worker_and_no_result(compare, here, traces, cluster, tmp_path):
    """Workers read the data themselves."""
    folder = tmp_path / "shared"
    folder.mkdir()
    for trace in traces.iterdir():
        trace.unlink()
    workers = [worker.process.pid for worker in cluster.workers.values()]  # themselves, not their nannies
    hold = traces / "hold"
    hold.touch()
    lost = []

    def kill_a_worker_at_work():
        deadline = time.monotonic() + 100
        while not (started := sorted(traces.glob("start-*"))) and time.monotonic() < deadline:
            time.sleep(0.01)
        for path in started[:1]:
            _, seed, worker = path.name.split("-")
            if int(worker) in workers:
                os.kill(int(worker), signal.SIGKILL)
                lost.append(seed)
        hold.unlink()

    killing = threading.Thread(target=kill_a_worker_at_work)
    killing.start()
    found = compare(scheduler=cluster.scheduler_address, data_on_workers=folder)
    killing.join()
    assert len(list(folder.iterdir())) == 1
    assert len(list(traces.glob(f"start-{lost[0]}-*"))) == 2  # started again under another worker
    assert found.failures.empty
    same(found, here)


@pytest.mark.slow
def test_dask_worker_outlives_a_unit_and_a_lost_cluster_is_an_error(X, cluster, register, traces, tmp_path):
    register(fakes.dies, fakes.slow)
    workers = [worker.process.pid for worker in cluster.workers.values()]
    found = xcompare.compare(X, 2, methods="dies, slow", n_runs=2, scheduler=cluster.scheduler_address)
    assert found.failures[["method", "status", "runs"]].to_numpy().tolist() == [["dies", "failed", 2]]
    assert workers == [worker.process.pid for worker in cluster.workers.values()]

    store = tmp_path / "runs.sqlite"
    with pytest.raises(SchedulerError, match="was lost; finished units are in the store"):
        xcompare.compare(
            X, 2, methods="slow", n_runs=50, scheduler=cluster.scheduler_address, store=store,
            progress=lambda report: cluster.close(),
        )  # fmt: skip
    # The unit that closed the cluster, and what the other worker may have finished meanwhile.
    assert 1 <= xcompare.list_runs(store).done.item() < 50


@pytest.mark.slow
def test_dask_giving_up_on_a_unit_is_an_error(X, cluster, register, monkeypatch):
    """joblib's own backend would wait for ever."""
    register(fakes.dies)
    cluster.scheduler.allowed_failures = 0
    monkeypatch.setattr("xcompare.harness.run.Task", lambda *fields: replace(Task(*fields), isolated=False))
    with pytest.raises(SchedulerError, match="died repeatedly while running the same unit"):
        xcompare.compare(X, 2, methods="dies", n_runs=1, scheduler=cluster.scheduler_address)


@pytest.mark.slow
def test_units_that_break_every_pool_are_lost_and_all_others_are_kept(X, register, monkeypatch):
    """The same with processes, which takes long, is in tests/results/test_compare.py."""

    def broken(**_):
        def run_all(calls):
            for _, [task], _ in calls:
                if task.unit.method == "dies":
                    raise BrokenProcessPool
                yield run_unit(replace(task, isolated=False))

        return run_all

    register(fakes.dies, fakes.fine)
    monkeypatch.setattr(run, "Parallel", broken)
    found = xcompare.compare(X, 2, methods="dies, fine", n_runs=2, n_jobs=1, progress=False)
    [failure] = found.failures.to_dict(orient="records")
    assert (failure["method"], failure["status"], failure["runs"]) == ("dies", "failed", 2)
    assert failure["message"].startswith("lost: the process it ran in was killed each time")
    assert found.raw["run"].unique().tolist() == [0, 1]
    assert found.table.loc["fine"].notna().all()


def test_no_scheduler_there(X, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("xcompare.harness.run.CONNECT_SECONDS", 0.5)
    with pytest.raises(SchedulerError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        xcompare.compare(X, 2, methods="ls", scheduler="tcp://127.0.0.1:9")


@pytest.mark.parametrize("address", ["nonsense", "ftp://host:1"])
def test_an_address_that_is_none_is_refused_at_once(X, monkeypatch, address):
    """Dask's client would leave a thread behind that ends the process 20 seconds late, with a traceback."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "Client", None)
    with pytest.raises(SchedulerError, match=f"no Dask scheduler answers at {address}: "):
        xcompare.compare(X, 2, methods="ls", scheduler=address)


def test_dask_not_installed(X, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SchedulerError, match=r"pip install 'xcompare-clustering\[dask\]'"):
        xcompare.compare(X, 2, methods="ls", scheduler="tcp://127.0.0.1:9")


def test_progress_function_hears_of_every_unit(X, register):
    register(fakes.fine, fakes.fails)
    heard = []
    xcompare.compare(X, 2, methods="fine, fails", n_runs=3, n_jobs=1, progress=heard.append)
    assert [report.done for report in heard] == [1, 2, 3, 4, 5, 6]
    assert {report.total for report in heard} == {6}
    assert heard[-1].seconds_left == 0
    assert {report.result.status for report in heard} == {"ok", "failed"}


def test_one_unit_of_each_method_runs_first_and_time_is_left_for_each(X, register):
    register(fakes.fine, fakes.fails)
    heard = []
    xcompare.compare(X, 2, methods="fine, fails", n_runs=3, n_jobs=1, progress=heard.append)
    assert [report.result.unit.method for report in heard] == [
        "fine",
        "fails",
        "fine",
        "fine",
        "fails",
        "fails",
    ]
    assert [set(report.seconds_left_by_method) for report in heard[1:]] == [
        {"fine", "fails"}, {"fine", "fails"}, {"fails"}, {"fails"}, set(),
    ]  # fmt: skip
    for report in heard:
        assert sum(report.seconds_left_by_method.values()) == pytest.approx(report.seconds_left)


@pytest.mark.slow
def test_units_of_r_come_before_others_after_those_for_a_preview():
    plan = Plan("f", 2, 0, tuple(Row("efron", engine, {"n_replicas": 3}, 2) for engine in ("python", "r")))
    data = prepare(np.arange(12.0).reshape(6, 2), 2)
    units = {(unit.engine, unit.run): unit.key for unit in plan.units()}
    with RunStore(None) as store:
        order = run.missing_units([(data, plan)], store, early={units["python", 1]})
    expected = [("python", 1), ("r", 0), ("python", 0), ("r", 1)]
    assert [unit.key for _, _, unit in order] == [units[one] for one in expected]


def test_after_one_unit_of_each_method_the_terminal_says_how_long(monkeypatch, here):
    written = io.StringIO()
    monkeypatch.setattr(
        progress,
        "Console",
        lambda stderr, **how: Console(file=written, force_terminal=True, width=200, **how),
    )
    [result] = [one for one in here.results.values() if one.unit.method == "ls"]
    first, others = replace(result, seconds=30.0), [replace(result.unit, run=run) for run in range(1, 4)]
    with Reporter(True, [first.unit, *others]) as report:
        report(first)
    assert "after one run of each method: about 1 min 30 s left (ls 1 min 30 s)" in written.getvalue()


def test_where_more_runs_may_follow_the_time_left_is_a_lower_bound(monkeypatch, here):
    written = io.StringIO()
    monkeypatch.setattr(
        progress,
        "Console",
        lambda stderr, **how: Console(file=written, force_terminal=True, width=200, **how),
    )
    [result] = [one for one in here.results.values() if one.unit.method == "ls"]
    first, others = replace(result, seconds=30.0), [replace(result.unit, run=run) for run in range(1, 4)]
    with Reporter(True, [first.unit, *others], open_ended=True) as report:
        report(first)
    assert "after one run of each method: at least 1 min 30 s left (ls 1 min 30 s)" in written.getvalue()


def test_units_that_follow_count_in_the_total_and_in_the_time_left(here):
    heard = []
    [result] = [one for one in here.results.values() if one.unit.method == "ls"]
    with Reporter(heard.append, []) as report:
        report.expect([result.unit])
        report(result)
        report.expect([replace(result.unit, run=run) for run in range(1, 4)])
        report(result)
    assert [(report.done, report.total) for report in heard] == [(1, 1), (2, 4)]
    assert heard[0].seconds_left == 0
    assert heard[1].seconds_left > 0


def test_others_may_write_while_the_bar_is_paused(monkeypatch, here):
    written = io.StringIO()
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(
        progress,
        "Console",
        lambda stderr, **how: Console(file=written, force_terminal=True, width=200, **how),
    )
    result = next(iter(here.results.values()))
    with Reporter(True, [result.unit]) as report:
        deadline = time.monotonic() + 30
        while "0/1" not in written.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
        with report.paused():
            before = written.getvalue()
            time.sleep(0.2)
            assert written.getvalue() == before  # nothing is drawn
        report(result)
    assert written.getvalue().count("0/1") > before.count("0/1") or "1/1" in written.getvalue()


def test_methods_that_take_long_say_so_before_they_start():
    X = np.zeros((100_000, 8))
    X[:, 0] = np.arange(len(X)) % 2
    X[:, 1] = np.arange(len(X))

    options = {"ls": {"graph": ("knn", 3)}, "urf_gini": {"n_trees": 2000}}
    said = []
    for given in ({}, options):
        plan = make_plan(prepare(X[:, :2], 2), "ls, urf_gini, cubt", "python", 1, given, 0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run._note_slow([(prepare(X[:, :2], 2), plan, unit) for unit in plan.units()])
        said.append([str(warning.message) for warning in caught])
    took = r"takes about (\d+) s per run on 100,000 rows and 2 features; .*"
    [ls, urf], [longer] = said
    assert re.fullmatch(f"ls {took}", ls)
    seconds, more = (int(re.fullmatch(f"urf_gini {took}", text)[1]) for text in (urf, longer))
    assert more == pytest.approx(4 * seconds, abs=4)


def test_an_error_in_a_progress_function_ends_the_run(X):
    def stop(report):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        xcompare.compare(X, 2, methods="ls", n_jobs=1, progress=stop)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("terminal", "patience", "shown"), [(True, 0.0, True), (True, 60.0, False), (False, 0.0, False)]
)
def test_bar_only_on_a_terminal_and_only_after_a_while(monkeypatch, here, terminal, patience, shown):
    written = io.StringIO()
    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setattr(
        progress, "Console", lambda stderr, **how: Console(file=written, force_terminal=terminal, **how)
    )
    results = list(here.results.values())
    with Reporter(True, [result.unit for result in results]) as report:
        for result in results:
            report(result)
            if shown and "left" in written.getvalue():
                break
            time.sleep(0.02)
    assert ("left" in written.getvalue()) == shown


def test_a_line_a_minute_where_there_is_no_terminal(monkeypatch, here):
    written = io.StringIO()
    monkeypatch.setattr(progress, "MINUTE", 0.01)
    monkeypatch.setattr(progress, "Console", lambda stderr, **how: Console(file=written, width=20, **how))
    [first, *others] = here.results.values()
    with Reporter(True, [result.unit for result in (first, *others)]) as report:
        while written.getvalue().count("\n") < 2:  # nothing has finished, and yet it is told
            time.sleep(0.01)
        report(first)
        while "1 of" not in written.getvalue():
            time.sleep(0.01)
    lines = written.getvalue().splitlines()
    total = len(others) + 1
    assert lines[0] == f"xcompare: 0 of {total} runs done"
    latest = f"{first.unit.method} ({first.unit.engine})"
    assert lines[-1].startswith(f"xcompare: 1 of {total} runs done, the last {latest}; ")
    assert lines[-1].endswith(" s left")


def test_nothing_is_written_when_piped_and_quick(X, capfd):
    xcompare.compare(X, 2, methods="ls, cubt", n_jobs=1)
    assert capfd.readouterr() == ("", "")


def test_time_left_follows_the_methods_not_the_count(here, monkeypatch):
    clock = iter([100.0, 101.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    results = {result.unit.method: result for result in here.results.values()}
    quick, long = replace(results["efron"], seconds=1.0), replace(results["bbc"], seconds=10.0)
    others = [replace(long.unit, run=run) for run in (7, 8, 9)]
    left = progress.TimeLeft([quick.unit, long.unit, *others])
    assert sum(left.finished(quick).values()) == pytest.approx(4.0)  # nothing else is known yet
    assert not left.all_seen
    # Three more that take 10 s each, where 11 s of work took 2 s; by their number it would be 3 s.
    assert left.finished(long) == {"bbc": pytest.approx(30.0 * 2 / 11)}
    assert left.all_seen


def test_time_left_leaves_out_the_start_of_processes(here, monkeypatch):
    clock = iter([100.0, 101.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    [first, second] = [replace(one, seconds=2.0) for one in here.results.values()][:2]
    third = replace(second.unit, run=9)
    left = progress.TimeLeft([first.unit, second.unit, third])
    assert sum(left.finished(first).values()) == pytest.approx(4.0)  # one process: 2 s of work in 2 s
    assert left.finished(second) == {third.method: pytest.approx(1.5)}  # two: 4 s of work in 3 s
