"""The R scripts as one set: names that no two functions share, and nothing but functions left."""

import json
import re
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.samples import standardized
from xcompare.methods import twkm

SCRIPTS = sorted((Path(__file__).parents[2] / "r_scripts").glob("*.R"))


def defined(script):
    """Names a script assigns at its top level."""
    return re.findall(r"^([\w.]+) <-", script.read_text(), flags=re.MULTILINE)


def test_no_name_is_defined_twice():
    names = Counter(name for script in SCRIPTS for name in defined(script))
    assert [name for name, times in names.items() if times > 1] == []
    assert len(names) > 50


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_every_name_has_the_prefix(script):
    shown = r"(?:(?:print|summary|plot)\.)?xc_\w+"
    assert [name for name in defined(script) if not re.fullmatch(shown, name)] == []


def rscript(code, *arguments, folder=None):
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        cwd=folder,
    )
    return json.loads(done.stdout)


ALONE = """
path <- commandArgs(TRUE)[1L]
source(path)
cat(jsonlite::toJSON(ls(all.names = TRUE)))
"""


@pytest.mark.r("jsonlite")
def test_sourcing_defines_the_functions_and_nothing_else(tmp_path):
    programs = ("run.R", "install_packages.R", "xcompare.R")
    expected = {name for script in SCRIPTS if script.name not in programs for name in defined(script)}
    found = rscript(ALONE, SCRIPTS[0].parent / "xcompare.R", folder=tmp_path)
    assert set(found) - {"path"} == expected


IN_ITS_FOLDER = """
source("r_scripts/xcompare.R", chdir = TRUE)
cat(jsonlite::toJSON(is.function(xc_bagging)))
"""


@pytest.mark.r("jsonlite")
def test_sourcing_may_change_to_the_folder_of_the_script():
    assert rscript(IN_ITS_FOLDER, folder=SCRIPTS[0].parents[1]) == [True]


EVERYTHING = """
folder <- commandArgs(TRUE)[1L]
x <- as.matrix(utils::read.csv(commandArgs(TRUE)[2L], header = FALSE))
source(file.path(folder, "xcompare.R"))
order <- c("common.R", "weighted_kmeans.R", "bagging_blocks.R", "bagging.R", "twkm.R", "fgkm.R", "cubt.R")
run <- function() {
  set.seed(1)
  list(
    bag = xc_bagging(x, 3, n_replicas = 5)$importance,
    twkm = xc_twkm(x, 3, lambda = 20, eta = 20, seed = 1)$labels
  )
}
first <- run()
for (file in order) source(file.path(folder, file))
second <- run()
for (file in rev(order)) source(file.path(folder, file))
cat(jsonlite::toJSON(list(first = first, second = second, third = run()), digits = 15))
"""


@pytest.mark.slow
@pytest.mark.r("jsonlite")
def test_methods_do_not_change_each_other_in_whatever_order_they_are_sourced(tmp_path):
    X = standardized("iris")
    np.savetxt(tmp_path / "x.csv", X, delimiter=",", fmt="%.17g")
    found = rscript(EVERYTHING, SCRIPTS[0].parent, tmp_path / "x.csv")
    assert found["first"] == found["second"] == found["third"]
    expected = twkm(X, 3, lam=20, eta=20, random_state=1).labels + 1
    np.testing.assert_array_equal(found["first"]["twkm"], expected)
