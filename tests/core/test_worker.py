"""A worker delivers the result or one clear error, whatever its process does, and then works again."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import psutil
import pytest
from joblib import Parallel, delayed

from xcompare.core import worker_folders
from xcompare.core.errors import RCallError, WorkerCrashError, WorkerError, WorkerTimeoutError
from xcompare.core.worker import Worker

JOBS = "worker_jobs"  # written by the fixture below, found by the child through sys.path


@pytest.fixture(scope="module", autouse=True)
def jobs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jobs")
    (folder / f"{JOBS}.py").write_text(
        textwrap.dedent("""
        import ctypes, os, subprocess, sys, threading, time, warnings
        from xcompare.core.errors import RCallError
        from xcompare.core.worker import Worker

        class OwnError(Exception): pass
        class OwnValueError(ValueError): pass
        class AwkwardError(Exception):
            def __init__(self, a, *, b): super().__init__(a); self.b = b

        def same(value): return value
        def where(): return os.getpid(), threading.current_thread() is threading.main_thread()
        def environment(name): return os.environ.get(name)
        def fail(name):
            raise {"ValueError": ValueError("wrong value"), "KeyError": KeyError("gone"),
                   "RCallError": RCallError("boom", "f(x)", ("w",), "out"), "OwnError": OwnError("mine"),
                   "OwnValueError": OwnValueError("my value"), "AwkwardError": AwkwardError("a", b=1),
                   "closure": ValueError("holds", lambda: None)}[name]
        class OwnBaseError(BaseException): pass
        class MuteError(Exception):
            def __str__(self): raise RuntimeError("no words")
        def misbehave(name):
            raise {"SystemExit": SystemExit(3), "KeyboardInterrupt": KeyboardInterrupt(),
                   "OwnBaseError": OwnBaseError("mine"), "MuteError": MuteError(),
                   "surrogate": OwnError("half a pair \\ud800")}[name]
        def warn():
            for _ in range(2): warnings.warn("careful", RuntimeWarning)
            return 1
        def warn_and_fail(): warnings.warn("careful"); raise ValueError("no")
        def closure(): return lambda: None
        def write_and_die(text): print(text); os.kill(os.getpid(), 9)
        def segfault(): ctypes.string_at(0)
        def leave(status): sys.exit(status)
        def leave_at_once(status): os._exit(status)
        def fork_and_die():
            if os.fork() == 0:
                time.sleep(600)
            os.kill(os.getpid(), 9)
        def start_sleeper(): return subprocess.Popen(["sleep", "600"]).pid
        def nested(): return Worker().run("os", "getppid") == os.getpid()
        def keep_nested():
            global worker
            worker = Worker(); return worker.run("os", "getpid")
        """)
    )
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture
def worker():
    worker = Worker()
    yield worker
    worker.kill()


@pytest.fixture(scope="module")
def shared():
    """One for the tests that leave it alive."""
    worker = Worker()
    yield worker
    worker.kill()


def gone(pid, seconds=10.0):
    """Whether the process ends, or is a zombie of someone else, within some seconds."""
    for _ in range(int(seconds * 20)):
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.05)
    return False


def test_job_runs_in_the_main_thread_of_one_other_process(shared):
    pid, main_thread = shared.run(JOBS, "where")
    assert pid != os.getpid()
    assert main_thread
    assert shared.run(JOBS, "where")[0] == pid


def test_positional_and_keyword_arguments(shared):
    assert shared.run("builtins", "int", "ff", base=16) == 255


def test_arrays_keep_values_and_order(shared):
    X = np.asfortranarray(np.random.default_rng(0).normal(size=(2000, 300)))
    back = shared.run(JOBS, "same", X)
    np.testing.assert_array_equal(back, X)
    assert back.flags.f_contiguous


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"])
def test_one_thread_per_worker(shared, name):
    assert shared.run(JOBS, "environment", name) == "1"


def test_search_path_of_the_child_does_not_leak_to_what_it_starts(shared):
    assert shared.run(JOBS, "environment", "PYTHONPATH") is None


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("ValueError", ValueError, "wrong value"),
        ("KeyError", KeyError, "'gone'"),
        ("OwnError", WorkerError, "OwnError: mine"),
        ("OwnValueError", ValueError, "OwnValueError: my value"),
        ("AwkwardError", WorkerError, "AwkwardError: a"),
        ("closure", WorkerError, "ValueError: ..holds"),
    ],
)
def test_errors_arrive_as_what_they_are(shared, name, kind, message):
    with pytest.raises(kind, match=message) as caught:
        shared.run(JOBS, "fail", name)
    assert type(caught.value) is kind
    assert "in fail" in caught.value.__notes__[0]
    assert shared.alive


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("SystemExit", "SystemExit: 3"),
        ("KeyboardInterrupt", "KeyboardInterrupt"),
        ("OwnBaseError", "OwnBaseError: mine"),
        ("MuteError", "MuteError: <MuteError that has no text>"),
        ("surrogate", r"OwnError: half a pair \ud800"),
    ],
)
def test_what_would_end_a_process_is_an_error_of_its_job(shared, name, message):
    with pytest.raises(WorkerError) as caught:
        shared.run(JOBS, "misbehave", name)
    assert (type(caught.value), str(caught.value)) == (WorkerError, message)
    assert shared.alive


def test_r_error_keeps_its_attributes(shared):
    with pytest.raises(RCallError) as caught:
        shared.run(JOBS, "fail", "RCallError")
    error = caught.value
    assert (error.message, error.call, error.warnings, error.output) == ("boom", "f(x)", ("w",), "out")


def test_unknown_function_and_module(shared):
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        shared.run(JOBS, "nope")
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        shared.run("no_such_module", "f")


def test_warnings_of_the_last_job(shared):
    assert shared.run(JOBS, "warn") == 1
    assert shared.warnings == ("RuntimeWarning: careful",)
    shared.run(JOBS, "same", 1)
    assert shared.warnings == ()
    with pytest.raises(ValueError, match="no"):
        shared.run(JOBS, "warn_and_fail")
    assert shared.warnings == ("UserWarning: careful",)


def test_what_cannot_be_pickled_is_an_error_and_the_worker_lives_on(shared):
    pid = shared.run(JOBS, "where")[0]
    with pytest.raises(AttributeError, match="local object"):
        shared.run(JOBS, "closure")
    with pytest.raises((AttributeError, TypeError), match="pickle"):
        shared.run(JOBS, "same", threading.Lock())
    assert shared.run(JOBS, "where")[0] == pid


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        ("write_and_die", ["last words"], r"(?s)write_and_die ended its process by SIGKILL.*last words"),
        ("segfault", [], "by SIGSEGV"),
        ("leave_at_once", [0], "with exit status 0"),
        ("fork_and_die", [], "by SIGKILL"),
    ],
)
def test_a_crash_is_told_as_what_it_was_and_the_next_job_works(worker, function, arguments, message):
    with pytest.raises(WorkerCrashError, match=message):
        worker.run(JOBS, function, *arguments)
    assert not worker.alive
    assert worker.run(JOBS, "same", 1) == 1


def test_only_output_of_the_crashed_job_is_shown(worker):
    worker.run("builtins", "print", "earlier words")
    with pytest.raises(WorkerCrashError) as caught:
        worker.run(JOBS, "write_and_die", "x" * 5000)
    assert "earlier" not in str(caught.value)
    assert len(str(caught.value)) < 2000


def test_killed_from_outside_between_two_jobs(worker):
    pid = worker.run(JOBS, "where")[0]
    os.kill(pid, signal.SIGKILL)
    while worker.alive:
        time.sleep(0.01)
    assert worker.run(JOBS, "where")[0] != pid


def test_killed_from_outside_in_the_middle_of_a_job(worker):
    pid = worker.run(JOBS, "where")[0]
    threading.Timer(0.2, os.kill, (pid, signal.SIGKILL)).start()
    with pytest.raises(WorkerCrashError, match="sleep ended its process by SIGKILL"):
        worker.run("time", "sleep", 60)


def test_time_limit_kills_the_process_and_what_it_started(worker):
    pid = worker.run(JOBS, "where")[0]
    sleeper = worker.run(JOBS, "start_sleeper")
    with pytest.raises(WorkerTimeoutError, match=r"my job gave no result within 0\.2 s"):
        worker.run("time", "sleep", 60, timeout=0.2, label="my job")
    assert gone(pid)
    assert gone(sleeper)
    assert worker.run(JOBS, "same", 1, timeout=30) == 1


def test_kill_from_another_thread_ends_the_job(worker):
    worker.start()
    threading.Timer(0.2, worker.kill).start()
    with pytest.raises(WorkerCrashError, match="SIGKILL"):
        worker.run("time", "sleep", 60)


def test_threads_share_one_worker(shared):
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda i: shared.run(JOBS, "same", i), range(20))) == list(range(20))


def test_nothing_is_left_behind(worker, monkeypatch):
    monkeypatch.setattr(worker_folders, "_home", None)
    worker.start()
    descriptors = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with pytest.raises(WorkerCrashError):
            worker.run(JOBS, "leave_at_once", 1)
        worker.start()
    assert len(os.listdir("/proc/self/fd")) == descriptors
    pid = worker.run(JOBS, "where")[0]
    worker.kill()
    worker.kill()
    assert gone(pid)
    assert not [c for c in psutil.Process().children() if c.pid == pid]
    assert not list(worker_folders.home().iterdir())


def test_garbage_collection_ends_the_process():
    worker = Worker()
    pid = worker.run(JOBS, "where")[0]
    del worker
    gc.collect()
    assert gone(pid)


def test_a_worker_may_have_a_worker(shared):
    assert shared.run(JOBS, "nested")


def test_nested_worker_ends_with_the_outer_one(worker):
    inner = worker.run(JOBS, "keep_nested")
    worker.kill()
    assert gone(inner)


def test_forked_process_gets_a_child_of_its_own(worker):
    pid = worker.run(JOBS, "where")[0]
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            assert not worker.alive
            answer = worker.run(JOBS, "where")[0] != pid
            worker.kill()
        except BaseException:
            answer = False
        os.write(writing, b"other" if answer else b"wrong")
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert pipe.read() == "other"
    assert worker.run(JOBS, "where")[0] == pid  # ours is still the same


def run_script(source, **options):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)], capture_output=True, text=True, timeout=60, **options
    )


def test_script_without_main_guard_in_a_folder_with_misleading_files(tmp_path):
    (tmp_path / "random.py").write_text("raise SystemExit('shadowed')")
    (tmp_path / "script.py").write_text(
        "import sys; sys.path.pop(0)\n"
        "from xcompare.core.worker import Worker\n"
        "print(Worker().run('math', 'sqrt', 9.0))"
    )
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("3.0\n", "")


def test_end_of_the_interpreter_ends_the_worker():
    done = run_script("""
        from xcompare.core.worker import Worker
        worker = Worker()
        print(worker.run("os", "getpid"), worker._child.folder)
        """)
    pid, folder = done.stdout.split()
    assert done.stderr == ""
    assert not psutil.pid_exists(int(pid))
    assert not Path(folder).parent.exists()


def test_worker_ends_when_its_parent_is_killed(tmp_path):
    done = run_script(
        """
        import os
        from xcompare.core.worker import Worker
        worker = Worker()
        print(worker.run("os", "getpid"), flush=True)
        os.kill(os.getpid(), 9)
        """,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    assert done.returncode == -signal.SIGKILL
    assert gone(int(done.stdout))
    assert not list(tmp_path.iterdir())


def test_ctrl_c_kills_the_job_and_surfaces():
    source = """
        import os, signal, threading
        from xcompare.core.worker import Worker
        worker = Worker()
        pid = worker.run("os", "getpid")
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            worker.run("time", "sleep", 60)
        except KeyboardInterrupt:
            print(pid, worker.alive)
        """
    pid, alive = run_script(source).stdout.split()
    assert alive == "False"
    assert gone(int(pid))


def test_no_folder_before_there_is_a_worker(monkeypatch):
    """A process that is killed before could not remove it."""
    monkeypatch.setattr(worker_folders, "_home", None)
    assert not worker_folders.home().exists()
    assert worker_folders.home() == worker_folders.home()


def test_folders_of_workers_that_were_killed_with_their_owner_are_cleared_up(worker):
    worker.start()
    left = worker_folders.home() / "999999999-abc"
    left.mkdir()
    worker_folders.clear_up()
    assert not left.exists()
    assert worker.run("os", "getpid")
    assert worker._child.folder.exists()


def in_joblib(i):
    return Worker().run("math", "sqrt", float(i))


@pytest.mark.slow
def test_from_joblib_processes():
    assert Parallel(n_jobs=2)(delayed(in_joblib)(i) for i in (1, 4)) == [1.0, 2.0]


def test_from_a_daemonic_process():
    done = run_script("""
        import multiprocessing
        from xcompare.core.worker import Worker
        def work(queue):
            queue.put(Worker().run("math", "sqrt", 16.0))
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        process = context.Process(target=work, args=(queue,), daemon=True)
        process.start(); print(queue.get(timeout=30)); process.join()
        """)
    assert done.stdout == "4.0\n", done.stderr
