"""Calling R: values both ways, seeds, warnings, and every way in which R can fail."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import psutil
import pytest
from joblib import Parallel, delayed

from xcompare import rbridge
from xcompare.core import worker_folders
from xcompare.core.errors import RCallError, WorkerCrashError, WorkerTimeoutError

pytestmark = pytest.mark.r

PROBE = Path(__file__).parents[1] / "data" / "r" / "probe.R"


def call(function, arguments=None, **options):
    return rbridge.call(function, arguments or {}, script=PROBE, **options)


def worker_pid():
    return int(call("process").values["pid"][0])


# Values


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.5, np.array([1.5])),
        (3, np.array([3], dtype=np.int32)),
        (True, np.array([True])),
        ("é 漢", ["é 漢"]),
        (None, None),
        (["a", "b", None], ["a", "b", None]),
        (("a", "b"), ["a", "b"]),
        ([1, 2], np.array([1, 2], dtype=np.int32)),
        (np.array(["x", "y"]), ["x", "y"]),
        (np.array(["x", "y"], dtype=object), ["x", "y"]),
        (np.array([1.0, np.nan, np.inf, -np.inf]), np.array([1.0, np.nan, np.inf, -np.inf])),
        (np.array([1.5, 2.5], dtype=np.float32), np.array([1.5, 2.5])),
        (np.arange(4, dtype=np.int64), np.arange(4, dtype=np.int32)),
        (np.array([2**31 - 1, 1 - 2**31]), np.array([2**31 - 1, 1 - 2**31], dtype=np.int32)),
        (np.array([True, False]), np.array([True, False])),
        (np.empty(0), np.empty(0)),
        (np.empty((0, 3)), np.empty((0, 3))),
        (np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3)),
        (np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.arange(6.0).reshape(2, 3)),
        (np.arange(24.0).reshape(4, 6)[::2, ::3], np.arange(24.0).reshape(4, 6)[::2, ::3]),
        (np.eye(2, dtype=bool), np.eye(2, dtype=bool)),
        (np.arange(24).reshape(2, 3, 4), np.arange(24, dtype=np.int32).reshape(2, 3, 4)),
        (np.float32(0.5), np.array([0.5])),
    ],
)
def test_round_trip(value, expected):
    back = call("identity_list", {"x": value}).values["x"]
    if isinstance(expected, np.ndarray):
        assert back.dtype == expected.dtype
        np.testing.assert_array_equal(back, expected, strict=True)
    else:
        assert back == expected


def test_dict_is_a_named_list():
    back = call("identity_list", {"x": {"a": 1.0, "b": {"c": "d"}}}).values["x"]
    assert back["a"] == [1.0]
    assert back["b"] == {"c": ["d"]}


def test_types_r_sees():
    assert call("describe", {"x": np.ones(3)}).values["dim"] is None  # a vector, not a 1-d array
    seen = call("describe", {"x": np.ones((2, 3), dtype=bool)}).values
    assert seen["type"] == ["logical"]
    assert seen["dim"].tolist() == [2, 3]
    assert call("describe", {"x": np.array([1.0, np.nan])}).values["missing"] == [1]


def test_values_r_returns():
    values = call("values").values
    assert values["null"] is None
    np.testing.assert_array_equal(values["real"], [1, np.nan, np.nan])
    assert values["whole"].dtype == np.int32
    np.testing.assert_array_equal(values["whole_na"], [1, np.nan])
    assert values["yes"].dtype == bool
    np.testing.assert_array_equal(values["yes_na"], [1, np.nan])
    assert values["text"] == ["a", None]
    assert values["factor"] == ["u", None, "v"]
    np.testing.assert_array_equal(values["matrix"], [[1.5, 3.5, 5.5], [2.5, 4.5, 6.5]])
    assert values["empty"].shape == (0,)
    assert values["no_text"] == []
    assert values["no_rows"].shape == (0, 3)
    assert values["inner"]["b"] == {"c": ["d"]}
    assert values["unnamed"] == [[1.0], ["a"]]
    assert values["table"]["b"] == ["x", "y"]
    assert values["cells"].tolist() == [["a", "b"]]


def test_result_is_a_copy_that_may_be_written():
    first = call("values").values["matrix"]
    first[:] = 0
    assert call("values").values["matrix"][0, 0] == 1.5


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (2**31, ValueError, "x holds integers beyond R's range"),
        (np.array([-(2**31)]), ValueError, "x holds integers beyond R's range"),
        (object(), TypeError, "x must be numbers, .* to be passed to R; got object"),
        (1j, TypeError, "x must be numbers, .*; got complex"),
        ([1, "a", None], TypeError, "x must be numbers, .*; got list"),
        ({"deep": {"er": object()}}, TypeError, r"x\['deep'\]\['er'\] must be numbers"),
    ],
)
def test_what_cannot_be_passed(value, error, message):
    with pytest.raises(error, match=message):
        call("identity_list", {"x": value})


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("bare", r"bare\(\) must return a named list; got an R double"),
        ("nameless", r"nameless\(\) must return a named list; got a list without names"),
        ("closure", r"closure\(\)\$fit\$predict is an R closure; only numbers"),
        ("environment_value", r"environment_value\(\)\$where is an R environment"),
        ("no_such_function", r"probe.R defines no function no_such_function\(\)"),
    ],
)
def test_what_cannot_be_returned(function, message):
    with pytest.raises(RCallError, match=message):
        call(function)
    assert call("identity_list", {"x": 1}).values["x"] == [1]


# Seeds


def rscript_draw(seed):
    code = f"set.seed({seed}); cat(sprintf('%.17g', c(runif(3), rnorm(3), sample(100L, 5L))))"
    done = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True)
    return [float(number) for number in done.stdout.split()]


def draw(seed):
    values = call("draw", seed=seed).values
    return [*values["uniform"], *values["normal"], *values["sample"]]


def test_seed_gives_what_rscript_gives():
    assert draw(7) == rscript_draw(7)


@pytest.mark.slow
def test_seed_fixes_the_result_whatever_ran_before():
    first = draw(7)
    call("change_generator")
    assert draw(8) != first
    assert draw(7) == first
    rbridge.shutdown()  # another process
    assert draw(7) == first


@pytest.mark.slow
def test_seed_fixes_the_result_in_any_order_and_worker():
    alone = [draw(seed) for seed in range(6)]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(draw, reversed(range(6)))) == alone[::-1]


def test_no_seed_means_new_numbers():
    draw(7)
    first = draw(None)
    draw(7)
    assert draw(None) != first


@pytest.mark.parametrize("seed", [-1, 2**31, 1.5, True, "1"])
def test_seed_out_of_range(seed):
    with pytest.raises(ValueError, match="seed must be a whole number from 0 to 2147483647 or None; got"):
        call("draw", seed=seed)


def test_largest_seed_and_numpy_integers():
    assert draw(2**31 - 1) == draw(np.int64(2**31 - 1))


# Warnings, output, errors


def test_warnings_and_output_are_captured(capfd):
    result = call("noisy", {"x": 3})
    assert result.warnings == ("first", "second")
    assert result.output == "printed\ntold\n[1] 3"
    assert capfd.readouterr() == ("", "")
    assert call("identity_list", {"x": 1}).warnings == ()


def test_seconds_and_version():
    result = call("sleep", {"seconds": 0.2})
    assert result.seconds >= 0.2
    assert result.r_version == rbridge.status().r_version


def test_r_error_keeps_message_call_warnings_and_output():
    with pytest.raises(RCallError, match=r"R error in inner\(x\): bad input: 7") as caught:
        call("fail_in", {"x": 7})
    error = caught.value
    assert error.message == "bad input: 7"
    assert error.call == "inner(x)"
    assert error.warnings == ("before",)
    assert error.output == "so far"
    assert call("identity_list", {"x": 1}).values["x"] == [1]


def test_r_error_without_call():
    with pytest.raises(RCallError, match=r"^R error: x must be positive; got -1$"):
        call("fail_plainly")


@pytest.mark.parametrize("function", ["recurse", "recurse_with_work"])
def test_infinite_recursion_is_an_r_error(function):
    with pytest.raises(RCallError, match=r"nested too deeply|stack usage|stack overflow"):
        call(function, {"n": 1})
    assert call("identity_list", {"x": 1}).values["x"] == [1]


def test_calls_name_arguments_instead_of_holding_them():
    result = call("makes_global")
    assert result.values["matched"] == ["makes_global()"]
    with pytest.raises(RCallError) as caught:
        call("inner", {"value": np.zeros(10_000)})
    assert caught.value.call == "inner(value = value)"


def test_scripts_stay_out_of_the_global_environment_and_see_common():
    values = call("makes_global").values
    assert values["globals"] == []
    assert values["checks"]


def test_script_that_does_not_parse(tmp_path):
    script = tmp_path / "broken.R"
    script.write_text("f <- function( {")
    with pytest.raises(RCallError, match=r"cannot source broken\.R: 1:16: unexpected"):
        rbridge.call("f", {}, script=script)


def test_changed_script_is_read_again(tmp_path):
    script = tmp_path / "changing.R"
    script.write_text("f <- function() list(x = 1)")
    assert rbridge.call("f", {}, script=script).values["x"] == [1]
    script.write_text("f <- function() list(x = 22)")
    assert rbridge.call("f", {}, script=script).values["x"] == [22]


def test_unknown_script(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"script must be an R file; got .*nope\.R"):
        rbridge.call("f", {}, script=tmp_path / "nope.R")


def test_unknown_function():
    with pytest.raises(RCallError, match=r"^R error: xcompare\.R defines no function xc_nope\(\)$"):
        rbridge.call("xc_nope", {})


# What one call leaves behind, and text of any kind


@pytest.mark.slow
def test_references_to_none_are_kept():
    """rpy2's memoryview() loses one each time; with none left, Python aborts."""
    code = """
import sys
import numpy as np
from xcompare.rbridge import scripts_folder, session
job = (str(scripts_folder() / "xcompare.R"), sys.argv[1], "values", {}, 1)
session.call(*job)
before = sys.getrefcount(None)
for _ in range(200):
    session.call(*job)
print(sys.getrefcount(None) - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(PROBE)], capture_output=True, text=True, check=True, timeout=120
    )
    assert abs(int(done.stdout)) < 50


@pytest.mark.slow
@pytest.mark.parametrize("n_calls", [2000, pytest.param(20_000, marks=pytest.mark.endurance)])
def test_one_worker_serves_thousands_of_calls(n_calls):
    """It once ended after some 1,300."""
    pid = worker_pid()
    for _ in range(n_calls):
        call("values")
    assert worker_pid() == pid


@pytest.mark.parametrize(
    "function",
    [
        "leaves_few_expressions",
        "leaves_globals",
        "leaves_hidden_global",
        "leaves_package_attached",
        "leaves_sink",
        "leaves_torture",
        "leaves_traces",
        "moves_away",
        "masks_sum",
    ],
)
def test_a_call_leaves_nothing_behind(function):
    pid = worker_pid()
    clean = call("session").values
    call(function)
    after = call("session")
    assert after.values == clean
    assert after.output == "seen"
    with pytest.raises(RCallError, match="bad input: 3"):
        call("fail_in", {"x": 3.0})
    assert worker_pid() == pid


def test_a_condition_without_a_message_is_reported():
    with pytest.raises(RCallError, match="a condition of class mute without a message"):
        call("fails_without_a_message")


@pytest.mark.slow
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_text_that_is_not_utf8_is_written_out(locale):
    code = f"""
from xcompare import rbridge
found = rbridge.call("says_latin1", {{}}, script={str(PROBE)!r})
print([found.output, found.warnings, found.values["text"], list(found.values["inner"])])
try:
    rbridge.call("fails_in_latin1", {{}}, script={str(PROBE)!r})
except Exception as error:
    print(type(error).__name__, error)
"""
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code],
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=120,
        env=os.environ | {"LC_ALL": locale},
    )
    assert done.stdout == (
        "['caf<e9>', ('w<e9>',), ['v<e9>', 'é'], ['n<e9>']]\n"
        "RCallError R error in fails_in_latin1(): b<e9>d\n"
    )


# Crashes and hangs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (
            "signal_self",
            {"signal": 9},
            r"(?s)signal_self\(\) of probe\.R ended .* by SIGKILL.*goes to the log",
        ),
        ("signal_self", {"signal": 11}, "by SIGSEGV"),
        ("end", {"status": 3}, "with exit status 3"),
        ("end_quietly", {}, "with exit status 0"),
    ],
)
def test_crash_costs_one_call(function, arguments, message):
    with pytest.raises(WorkerCrashError, match=message):
        call(function, arguments)
    assert call("identity_list", {"x": 1}).values["x"] == [1]


@pytest.mark.slow
def test_killed_from_outside_in_the_middle_of_a_call():
    pid = worker_pid()
    threading.Timer(0.3, os.kill, (pid, signal.SIGKILL)).start()
    with pytest.raises(
        WorkerCrashError, match=r"R function loop\(\) of probe.R ended its process by SIGKILL"
    ):
        call("loop")
    assert worker_pid() != pid


@pytest.mark.slow
@pytest.mark.parametrize(("function", "arguments"), [("loop", {}), ("sleep", {"seconds": 60})])
def test_time_limit(function, arguments):
    call("process")
    with pytest.raises(WorkerTimeoutError, match=rf"{function}\(\) of probe.R gave no result within 0\.3 s"):
        call(function, arguments, timeout=0.3)
    assert call("identity_list", {"x": 1}, timeout=60).values["x"] == [1]


@pytest.mark.slow
def test_start_of_r_is_not_on_the_clock(tmp_path, monkeypatch):
    (tmp_path / "site").write_text("Sys.sleep(4)")
    monkeypatch.setenv("R_PROFILE", str(tmp_path / "site"))
    rbridge.shutdown()
    assert call("sleep", {"seconds": 0.05}, timeout=3).values["slept"] == [0.05]
    rbridge.shutdown()


@pytest.mark.slow
def test_r_leaves_no_temporary_folder():
    rbridge.shutdown()
    others = set(worker_folders.home().glob("*/Rtmp*"))  # of processes that earlier tests started
    call("process")
    folders = set(worker_folders.home().glob("*/Rtmp*")) - others
    assert folders
    with pytest.raises(WorkerTimeoutError):
        call("loop", timeout=0.1)
    rbridge.shutdown()
    assert not [folder for folder in folders if folder.parent.exists()]


# Where calls come from


@pytest.mark.slow
def test_session_is_not_interactive_and_finds_the_users_libraries(tmp_path, monkeypatch):
    monkeypatch.delenv("R_LIBS", raising=False)  # those would come first
    monkeypatch.setenv("R_LIBS_USER", str(tmp_path))
    rbridge.shutdown()
    try:
        values = call("process").values
        assert not values["interactive"]
        assert values["libraries"][0] == str(tmp_path)
        assert rbridge.status().ok
    finally:
        monkeypatch.undo()
        rbridge.shutdown()


@pytest.mark.slow
def test_profile_and_workspace_of_the_working_directory_are_left_alone(tmp_path, monkeypatch):
    (tmp_path / ".Rprofile").write_text("unexpected <- 1; file.create('profile was read')")
    (tmp_path / ".Renviron").write_text(f"R_LIBS={tmp_path}")
    rbridge.shutdown()
    monkeypatch.chdir(tmp_path)
    assert call("makes_global").values["globals"] == []
    assert str(tmp_path) not in call("process").values["libraries"]
    assert rbridge.status().ok
    assert sorted(path.name for path in tmp_path.iterdir()) == [".Renviron", ".Rprofile"]
    rbridge.shutdown()


@pytest.mark.slow
def test_an_environment_file_that_the_user_names_is_read(tmp_path, monkeypatch):
    (tmp_path / "mine").write_text(f"R_LIBS={tmp_path}")
    monkeypatch.setenv("R_ENVIRON_USER", str(tmp_path / "mine"))
    rbridge.shutdown()
    try:
        assert call("process").values["libraries"][0] == str(tmp_path)
    finally:
        monkeypatch.undo()
        rbridge.shutdown()


@pytest.mark.slow
def test_plain_locale(monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")
    rbridge.shutdown()
    try:
        assert call("identity_list", {"x": "é"}).values["x"] == ["é"]
    finally:
        monkeypatch.undo()
        rbridge.shutdown()


@pytest.mark.slow
def test_threads_run_side_by_side():
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda _: call("sleep", {"seconds": 0.5}), range(2)))
        pids = set(pool.map(lambda _: (call("sleep", {"seconds": 0.2}), worker_pid())[1], range(4)))
    assert len(results) == 2
    assert 1 <= len(pids) <= 2


@pytest.mark.slow
def test_shutdown_ends_a_call_under_way():
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(call, "loop")
        time.sleep(1.5)
        rbridge.shutdown()
        with pytest.raises(WorkerCrashError, match="SIGKILL"):
            future.result(timeout=30)


@pytest.mark.slow
def test_forked_process_does_not_use_our_r():
    pid = worker_pid()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            other = worker_pid()
            rbridge.shutdown()
        except BaseException:
            other = 0
        os.write(writing, str(other).encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert int(pipe.read()) not in (0, pid)
    assert worker_pid() == pid


def draw_in_a_process(seed):
    return draw(seed)


@pytest.mark.slow
def test_joblib_processes_give_the_same_numbers():
    assert Parallel(n_jobs=2)(delayed(draw_in_a_process)(seed) for seed in (1, 2)) == [draw(1), draw(2)]


@pytest.mark.slow
def test_r_ends_with_the_process_that_used_it():
    source = "import os, test_call; print(test_call.worker_pid(), flush=True); os.kill(os.getpid(), 9)"

    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=60, cwd=Path(__file__).parent
    )
    pid = int(done.stdout)
    for _ in range(100):
        if not psutil.pid_exists(pid):
            break
        time.sleep(0.1)
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
