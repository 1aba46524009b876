"""Nothing is lost and nothing stays behind: after random kills, every signal, and hundreds of comparisons.

Most have a short form that always runs, and a long one that `make test-slow` runs. Kills at random are for
the latter alone: `test_survival.py` has kills that always come at the same place.
"""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests import fakes
from tests.harness import endurance
from xcompare.methods import METHODS

ROOT = Path(__file__).parents[2]
LOKY, WORKER = "loky", "xcompare.core.worker"  # what the command lines of child processes hold
LONG = pytest.mark.endurance

# Signals that end a process that does not handle them.
DEADLY = [
    "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1",
    "SIGSEGV", "SIGUSR2", "SIGALRM", "SIGTERM", "SIGXCPU", "SIGVTALRM", "SIGPROF", "SIGIO", "SIGSYS",
]  # fmt: skip


@pytest.fixture
def place(tmp_path, traces, monkeypatch):
    """A folder for the store, one for temporary files that must be empty in the end, and the fakes."""
    monkeypatch.setitem(METHODS, "slow", fakes.fake(fakes.slow))
    (tmp_path / "tmp").mkdir()
    return tmp_path


def start(place, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", endurance.__name__, *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(place / "tmp"), "JOBLIB_TEMP_FOLDER": str(place / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def n_committed(store):
    try:
        with sqlite3.connect(f"file:{store}?mode=rw", uri=True, timeout=10) as database:
            return database.execute("SELECT count(*) FROM units WHERE status = 'ok'").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def wait_until(condition, process, seconds=120):
    """Whether the condition became true before the process ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        if process.poll() is not None:
            return False
        time.sleep(0.02)
    pytest.fail(f"nothing happened within {seconds} s")


def family(process):
    try:
        return psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def of_kind(processes, kind):
    """Those of the processes whose command line tells this kind."""
    found = []
    for process in processes:
        try:
            line = " ".join(process.cmdline())
        except psutil.Error:
            continue
        if kind in line and "resource_tracker" not in line:
            found.append(process)
    return found


def nothing_is_left(place, processes):
    _, alive = psutil.wait_procs(processes, timeout=60)
    assert not alive, [process.cmdline() for process in alive]
    for _ in range(100):  # the last to notice that all others are gone clears up
        left = list((place / "tmp").iterdir())
        if not left:
            return
        time.sleep(0.1)
    pytest.fail(f"left behind: {left}")


def numbers(comparison):
    return {key: result.scores.scores.tolist() for key, result in comparison.results.items()}


def kill_and_resume(place, engine, victims, n_kills, seed=0):
    """Kill processes of a comparison again and again, then let it finish."""
    rng = random.Random(seed)
    store = place / "run.sqlite"
    expected = numbers(endurance.run(None, engine))
    killed = 0
    while killed < n_kills:
        process = start(
            place, "run", store, engine, *([60] if rng.random() < 0.5 or WORKER in victims else [])
        )
        seen = []
        victim = rng.choice(victims)
        more = n_committed(store) + rng.randint(0, 3)

        def far_enough(process=process, more=more):
            return n_committed(store) >= more and of_kind(family(process), LOKY)

        if wait_until(far_enough, process):
            time.sleep(rng.random() * 0.3)
            seen = family(process)
            chosen = [psutil.Process(process.pid)] if victim == "main" else of_kind(seen, victim)
            if chosen and process.poll() is None:
                rng.choice(chosen).kill()
                killed += 1
        if victim == "main":
            process.kill()
        _, errors = process.communicate(timeout=120)
        assert process.returncode in (0, -signal.SIGKILL), errors
        nothing_is_left(place, [*seen, *family(process)])
        if n_committed(store) >= 24:  # all done: begin again
            assert numbers(endurance.run(store, engine)) == expected
            store.unlink()
    assert numbers(endurance.run(store, engine)) == expected


@LONG
def test_killed_at_random_and_resumed_30_times(place):
    kill_and_resume(place, "python", ["main", LOKY, WORKER], 30, seed=1)


@LONG
@pytest.mark.r
def test_killed_at_random_and_resumed_in_r_15_times(place):
    kill_and_resume(place, "r", ["main", LOKY, WORKER], 15, seed=2)


@LONG
def test_dask_workers_killed_at_random(place):
    distributed = pytest.importorskip("distributed")
    rng = random.Random(3)
    expected = numbers(endurance.run(None, "python"))
    with distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    ) as cluster:
        cluster.scheduler.allowed_failures = 10
        for _ in range(5):
            due = rng.randint(1, 12)

            def kill(report, due=due):
                if report.done == due:
                    rng.choice(list(cluster.workers.values())).process.process.kill()

            found = endurance.run(None, "python", scheduler=cluster.scheduler_address, progress=kill)
            assert numbers(found) == expected


def ended_by(place, name):
    """End a comparison by a signal to it, or to all its processes as a terminal does on Ctrl-C."""
    process = start(place, "run", place / f"{name}.sqlite", "python", 60)
    assert wait_until(lambda: n_committed(place / f"{name}.sqlite") >= 2, process), process.communicate()[1]
    seen = family(process)
    assert of_kind(seen, LOKY)
    assert of_kind(seen, WORKER)
    number = signal.Signals[name]
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
    else:
        os.kill(process.pid, number)
    process.communicate(timeout=120)
    assert process.returncode != 0
    nothing_is_left(place, seen)
    assert n_committed(place / f"{name}.sqlite") >= 2


@pytest.mark.slow
def test_ended_from_the_keyboard(place):
    ended_by(place, "SIGINT")


@LONG
@pytest.mark.parametrize("name", DEADLY)
def test_ended_by_every_signal(place, name):
    ended_by(place, name)


def holds_no_more(place, n, engine):
    process = start(place, "repeat", n, engine)
    out, errors = process.communicate(timeout=3000)
    assert process.returncode == 0, errors
    early, late = json.loads(out)
    assert late["megabytes"] < early["megabytes"] + 30, (early, late)
    for what in ("descriptors", "children", "threads", "folders"):
        assert late[what] <= early[what], (what, early, late)
    nothing_is_left(place, [])


@pytest.mark.slow
def test_many_comparisons_in_one_process_hold_no_more_than_a_few(place):
    holds_no_more(place, 12, "python")


@LONG
def test_300_comparisons_in_one_process(place):
    holds_no_more(place, 300, "python")


@LONG
@pytest.mark.r
def test_300_comparisons_in_one_process_with_r(place):
    holds_no_more(place, 300, "r")
