"""Running the command line: in this process for speed, in one of its own where that matters."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass

import pytest

from xcompare.cli import run

QUICK = ("--methods", "ls,cubt,fgkm", "--runs", 2, "--jobs", 1)


@dataclass(frozen=True)
class Finished:
    status: int
    stdout: str
    stderr: str


@pytest.fixture
def xcompare(capsys, tmp_path, monkeypatch):
    """Run a command in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        capsys.readouterr()
        status = run([str(argument) for argument in arguments])
        return Finished(status, *capsys.readouterr())

    return call


@pytest.fixture(scope="session")
def iris_run(tmp_path_factory):
    """What ``xcompare compare iris`` leaves in its folder."""
    folder = tmp_path_factory.mktemp("finished") / "iris"
    assert run(["compare", "iris", *map(str, QUICK), "--quiet", "--out", str(folder)]) == 0
    return folder


@pytest.fixture
def finished(iris_run, tmp_path):
    """The same in the working folder: its store."""
    shutil.copytree(iris_run, tmp_path / "out" / "iris")
    return tmp_path / "out" / "iris" / "run.sqlite"


@pytest.fixture
def xcompare_process(tmp_path):
    """Run a command in a process of its own, with pipes for input and output, in an empty folder."""

    def call(*arguments, stdin=None, **environment):
        done = subprocess.run(
            [sys.executable, "-m", "xcompare", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            cwd=tmp_path,
            env=os.environ | environment,
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def refused(xcompare, tmp_path):
    """Run a command that must be refused: status 2, one line on standard error, no file touched."""

    def call(*arguments):
        before = contents(tmp_path)
        done = xcompare(*arguments)
        assert done.status == 2
        assert done.stdout == ""
        assert done.stderr.startswith("xcompare: ")
        assert done.stderr.count("\n") == 1
        assert contents(tmp_path) == before
        return done.stderr.removeprefix("xcompare: ").rstrip("\n")

    return call


def contents(folder):
    """Every file and folder below, with what is in it."""
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}
