"""The R scripts as an R package: installed, documented, and in step with Python."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import xcompare
from xcompare import rbridge

SCRIPTS = Path(__file__).parents[2] / "r_scripts"
USE = """
library(xcompare)
stopifnot(nzchar(utils::help("xc_bagging", package = "xcompare")))
found <- xc_compare(iris[1:4], 3, methods = c("cubt", "urf_gini", "twkm"), n_runs = 1, seed = 1)
print(dim(found$table))
print(class(summary(found$fits$cubt)))
"""


def run(*command, cwd, **environment):
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=280,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_version_is_that_of_the_python_package():
    found = re.search(r"^Version: (\S+)$", (SCRIPTS / "DESCRIPTION").read_text(), re.MULTILINE)
    assert found[1] == xcompare.__version__


@pytest.mark.slow
@pytest.mark.r("randomForest")
def test_it_installs_and_runs_and_leaves_the_folder_as_it_was(tmp_path):
    source, library = tmp_path / "r_scripts", tmp_path / "library"
    shutil.copytree(SCRIPTS, source, ignore=shutil.ignore_patterns("R"))
    library.mkdir()
    before = sorted(source.rglob("*"))
    run("R", "CMD", "INSTALL", "--clean", f"--library={library}", source, cwd=tmp_path)
    assert sorted(source.rglob("*")) == before
    shown = run("Rscript", "--no-init-file", "-e", USE, cwd=tmp_path, R_LIBS=str(library))
    assert shown.splitlines() == ["[1] 3 4", '[1] "data.frame"']


@pytest.mark.endurance
@pytest.mark.r
def test_check_has_no_errors_or_warnings(tmp_path):
    run("R", "CMD", "build", SCRIPTS, cwd=tmp_path)
    [archive] = tmp_path.glob("*.tar.gz")
    shown = run("R", "CMD", "check", "--no-manual", archive, cwd=tmp_path, _R_CHECK_FORCE_SUGGESTS_="false")
    assert not re.search(r"\b(ERROR|WARNING)\b", shown), shown


@pytest.mark.slow
@pytest.mark.r("diptest")
def test_the_table_is_that_of_python(tmp_path):
    iris = xcompare.load_dataset("iris")
    methods = ["cubt", "ls", "dip"]
    found = rbridge.call("xc_compare", {"x": iris.X, "n_clusters": 3, "methods": methods}).values
    native = xcompare.compare(
        iris, methods=methods, flip=True, n_jobs=1, progress=False, store=tmp_path / "run.sqlite"
    )
    np.testing.assert_allclose(found["table"], native.table.loc[methods].to_numpy(), atol=1e-8)
