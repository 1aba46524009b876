"""run.R and install_packages.R as an R user calls them."""

import csv
import io
import shutil
import subprocess
from pathlib import Path

import pytest

from xcompare.io.tables import read_table

pytestmark = pytest.mark.r

SCRIPTS = Path(__file__).parents[2] / "r_scripts"
FAKES = """
xc_fgkm <- function(x, n_clusters) {
  if (n_clusters == 2) stop("cannot do two", call. = FALSE)
  if (n_clusters == 1) warning("one is few", call. = FALSE)
  importance <- apply(xc_check_matrix(x), 2L, max) + stats::runif(1)
  list(importance = importance, labels = seq_len(nrow(x)), package = "reference implementation")
}
xc_bagging <- function(x, n_clusters, resampling, max_features = 2L) {
  list(importance = c(max_features, nchar(resampling)), labels = 3:1, package = "none")
}
xc_laplacian_score <- function(x) list(importance = x[1, ], package = "none")
"""
METHODS = "basic, efron, bbc, refined, urf_gini, urf_perm, cubt, twkm, fgkm, ls, dip, clustvarsel"


@pytest.fixture
def folder(tmp_path):
    """A folder with a space in its name, the scripts, some methods replaced by small ones, and some data."""
    folder = tmp_path / "r scripts"
    shutil.copytree(SCRIPTS, folder)
    with (folder / "xcompare.R").open("a") as file:
        file.write(FAKES)
    (folder / "good.csv").write_text('"first, one",second,class\n1,5,a\n2,6,b\n4,8,a\n')
    (folder / "holes.csv").write_text("a,b,c\n1,2,3\n,3,4\nNA,4,\n")
    (folder / "empty.csv").touch()
    return folder


def run(folder, *arguments, script="run.R", cwd=None):
    command = ["Rscript", "--no-init-file", str(folder / script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=cwd or folder)


GOOD = ("--data", "good.csv", "--label", "class")


def rows(text):
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.slow
def test_scores_as_csv(folder):
    done = run(folder, "--method", "fgkm", *GOOD, "--clusters", "3", "--seed", "1", "--no-standardize")
    assert done.returncode == 0, done.stderr
    header, first, second = rows(done.stdout)
    assert header == ["method", "feature", "score"]
    assert (first[:2], second[:2]) == (["fgkm", "first, one"], ["fgkm", "second"])
    assert [float(first[2]), float(second[2])] == pytest.approx([4.2655086631421, 8.2655086631421], abs=1e-12)
    assert done.stderr == "fgkm: reference implementation\n"


@pytest.mark.slow
def test_standardised_unless_told_otherwise(folder):
    done = run(folder, "--method", "fgkm", *GOOD, "--clusters", "3", "--seed", "1", "--out", "scores.csv")
    assert done.stdout == ""
    scores = rows((folder / "scores.csv").read_text())
    expected = (4 - 7 / 3) / (7 / 3) ** 0.5 + 0.2655086631421
    assert float(scores[1][2]) == pytest.approx(expected, abs=1e-12)


def test_from_any_folder(folder, tmp_path):
    data = str(folder / "good.csv")
    done = run(folder, "--method", "bbc", "--data", data, "--label", "class", "--clusters", "2", cwd=tmp_path)
    assert rows(done.stdout)[1:] == [["bbc", "first, one", "2"], ["bbc", "second", "3"]]


@pytest.mark.slow
def test_several_methods_with_their_labels(folder):
    options = ("--clusters", "3", "--seed", "1", "--max-features", "1", "--labels-out", "labels.csv")
    done = run(folder, "--method", "ls, bbc,fgkm", *GOOD, *options)
    assert done.returncode == 0, done.stderr
    assert [row[0] for row in rows(done.stdout)[1:]] == ["ls", "ls", "bbc", "bbc", "fgkm", "fgkm"]
    assert (folder / "labels.csv").read_text() == "row,bbc,fgkm\n1,3,1\n2,2,2\n3,1,3\n"


@pytest.mark.slow
def test_every_method_gets_the_seed(folder):
    options = ("--clusters", "3", "--seed", "1")
    alone, beside = (run(folder, "--method", m, *GOOD, *options) for m in ("fgkm", "efron,fgkm"))
    assert rows(alone.stdout)[1:] == rows(beside.stdout)[3:]


@pytest.mark.slow
def test_without_labels_there_is_no_file_of_them(folder):
    done = run(folder, "--method", "ls", *GOOD, "--labels-out", "labels.csv")
    assert done.returncode == 0
    assert "no method found a partition, so labels.csv is not written" in done.stderr
    assert not (folder / "labels.csv").exists()


def test_warnings_are_told(folder):
    done = run(folder, "--method", "fgkm", *GOOD, "--clusters", "1")
    assert done.stderr == "run.R: fgkm: warning: one is few\nfgkm: reference implementation\n"


FORMS = {
    "semicolons": "a;b\n1.5;2\n2;3\n4;8\n",
    "semicolons and decimal commas": "a;b\n1,5;2\n2;3\n4;8\n",
    "tabs": "a\tb\n1.5\t2\n2\t3\n4\t8\n",
    "row names of write.csv": '"","a","b"\n"x",1.5,2\n"y",2,3\n"z",4,8\n',
    "row numbers of write.csv": '"","a","b"\n"1",1.5,2\n"2",2,3\n"3",4,8\n',
    "row names of write.table": '"a" "b"\n'.replace(" ", "\t") + '"1"\t1.5\t2\n"2"\t2\t3\n"3"\t4\t8\n',
    "byte order mark": "\ufeffa,b\n1.5,2\n2,3\n4,8\n",
    "blanks": "a, b\n1.5, 2\n2, 3\n4, 8\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_files_are_read_as_the_command_line_reads_them(folder, form):
    path = folder / "table.csv"
    path.write_text(FORMS[form], encoding="utf-8")
    done = run(folder, "--method", "ls", "--data", "table.csv", "--no-standardize")
    assert done.returncode == 0, done.stderr
    assert rows(done.stdout)[1:] == [["ls", "a", "1.5"], ["ls", "b", "2"]]
    said = "run.R: the first column has no name and is taken as row names\n" if "row" in form else ""
    assert done.stderr == f"{said}ls: none\n"
    X = read_table(path).X
    assert X.to_dict("list") == {"a": [1.5, 2, 4], "b": [2, 3, 8]}


def test_a_column_that_counts_the_rows_is_pointed_out(folder):
    (folder / "table.csv").write_text("id,b\n1,2\n2,3\n3,8\n")
    done = run(folder, "--method", "ls", "--data", "table.csv")
    assert "run.R: id counts the rows; if it is an index, leave it out with --label\n" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], f"--method is missing; methods: {METHODS}"),
        (["--method", "cubt,urf"], f"unknown method urf; methods: {METHODS}"),
        (["--method", "fgkm"], "--data is missing: a CSV file"),
        (["--method", "fgkm", "--data", "nope.csv"], "there is no file nope.csv"),
        (["--method", "fgkm", *GOOD], "fgkm needs --clusters"),
        (
            ["--method", "fgkm", *GOOD, "--clusters", "4"],
            "--clusters must be at most the number of rows, 3; got 4",
        ),
        (
            ["--method", "fgkm", *GOOD, "--clusters", "2.5"],
            "--clusters must be a whole number of at least 1; got 2.5",
        ),
        (["--method", "fgkm", *GOOD, "--seed", "x"], "--seed must be a whole number of at least 0; got x"),
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
        (["--method", "fgkm", "--data", "empty.csv"], "cannot read empty.csv: its first line is empty"),
    ],
)
def test_bad_requests_get_one_line_and_status_2(folder, arguments, message):
    done = run(folder, *arguments)
    assert done.stderr.splitlines() == [f"run.R: {message}"]
    assert done.returncode == 2


@pytest.mark.slow
def test_failure_of_a_method_is_status_1_and_the_others_go_on(folder):
    done = run(folder, "--method", "fgkm", *GOOD, "--clusters", "2")
    assert (done.returncode, done.stderr) == (1, "run.R: fgkm: cannot do two\n")
    done = run(folder, "--method", "fgkm,ls", *GOOD, "--clusters", "2")
    assert (done.returncode, [row[0] for row in rows(done.stdout)[1:]]) == (1, ["ls", "ls"])


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.r("randomForest", "diptest", "mclust")
def test_real_methods_on_the_command_line(tmp_path):
    """Every method runs on a small table."""
    lines = [f"{i % 3 * 5 + i / 40},{i % 7},{i % 5}" for i in range(60)]
    (tmp_path / "data.csv").write_text("\n".join(["a,b,c", *lines]))
    options = ("--data", "data.csv", "--clusters", "3", "--seed", "1", "--labels-out", "labels.csv")
    done = run(SCRIPTS, "--method", "all", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    expected = [[method, feature] for method in METHODS.split(", ") for feature in "abc"]
    assert [row[:2] for row in rows(done.stdout)[1:]] == expected
    header, *labels = rows((tmp_path / "labels.csv").read_text())
    assert header == ["row", "basic", "efron", "bbc", "refined", "cubt", "twkm", "fgkm", "clustvarsel"]
    assert len(labels) == 60
