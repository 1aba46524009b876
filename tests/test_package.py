"""What people install: the source archive builds the wheel, and the wheel runs from an empty folder."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


def run(*command, cwd, **environment):
    done = subprocess.run(
        [sys.executable, *map(str, command)], cwd=cwd, capture_output=True, text=True, timeout=200,
        env={**os.environ, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The source archive."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("sdist")
    run("-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=ROOT)
    [file] = folder.glob("*.tar.gz")
    return file


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory):
    """The wheel, built from what is in the source archive and nothing else."""
    source, folder = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    with tarfile.open(sdist) as archive:
        archive.extractall(source, filter="data")
    [unpacked] = source.iterdir()
    run("-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=unpacked)
    [file] = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Folder with the installed wheel; what it depends on is here already."""
    folder = tmp_path_factory.mktemp("installed")
    options = ("--no-deps", "--no-index", "--disable-pip-version-check", "--target", folder)
    run("-m", "pip", "install", "-q", *options, wheel, cwd=folder)
    return folder


@pytest.fixture
def xcompare(installed, tmp_path):
    """Run the installed command in an empty folder."""

    def call(*arguments):
        return run(installed / "bin" / "xcompare", *arguments, cwd=tmp_path, PYTHONPATH=str(installed))

    return call


def test_nothing_is_packed_that_nobody_needs(sdist, wheel):
    with tarfile.open(sdist) as archive:
        names = [name.split("/", 1)[1] for name in archive.getnames() if "/" in name]
    assert {"LICENSE", "README.md", "pyproject.toml", "xcompare/__init__.py", "r_scripts/common.R"} <= set(
        names
    )
    assert not [name for name in names if name.startswith(("out/", ".venv", ".git/", "site/"))]
    with zipfile.ZipFile(wheel) as archive:
        packed = archive.namelist()
    assert {name.split("/")[0].split("-")[0] for name in packed} == {"xcompare", "xcompare_clustering"}
    sources = {f"xcompare/{path.relative_to(ROOT)}" for path in (ROOT / "r_scripts").glob("*.R")}
    assert sources <= set(packed)


def test_it_runs_from_an_empty_folder(xcompare, installed, tmp_path):
    where = run("-c", "import xcompare; print(xcompare.__file__)", cwd=tmp_path, PYTHONPATH=str(installed))
    assert Path(where.strip()).is_relative_to(installed)
    shown = xcompare("compare", "breast", "--methods", "ls,cubt", "--runs", 1, "--jobs", 1)
    assert "breast, 2 clusters" in shown
    assert (tmp_path / "out" / "breast" / "report.html").stat().st_size > 50_000


@pytest.mark.r
def test_its_r_scripts_are_found(xcompare):
    shown = xcompare("compare", "iris", "--methods", "cubt", "--engine", "r", "--runs", 1, "--jobs", 1)
    assert "iris, 3 clusters" in shown
    assert "unavailable" not in shown
