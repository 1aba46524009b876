"""run.R and install_packages.R as an R user calls them."""

import csv
import io
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.r

SCRIPTS = Path(__file__).parents[2] / "r_scripts"
METHOD = """
xc_fgkm <- function(x, n_clusters) {
  if (n_clusters == 2) stop("cannot do two", call. = FALSE)
  importance <- apply(xc_check_matrix(x), 2L, max) + stats::runif(1)
  list(importance = importance, package = "reference implementation")
}
xc_urf <- function(x, importance, max_features = 2L) {
  list(importance = c(max_features, nchar(importance)), package = "none")
}
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with a space in its name, the scripts, two small methods and some data."""
    folder = tmp_path / "r scripts"
    folder.mkdir()
    for name in ("run.R", "common.R", "install_packages.R"):
        shutil.copy(SCRIPTS / name, folder)
    for name in ("fgkm.R", "urf.R"):
        (folder / name).write_text(METHOD)
    (folder / "good.csv").write_text('"first, one",second,class\n1,5,a\n2,6,b\n3,7,a\n')
    (folder / "holes.csv").write_text("a,b,c\n1,2,3\n,3,4\nNA,4,\n")
    (folder / "empty.csv").touch()
    return folder


def run(folder, *arguments, script="run.R", cwd=None):
    command = ["Rscript", "--no-init-file", str(folder / script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=cwd or folder)


GOOD = ("--data", "good.csv", "--label", "class")


def test_scores_as_csv(folder):
    done = run(folder, "--method", "fgkm", *GOOD, "--clusters", "3", "--seed", "1", "--no-standardize")
    assert done.returncode == 0, done.stderr
    rows = list(csv.reader(io.StringIO(done.stdout)))
    assert done.stdout.startswith('feature,score\n"first, one",')
    assert [row[0] for row in rows[1:]] == ["first, one", "second"]
    assert [float(row[1]) for row in rows[1:]] == pytest.approx([3.2655086631421, 7.2655086631421], abs=1e-12)
    assert done.stderr == "fgkm: reference implementation\n"


def test_standardised_unless_told_otherwise(folder):
    done = run(folder, "--method", "fgkm", *GOOD, "--clusters", "3", "--seed", "1", "--out", "scores.csv")
    assert done.stdout == ""
    rows = list(csv.reader(io.StringIO((folder / "scores.csv").read_text())))
    assert float(rows[1][1]) == pytest.approx(1 + 0.2655086631421, abs=1e-12)


def test_from_any_folder(folder, tmp_path):
    data = str(folder / "good.csv")
    done = run(folder, "--method", "urf_gini", "--data", data, "--label", "class", cwd=tmp_path)
    assert done.stdout == 'feature,score\n"first, one",2\nsecond,4\n'


def test_one_function_several_methods_and_max_features(folder):
    done = run(folder, "--method", "urf_perm", *GOOD, "--max-features", "1")
    assert done.stdout == 'feature,score\n"first, one",1\nsecond,11\n'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--method is missing; methods: urf_gini, urf_perm, fgkm"),
        (["--method", "urf"], "unknown method urf; methods: urf_gini, urf_perm, fgkm"),
        (["--method", "cubt", *GOOD], "unknown method cubt; methods: urf_gini, urf_perm, fgkm"),
        (["--method", "fgkm"], "--data is missing: a CSV file"),
        (["--method", "fgkm", "--data", "nope.csv"], "there is no file nope.csv"),
        (["--method", "fgkm", *GOOD], "fgkm needs --clusters"),
        (
            ["--method", "fgkm", *GOOD, "--clusters", "4"],
            "--clusters must be at most the number of rows, 3, got 4",
        ),
        (
            ["--method", "fgkm", *GOOD, "--clusters", "2.5"],
            "--clusters must be a whole number of at least 1, got 2.5",
        ),
        (["--method", "fgkm", *GOOD, "--seed", "x"], "--seed must be a whole number of at least 0, got x"),
        (
            ["--method", "fgkm", *GOOD, "--clusters", "3", "--max-features", "1"],
            "fgkm takes no --max-features",
        ),
        (["--method", "fgkm", "--nope", "1"], 'long flag "nope" is invalid'),
        (
            ["--method", "fgkm", "--data", "good.csv"],
            "columns that are not numbers: class; remove them, or leave one out with --label",
        ),
        (
            ["--method", "fgkm", "--data", "good.csv", "--label", "klass"],
            "no column klass in good.csv; columns: first, one, second, class",
        ),
        (
            ["--method", "fgkm", "--data", "holes.csv"],
            "missing values in a (2), c (1); fill them in or remove those rows",
        ),
        (["--method", "fgkm", "--data", "empty.csv"], "cannot read empty.csv: no lines available in input"),
    ],
)
def test_bad_requests_get_one_line_and_status_2(folder, arguments, message):
    done = run(folder, *arguments)
    assert done.stderr.splitlines() == [f"run.R: {message}"]
    assert done.returncode == 2


def test_failure_of_the_method_is_status_1(folder):
    done = run(folder, "--method", "fgkm", *GOOD, "--clusters", "2")
    assert (done.returncode, done.stderr) == (1, "run.R: fgkm: cannot do two\n")


def test_help_of_both(folder):
    assert "--max-features" in run(folder, "--help").stdout
    assert "Rdimtools" in run(folder, "--help", script="install_packages.R").stdout


def test_install_goes_on_when_cran_cannot_be_reached(folder, tmp_path, monkeypatch):
    profile = tmp_path / "site"
    profile.write_text('options(repos = c(CRAN = "http://127.0.0.1:9"))')
    monkeypatch.setenv("R_PROFILE", str(profile))
    done = run(folder, script="install_packages.R")
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.startswith(("CRAN cannot be reached; not installed: ", "all R packages are installed"))
    assert done.stdout.count("\n") == 1


def test_real_methods_on_the_command_line(tmp_path):
    """Every method runs on a small table."""
    rows = [f"{i % 3 * 5 + i / 40},{i % 7},{i % 5}" for i in range(60)]
    (tmp_path / "data.csv").write_text("\n".join(["a,b,c", *rows]))
    every = "basic, efron, bbc, urf_gini, urf_perm, cubt, twkm, fgkm, ls"
    listed = run(SCRIPTS, "--method", "?", cwd=tmp_path).stderr.partition("methods: ")[2].strip()
    assert listed == every
    for method in listed.split(", "):
        done = run(
            SCRIPTS, "--method", method, "--data", "data.csv", "--clusters", "3", "--seed", "1", cwd=tmp_path
        )
        assert done.returncode == 0, f"{method}: {done.stderr}"
        assert [line.partition(",")[0] for line in done.stdout.splitlines()] == ["feature", "a", "b", "c"]
