"""What holds for every command: help, version, refusals, exit status."""

import subprocess
import sys

import pytest

import xcompare as package


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


def test_help_needs_nothing_slow():
    source = (
        "import sys\nfrom xcompare.cli import run\nrun(['--help'])\n"
        "slow = {'numpy', 'pandas', 'sklearn', 'scipy', 'matplotlib', 'joblib', 'pyarrow'}\n"
        "print('loaded:', sorted(slow & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60)
    assert done.stdout.endswith("loaded: []\n"), done.stdout + done.stderr


def test_a_reader_that_stops_early_gets_no_traceback():
    command = f"{sys.executable} -m xcompare methods --json | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    assert done.stdout == "[\n"
    assert done.stderr == ""
