"""What holds for every command: help, version, refusals, exit status."""

import errno
import os
import re
import shutil
import subprocess
import sys

import pytest

import xcompare as package
from tests.cli.conftest import QUICK
from xcompare.harness.store import RunStore


def test_help_lists_the_commands(xcompare):
    for arguments in ([], ["--help"], ["-h"]):
        done = xcompare(*arguments)
        assert done.status == 0
        for command in ("compare", "datasets", "methods", "doctor"):
            assert f" {command} " in done.stdout


def test_version(xcompare):
    assert xcompare("--version").stdout == f"xcompare {package.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["metods"], "Did you mean 'methods'?"),
        (["methods", "--jsn"], "--json"),
        (["methods", "extra"], "extra"),
    ],
)
def test_arguments_that_cannot_be_read_are_refused_in_one_line(refused, arguments, message):
    assert message in refused(*arguments)


@pytest.mark.parametrize(
    ("arguments", "loaded"),
    [
        (["--help"], []),
        (["compare", "wine", "--figures", "docx"], []),
        (["compare", "no-such-file.csv"], ["numpy", "pandas"]),
        (["sweep", "no-such-file.csv"], ["numpy", "pandas"]),
    ],
)
def test_help_and_refusals_need_nothing_slow(arguments, loaded):
    source = (
        f"import sys\nfrom xcompare.cli import run\nrun({arguments})\n"
        "slow = {'numpy', 'pandas', 'sklearn', 'scipy', 'matplotlib', 'joblib'}\n"
        "print('loaded:', sorted(slow & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60)
    assert done.stdout.endswith(f"loaded: {loaded}\n"), done.stdout + done.stderr


@pytest.mark.slow
def test_a_reader_that_stops_early_gets_no_traceback():
    command = f"{sys.executable} -m xcompare methods --json | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    assert done.stdout == "[\n"
    assert done.stderr == ""


# Where the output has no room: one line, status 2, no file in part.


@pytest.fixture
def limited(tmp_path):
    """Run a command in a process whose files may not grow beyond a size, as on a full disk."""

    def call(size, *arguments, stdout=subprocess.PIPE):
        source = (
            f"import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}));"
            "from xcompare.cli import main; main(sys.argv[1:])"
        )
        return subprocess.run(
            [sys.executable, "-c", source, *map(str, arguments)],
            stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=120, cwd=tmp_path,
        )  # fmt: skip

    return call


@pytest.mark.slow
def test_full_disk_while_the_report_is_written(finished, limited):
    folder = finished.parent
    for file in folder.glob("*[!e]"):
        file.unlink()
    assert finished.stat().st_size < 100_000
    done = limited(100_000, "compare", "iris", *QUICK)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "xcompare: cannot write out/iris/report.html: File too large\n"
    written = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert "report.html" not in written
    assert {"table.csv", "table.tex", "raw.parquet"} < set(written)
    assert not any(name.startswith(".") for name in written)


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("options", [[], ["--json"]], ids=["table", "json"])
def test_full_disk_behind_standard_output(limited, options):
    with open("/dev/full", "w") as full:
        done = limited(10**9, "datasets", *options, stdout=full)
    assert done.returncode == 2
    assert done.stderr == "xcompare: cannot write to standard output: No space left on device\n"


def test_output_folder_that_is_deleted_before_the_results_are_written(xcompare, tmp_path, monkeypatch):
    def compare_and_lose(*arguments, **options):
        found = compare(*arguments, **options)
        shutil.rmtree(tmp_path / "out")
        return found

    compare = package.compare
    monkeypatch.setattr(package, "compare", compare_and_lose)
    assert xcompare("compare", "iris", *QUICK).status == 0
    assert (tmp_path / "out" / "iris" / "report.html").exists()


def test_output_folder_that_is_deleted_before_the_runs_are_kept(xcompare, tmp_path, monkeypatch):
    def lose_and_compare(*arguments, **options):
        shutil.rmtree(tmp_path / "out")
        return compare(*arguments, **options)

    compare = package.compare
    monkeypatch.setattr(package, "compare", lose_and_compare)
    done = xcompare("compare", "iris", *QUICK)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith("xcompare: cannot ")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_standard_output_that_is_closed(tmp_path):
    command = f'"{sys.executable}" -m xcompare datasets >&-'
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_names_too_long_for_a_file(refused):
    name = "x" * 300
    assert refused("report", name) == f"cannot use {name}: File name too long"
    assert refused("compare", "iris", "--out", name).endswith(f"{name}: File name too long")


def test_a_store_that_may_not_be_set_aside(xcompare, tmp_path, monkeypatch):
    RunStore(tmp_path / "run.sqlite").close()

    def rename(path, target):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr("pathlib.Path.rename", rename)
    done = xcompare("compare", "iris", "--fresh", "--out", tmp_path)
    assert done.status == 2
    assert done.stderr == f"xcompare: cannot use {tmp_path / 'run.sqlite'}: Permission denied\n"


@pytest.mark.parametrize(
    "command",
    ["inspect", "compare", "sweep", "explain", "choose-k", "bench", "report", "reproduce", "validate"],
)
def test_help_is_whole_on_a_narrow_terminal(xcompare, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    assert "…" not in xcompare(command, "--help").stdout


@pytest.mark.parametrize("command", ["compare", "sweep", "explain", "choose-k"])
def test_help_begins_with_the_usual_options(xcompare, command):
    panels = re.findall(r"─ ([A-Z][a-z ]+) ─", xcompare(command, "--help").stdout)
    assert panels == ["Arguments", "Options", "Usual options", "Columns", "File", "Run", "Output"]
