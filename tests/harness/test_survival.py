"""Runs that survive: killed at any moment, resumed, interrupted, or two at a time on one store."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

import xcompare
from tests import fakes
from tests.harness import survival
from xcompare.core.errors import StoreError
from xcompare.methods import METHODS

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def registry(monkeypatch, traces):
    """The script registers its fakes; they are taken out again, as whatever monkeypatch has set."""
    for run in (fakes.slow, fakes.fine, fakes.never_sent):
        monkeypatch.setitem(METHODS, run.__name__, fakes.fake(run))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.sqlite"


def start(path, n_jobs, n_runs, *methods):
    return subprocess.Popen(
        [sys.executable, "-m", survival.__name__, str(path), str(n_jobs), str(n_runs), *methods],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )


def committed(path):
    """When each finished unit was committed, by key; empty before there is a store."""
    try:  # to write, too: of a process killed while it wrote, the next one takes back what it had begun
        with sqlite3.connect(f"file:{path}?mode=rw", uri=True, timeout=10) as database:
            return dict(database.execute("SELECT key, finished FROM units WHERE status = 'ok'"))
    except sqlite3.OperationalError:
        return {}


def wait_for(condition, process, seconds=60):
    for _ in range(int(seconds * 50)):
        if condition():
            return
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    pytest.fail(f"nothing happened within {seconds} s")


def scores(comparison):
    return {key: result.scores.scores.tolist() for key, result in comparison.results.items()}


@pytest.mark.slow
@pytest.mark.parametrize(("n_jobs", "n_runs"), [(1, 12), (2, "auto")])
def test_killed_and_resumed(path, traces, n_jobs, n_runs):
    process = start(path, n_jobs, n_runs)
    wait_for(lambda: len(committed(path)) >= 3, process)
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    if n_jobs == 1:  # nobody is left to go on: what was done and is not in the store was in flight
        assert len(list(traces.glob("done-*"))) <= len(committed(path)) + 1
    before = committed(path)
    assert 3 <= len(before) < 12

    resumed = survival.run(path, 1, n_runs)
    after = committed(path)
    assert before.items() <= after.items()  # not done again
    assert len(after) == len(resumed.plan.units())
    assert scores(resumed) == scores(survival.run(None, 1, n_runs))
    assert xcompare.list_runs(path)["units"].tolist() == [len(after)]
    _, alive = psutil.wait_procs(children, timeout=30)
    assert not alive


def test_modules_in_the_working_folder_are_not_imported(tmp_path, path):
    for name in ("random", "numpy", "zipfile"):
        (tmp_path / f"{name}.py").write_text(
            "open('imported', 'w')\nraise ImportError('of the working folder')"
        )
    script = "from tests.harness import survival; survival.run(None, 2, 2, 'fine')"
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "imported").exists()


@pytest.mark.slow
def test_workers_that_wait_for_their_first_unit_end_with_a_killed_run(path):
    process = start(path, 2, 4, "never_sent")
    parent = psutil.Process(process.pid)

    def workers_wait():
        workers = [child for child in parent.children() if "LokyProcess" in " ".join(child.cmdline())]
        return len(workers) == 2 and not any(worker.cpu_percent(0.3) for worker in workers)

    wait_for(workers_wait, process)
    children = parent.children(recursive=True)
    process.kill()
    process.wait()
    _, alive = psutil.wait_procs(children, timeout=30)
    for child in alive:
        child.kill()
    assert not alive


@pytest.mark.slow
def test_interrupted_from_the_keyboard(path):
    process = start(path, 2, 40)
    wait_for(lambda: len(committed(path)) >= 2, process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in errors
    done = len(committed(path))
    assert len(xcompare.Comparison.from_store(path).results) == done
    missing = xcompare.Comparison.from_store(path).failures
    assert set(missing.status) == {"missing"}


@pytest.mark.slow
def test_two_processes_on_one_store(path):
    both = [start(path, 1, 6, "slow, fine, cubt"), start(path, 1, 8, "fine, slow, ls")]
    for process in both:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT DISTINCT status FROM units").fetchall() == [("ok",)]
    runs = xcompare.list_runs(path)
    assert (runs.units == runs.done).all()
    assert len(runs) == 2
    expected = scores(survival.run(None, 1, 8, "slow, fine, cubt, ls"))
    for run in runs.run:
        found = scores(xcompare.Comparison.from_store(path, run))
        assert found.items() <= expected.items()


def test_a_store_that_stays_locked_is_an_error_not_a_hang(path, monkeypatch, X):
    xcompare.compare(X, 2, methods="ls", n_jobs=1, store=path)
    monkeypatch.setattr("xcompare.harness.store.BUSY_SECONDS", 0.2)
    with sqlite3.connect(path, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="database is locked"):
            xcompare.compare(X, 2, methods="ls", n_jobs=1, store=path)


def test_only_what_is_missing_or_failed_is_done(path, traces, X, register):
    register(fakes.fine, fakes.fails_at_times)
    seen = []

    def compare(n_runs, methods="fine, fails_at_times"):
        seen.clear()
        return xcompare.compare(
            X,
            2,
            methods=methods,
            n_runs=n_runs,
            n_jobs=1,
            store=path,
            progress=lambda r: seen.append(r.result),
        )

    first = compare(6)
    n_failed = first.failures.runs.sum()
    assert 0 < n_failed < 6
    compare(6)
    assert [result.unit.method for result in seen] == ["fails_at_times"] * n_failed
    Path(traces, "mended").touch()
    assert compare(6).failures.empty
    compare(8)
    assert [(result.unit.method, result.unit.run) for result in seen] == [
        ("fine", 6), ("fails_at_times", 6), ("fine", 7), ("fails_at_times", 7),
    ]  # fmt: skip
    again = compare(8)
    assert seen == []
    assert again.table.loc["fine"].equals(compare(8, "fine").table.loc["fine"])


def test_stored_comparison_is_the_one_computed(path, X):
    made = xcompare.compare(
        X, 2, methods="mi_kmeans, ls", n_runs=2, n_jobs=1, store=path, y_true=np.arange(60) % 2, name="mine"
    )
    other = xcompare.compare(X + 1, 2, methods="cubt", n_jobs=1, store=path)
    read = xcompare.Comparison.from_store(path, "mine", flip=True)
    assert read.table.equals(made.flipped().table)
    assert read.clustering.equals(made.clustering)
    assert read.raw.drop(columns="normalized").equals(made.raw.drop(columns="normalized"))
    assert xcompare.Comparison.from_store(path).table.equals(other.table)
    assert set(xcompare.list_runs(path).name) == {"mine", "data"}
    assert os.listdir(path.parent).count(path.name) == 1
    assert not [name for name in os.listdir(path.parent) if name.startswith(path.name + "-")]  # one file
