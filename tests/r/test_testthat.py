"""The tests of the R code, one pytest test per file of testthat tests."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Of the reporters that show failures, CheckReporter would leave a file behind.
RUN = """
reporter <- testthat::SummaryReporter$new()
testthat::test_file(commandArgs(TRUE), reporter = reporter, stop_on_failure = TRUE)
"""


@pytest.mark.slow
@pytest.mark.r
@pytest.mark.parametrize("file", sorted(Path(__file__).parent.glob("test-*.R")), ids=lambda file: file.stem)
def test_r_file(file):
    done = run(file)
    assert done.returncode == 0, f"\n{done.stdout}\n{done.stderr}"


@pytest.mark.slow
@pytest.mark.r
def test_a_failing_r_test_is_noticed(tmp_path):
    for source in ("testthat::test_that('no', testthat::expect_equal(1, 2))", "stop('outside a test')"):
        (tmp_path / "test-failing.R").write_text(source)
        assert run(tmp_path / "test-failing.R").returncode != 0


def run(file):
    return subprocess.run(
        [shutil.which("Rscript"), "--vanilla", "-e", RUN, str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=280,
    )
