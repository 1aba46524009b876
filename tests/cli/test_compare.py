"""``xcompare compare``: what it prints and writes, what it refuses, and how it ends."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import xcompare as package
from tests.cli.conftest import QUICK
from xcompare.cli import comparing
from xcompare.cli.option_groups import Source
from xcompare.cli.running import read_data, show_failures
from xcompare.io.datasets import load_dataset

FILES = {
    "table.csv", "std.csv", "ranks.csv", "raw.csv", "clustering.csv", "agreement.csv", "timings.csv",
    "failures.csv", "table.tex", "table.md", "raw.parquet", "run.sqlite", "report.html",
    "intervals.csv", "group_importances.csv", "clusters.csv", "effects.csv",
}  # fmt: skip


@pytest.fixture
def iris_csv(tmp_path):
    """Iris as a file with row names, species and two gaps."""
    iris = load_dataset("iris")
    frame = pd.DataFrame(iris.X.copy(), columns=list(iris.feature_names))  # pandas 2 would write into iris.X
    frame["Species"] = np.array(["setosa", "versicolor", "virginica"])[iris.labels]
    frame.loc[[3, 70], "Petal width"] = np.nan
    frame.to_csv(tmp_path / "flowers.csv")
    frame.assign(kind="iris", number=np.arange(150)).drop(columns="Species").to_csv(tmp_path / "one.csv")
    return "flowers.csv"


@pytest.mark.slow
def test_table_for_people(xcompare, tmp_path):
    done = xcompare("compare", "iris", *QUICK)
    assert done.status == 0
    answer, caption, *_ = done.stdout.splitlines()
    assert caption == "iris, 3 clusters, 2 runs; each row normalised as published"
    for heading in ("cubt ↑", "fgkm ↑", "ls ↓"):
        assert heading in done.stdout
    assert "↑ a larger score is more important, ↓ a smaller one is" in done.stdout
    lines = done.stdout.splitlines()[1:]
    features = [line[:12].rstrip() for line in lines if line.startswith(("Petal", "Sepal"))]
    found = package.Comparison.from_store(tmp_path / "out" / "iris" / "run.sqlite")
    assert answer == found.answer
    assert features == list(found.overall_ranks.index)
    assert max(map(len, done.stdout.splitlines()[1:])) <= 80
    note, files = done.stderr.splitlines()
    assert note.startswith("note: Petal length and Petal width are redundant")
    assert files.startswith("in out/iris: report.html, table.csv, ")
    assert {path.name for path in (tmp_path / "out" / "iris").iterdir()} == FILES


def test_every_row_leaves_with_its_name_and_cluster(xcompare, tmp_path):
    rng = np.random.default_rng(0)
    groups = np.repeat([0, 1], [40, 20])
    frame = pd.DataFrame(rng.normal(size=(60, 3)) + 9 * groups[:, None], columns=list("abc"))
    frame.insert(0, "customer", [f"c{row}" for row in range(60)])
    frame.loc[7, "b"] = np.nan
    frame.to_csv(tmp_path / "shop.csv", index=False)
    done = xcompare(
        "compare", "shop.csv", "-k", 2, "--drop", "customer", "--missing", "drop", "--methods",
        "fgkm,mi_kmeans", "--runs", 2, "--jobs", 1, "--out", "o", "--json",
    )  # fmt: skip
    assert done.status == 0, done.stderr
    written = pd.read_csv(tmp_path / "o" / "clusters.csv")
    assert list(written) == ["customer", "consensus", "share", "fgkm", "mi_kmeans"]
    assert written["customer"].tolist() == frame["customer"].drop(index=7).tolist()
    assert written["consensus"].tolist() == (groups[np.arange(60) != 7] + 1).tolist()
    assert written["share"].eq(1.0).all()
    assert json.loads(done.stdout)["clusters"] == written.to_dict(orient="records")


@pytest.mark.slow
def test_a_sample_says_so_everywhere(xcompare, tmp_path):
    done = xcompare("compare", "iris", *QUICK, "--sample", 60, "--seed", 3)
    assert done.status == 0
    assert "iris, 60 of 150 rows, 3 clusters, 2 runs" in done.stdout
    assert "note: random sample of 60 of 150 rows (seed 3)" in done.stderr
    report = (tmp_path / "out" / "iris" / "report.html").read_text()
    assert "iris, 60 of 150 rows" in report
    assert "random sample of 60 of 150 rows" in report
    found = package.compare(
        load_dataset("iris"), methods="ls,cubt,fgkm", n_runs=2, n_jobs=1, sample=60, random_state=3
    )
    stored = package.Comparison.from_store(tmp_path / "out" / "iris" / "run.sqlite")
    pd.testing.assert_frame_equal(stored.table, found.table)


def test_simulated_data_are_drawn_with_the_seed_given():
    table = read_data("illustrative", Source(), None, 3)
    np.testing.assert_array_equal(table.X, load_dataset("illustrative", seed=3).X)


def test_runs_that_fail_alike_are_counted_together(capsys):
    columns = ["method", "engine", "runs", "status", "message"]
    rows = [("ls", "r", 1), ("ls", "r", 2), ("fgkm", "r", 1), ("ls", "python", 1)]
    show_failures(pd.DataFrame([(*row, "failed", "no R here") for row in rows], columns=columns))
    expected = "failed: ls (r, 3 runs), fgkm (r, 1 run), ls (python, 1 run): no R here\n"
    assert capsys.readouterr().out == expected


@pytest.mark.slow
def test_variants_software_and_scaling_are_for_those_who_ask(xcompare):
    arguments = ("compare", "iris", "--methods", "efron,cubt", "--runs", 1, "--jobs", 1)
    brief, verbose = xcompare(*arguments).stdout, xcompare(*arguments, "--verbose").stdout
    software = f"xcompare {package.__version__}"
    for text in ("unweighted", "scaled by", software):
        assert text not in brief
        assert text in verbose
    assert max(map(len, verbose.splitlines()[1:])) <= 80  # all but the answer, which is one line


@pytest.mark.slow
def test_numbers_are_those_of_the_python_function(xcompare, tmp_path):
    options = ("--seed", 3, "--flip", "--normalize", "minmax", "--json", "--out", "here")
    shown = json.loads(xcompare("compare", "iris", *QUICK, *options).stdout)
    found = package.compare(
        load_dataset("iris"), methods="ls,cubt,fgkm", n_runs=2, n_jobs=1, random_state=3,
        flip=True, normalize="minmax",
    )  # fmt: skip
    assert [row["method"] for row in shown["rows"]] == list(found.table.index)
    for row in shown["rows"]:
        assert row["mean"] == found.table.loc[row["method"]].to_dict()
        assert row["ranks"] == found.ranks.loc[row["method"]].to_dict()
        assert row["software"] == found.software[row["method"]]
        assert row["reads"] == "larger is more important"
        assert row["normalization"] == "minmax"
    assert (shown["dataset"], shown["n_samples"], shown["n_clusters"]) == ("iris", 150, 3)
    assert {line["method"] for line in shown["clustering"]} >= {"kmeans", "complete_linkage", "cubt"}
    assert all((tmp_path / file).exists() for file in shown["files"])
    written = pd.read_csv(tmp_path / "here" / "table.csv").set_index("method")
    np.testing.assert_allclose(written[list(found.feature_names)], found.table)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "here" / "raw.parquet"), found.raw)


@pytest.mark.slow
def test_file_with_labels_and_gaps(xcompare, iris_csv):
    done = xcompare("compare", iris_csv, "--label", "Species", "--missing", "drop", *QUICK, "--json")
    shown = json.loads(done.stdout)
    assert (shown["dataset"], shown["n_samples"], shown["n_clusters"]) == ("flowers", 148, 3)
    assert shown["features"] == list(load_dataset("iris").feature_names)
    assert len(shown["notes"]) == 3
    assert "2 of 150 rows with missing values left out (Petal width)" in shown["notes"]
    assert done.stderr == ""


@pytest.mark.slow
def test_without_labels_partitions_are_not_judged(xcompare, iris_csv):
    done = xcompare("compare", iris_csv, "--drop", "Species,Petal width", "-k", 2, *QUICK)
    assert done.stdout.splitlines()[1].startswith("flowers, 2 clusters, ")
    assert "ARI" not in done.stdout


@pytest.mark.slow
def test_columns_and_subspace(xcompare):
    arguments = ("--columns", '"Petal width",Sepal length,Petal length', "--max-features", "0.67")
    shown = json.loads(
        xcompare(
            "compare", "iris", *arguments, "--methods", "efron", "--runs", 1, "--jobs", 1, "--json"
        ).stdout
    )
    assert shown["features"] == ["Petal width", "Sepal length", "Petal length"]
    assert [row["method"] for row in shown["rows"]] == ["efron", "efron_unweighted"]


@pytest.mark.slow
def test_a_clusterer_in_words(xcompare):
    arguments = ("compare", "iris", "--methods", "basic", "--runs", 1, "--jobs", 1)
    text = "GaussianMixture(covariance_type='tied')"
    assert f" {text} bagged," in " ".join(xcompare(*arguments, "--estimator", text).stdout.split())
    done = xcompare(*arguments, "--estimator", "Kmeans")
    assert done.status == 2
    assert "no clusterer named 'Kmeans'; did you mean 'KMeans'?" in done.stderr


@pytest.mark.slow
def test_quiet(xcompare, tmp_path):
    done = xcompare("compare", "iris", *QUICK, "--out", "a/b", "--quiet")
    assert (done.status, done.stdout, done.stderr) == (0, "", "")
    written = {path.name for path in (tmp_path / "a" / "b").iterdir()}
    assert {"table.tex", "table.md", "table.csv", "run.sqlite", "report.html"} <= written
    assert r"\toprule" in (tmp_path / "a" / "b" / "table.tex").read_text()


@pytest.mark.slow
def test_the_same_again_computes_nothing(xcompare, finished):
    def units():
        with sqlite3.connect(finished) as database:
            return dict(database.execute("SELECT key, finished FROM units"))

    first = units()
    xcompare("compare", "iris", *QUICK)
    assert units() == first
    assert xcompare("compare", "iris", *QUICK, "--runs", 3).status == 0
    assert units().items() > first.items()
    xcompare("compare", "iris", *QUICK, "--fresh")
    assert set(units()) == set(first)
    assert units() != first
    assert len(list(finished.parent.glob("run.2*.sqlite"))) == 1


@pytest.mark.slow
@pytest.mark.r
def test_method_that_fails_leaves_the_others(xcompare):
    arguments = ("compare", "iris", "--methods", "mi_kmeans,cubt", "--engine", "r", "--runs", 1, "--jobs", 1)
    done = xcompare(*arguments)
    assert done.status == 0
    assert "unavailable: mi_kmeans (r, 1 run): mi_kmeans has no r engine" in done.stdout
    [line] = [line for line in done.stdout.splitlines() if line.startswith("Petal width")]
    assert "-" in line.split()
    # Plain clusterings are Python whatever the engine.
    cells = [line.split() for line in done.stdout.splitlines()]
    assert {row[0]: row[1] for row in cells if row and row[0] in ("cubt", "kmeans", "complete_linkage")} == {
        "cubt": "R",
        "kmeans": "Python",
        "complete_linkage": "Python",
    }
    rows = {row["method"]: row for row in json.loads(xcompare(*arguments, "--json").stdout)["rows"]}
    assert set(rows["mi_kmeans"]["mean"].values()) == {None}
    assert rows["cubt"]["mean"]["Petal length"] > 0


def test_status_1_when_nothing_could_run(xcompare):
    done = xcompare("compare", "iris", "--methods", "mi_kmeans", "--engine", "r", "--runs", 1, "--jobs", 1)
    assert done.status == 1
    assert done.stderr.splitlines()[-1] == "xcompare: no method could run: mi_kmeans has no r engine"


@pytest.mark.slow
@pytest.mark.r
def test_both_engines(xcompare):
    done = xcompare("compare", "iris", "--methods", "ls,fgkm", "--engine", "both", "--runs", 1, "--jobs", 1)
    assert done.status == 0
    methods, engines = done.stdout.splitlines()[3:5]
    assert methods.split() == ["ls", "↓", "ls", "↓", "fgkm", "↑", "fgkm", "↑"]
    assert engines.split() == ["feature", "Python", "R", "Python", "R"]


@pytest.mark.slow
def test_both_engines_without_r(xcompare_process, tmp_path):
    arguments = ("--methods", "ls,fgkm", "--engine", "both", "--runs", 1, "--jobs", 1)
    done = xcompare_process("compare", "iris", *arguments, PATH=str(tmp_path), R_HOME="")
    assert done.status == 0
    assert "unavailable: ls (r, 1 run), fgkm (r, 1 run): R is not installed, or not on PATH." in done.stdout


@pytest.mark.slow
def test_warnings_are_shown_once_each(xcompare, tmp_path):
    (tmp_path / "flat.csv").write_text("a,b,c\n1,2,5\n2,3,5\n9,8,5\n8,9,5\n")
    done = xcompare("compare", "flat.csv", "-k", 2, "--methods", "cubt", "--jobs", 1)
    assert done.status == 0
    assert "note: constant features say nothing about clusters and are left out: c\n" in done.stderr
    assert not any(line.startswith("c ") for line in done.stdout.splitlines())
    assert "warning: cubt (python, 1 run): the tree has no split" in done.stderr
    quiet = xcompare("compare", "flat.csv", "-k", 2, "--methods", "cubt", "--jobs", 1, "--quiet")
    assert (quiet.stdout, quiet.stderr) == ("", "")


# Bad input: one line, status 2, nothing written.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no.csv", "-k", 2], "no file or bundled dataset 'no.csv'"),
        (["wines"], "did you mean wine?"),
        (["flowers.csv", "--label", "species"], "did you mean 'Species'?"),
        (
            ["flowers.csv", "-k", 3, "--missing", "error"],
            "2 of 150 rows hold missing or infinite values (in Petal width)",
        ),
        (
            ["flowers.csv", "--label", "Species", "--missing", "error"],
            "2 of 150 rows hold missing or infinite values",
        ),
        (
            ["flowers.csv", "--drop", "Species", "--missing", "drop"],
            "number of clusters unknown: give --clusters K",
        ),
        (["iris", "-k", 151], "n_clusters=151 exceeds n_samples=150"),
        (["iris", "-k", 1], "--clusters must be at least 2; got 1"),
        (["iris", "--columns", "Petal width"], "at least two features are needed"),
        (["iris", "--methods", "urf_gin"], "no method named 'urf_gin'; did you mean 'urf_gini'?"),
        (["iris", "--engine", "julia"], "julia"),
        (["iris", "--missing", "mean"], "Invalid value for '--missing': 'mean' is not one of"),
        (
            ["one.csv", "--label", "number"],
            "is this the right column?",
        ),
        (["one.csv", "--label", "kind"], "the labels name one cluster; give --clusters K"),
        (["flowers.csv", "-k", 3, "--numeric", "kind"], "'kind' (kinds; --nominal, --ordinal, --numeric)"),
        (["iris", "--runs", 0], "n_runs must be a whole number from 1 to 100000; got 0"),
        (["iris", "--runs", "many"], "--runs must be a number or auto; got 'many'"),
        (["iris", "--timeout", 0], "timeout must be a positive number of seconds"),
        (["iris", "--jobs", 0], "n_jobs must be a whole number other than 0"),
        (["iris", "--max-features", 9], "max_features must be a number of features from 1 to 4"),
        (["iris", "--max-features", "few"], "--max-features must be numbers, e.g. 4 or 0.5; got 'few'"),
        (["iris", "--max-features", "2,3"], "for several use: xcompare sweep iris"),
        (["iris", "--out", "flowers.csv"], "cannot create the folder flowers.csv (--out): File exists"),
        (["iris", "--label", "kind"], "iris is a bundled dataset and has its own labels"),
        ([], "DATA"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_bad_input(refused, iris_csv, arguments, message):
    assert message in refused("compare", *arguments)


@pytest.mark.parametrize("options", [[], ["--fresh"]], ids=["resume", "fresh"])
@pytest.mark.parametrize("content", ["a text", "another program's database"])
def test_foreign_store_is_left_alone(refused, tmp_path, content, options):
    store = tmp_path / "out" / "iris" / "run.sqlite"
    store.parent.mkdir(parents=True)
    if content == "a text":
        store.write_text("my notes, not a database" * 50)
    else:
        with sqlite3.connect(store) as database:
            database.execute("CREATE TABLE mine (x)")
    assert str(store.relative_to(tmp_path)) in refused("compare", "iris", *QUICK, *options)


@pytest.mark.slow
def test_damaged_store_is_left_alone(refused, finished):
    content = bytearray(finished.read_bytes())
    content[4096:6000] = b"\xaa" * 1904
    finished.write_bytes(content)
    assert "out/iris/run.sqlite" in refused("compare", "iris", *QUICK)


@pytest.mark.slow
@pytest.mark.usefixtures("finished")
def test_refused_fresh_run_keeps_what_there_was(refused):
    refused("compare", "iris", "--methods", "typo", "--fresh")


@pytest.mark.slow
def test_columns_of_several_kinds_with_gaps(xcompare, tmp_path):
    rows = [
        f"{at};{at % 3 * 9},{at % 7};{'abc'[at % 3]};{'SML'[at % 2]};{'' if at == 5 else at % 5}"
        for at in range(30)
    ]
    (tmp_path / "shop.csv").write_text("\n".join(["id;spend;plan;size;visits", *rows]))
    size = ("--ordinal", "size: S<M<L")
    done = xcompare(
        "compare", tmp_path / "shop.csv", "-k", 3, *size, "--methods", "ls", "--jobs", 1, "--json"
    )
    shown = json.loads(done.stdout)
    assert shown["features"] == ["spend", "plan", "size", "visits"]
    assert shown["notes"][0] == (
        "not numeric: plan (nominal, 3 levels), size (ordinal, S < M < L); left out: id (identifier: a"
        " different whole number in every row)"
    )


# Processes of their own: pipes, colours, Ctrl-C.


@pytest.mark.slow
def test_piped_to_an_output_that_takes_no_unicode(xcompare_process):
    text = pd.DataFrame(load_dataset("iris").X, columns=list("abcd")).to_csv(index=False, sep=";")
    done = xcompare_process("compare", "-", "-k", 3, *QUICK, stdin=text, PYTHONIOENCODING="ascii")
    assert done.status == 0
    assert "ls v" in done.stdout
    assert done.stdout.splitlines()[1].startswith("stdin, 3 clusters")
    assert "\x1b" not in done.stdout + done.stderr
    assert "%" not in done.stderr
    assert [line.split()[0] for line in done.stderr.splitlines()] == ["note:", "in"]


@pytest.mark.slow
def test_bad_input_in_a_process_of_its_own(xcompare_process, tmp_path):
    done = xcompare_process("compare", "-", "-k", 3, "--missing", "error", stdin="a,b\n1,1\n2,\n3,2\n4,3\n")
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr == (
        "xcompare: standard input: 1 of 4 rows hold missing or infinite values (in b); leave them out with"
        " --missing drop, or fill in medians with --missing median\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_each_method_runs_as_often_as_its_scores_need(xcompare):
    done = xcompare("compare", "iris", "--methods", "ls,efron,fgkm", "--jobs", 1, "--json")
    rows = {row["method"]: row["runs"] for row in json.loads(done.stdout)["rows"]}
    assert rows == {"ls": 1, "efron": 3, "efron_unweighted": 3, "fgkm": 20}


def test_a_terminal_shows_a_preliminary_answer(xcompare, monkeypatch):
    arguments = ("compare", "iris", *QUICK, "--fresh")
    start = "preliminary (1 run of each method): Petal"
    monkeypatch.setattr(comparing, "on_terminal", lambda: True)
    assert start not in xcompare(*arguments, "--json").stderr
    done = xcompare(*arguments)
    assert done.stderr.startswith(start)
    assert done.stderr.count("preliminary") == 1


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_says_what_is_kept_and_the_same_command_goes_on(tmp_path, xcompare):
    arguments = ["compare", "iris", "--methods", "basic", "--runs", "400", "--jobs", "1", "--out", "o"]
    process = subprocess.Popen(
        [sys.executable, "-m", "xcompare", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        start_new_session=True,
    )
    store = tmp_path / "o" / "run.sqlite"
    deadline = time.monotonic() + 60
    while (done := units_done(store)) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert done >= 2
    os.killpg(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert stdout == ""
    kept = units_done(store)
    total = 400 + 400 + 1 + 1  # with the plain clusterings and the tests
    # A slow machine says first how long it would have taken.
    assert stderr.splitlines()[-1] == (
        f"xcompare: stopped; {kept} of {total} runs are saved in o/run.sqlite; repeat the command to continue"
    )
    assert not (tmp_path / "o" / "table.csv").exists()
    again = xcompare("compare", "iris", "--methods", "basic", "--runs", 2, "--jobs", 1, "--out", "o")
    assert again.status == 0


def units_done(store):
    if not store.exists():
        return 0
    with sqlite3.connect(store) as database:
        try:
            return database.execute("SELECT count(*) FROM units").fetchone()[0]
        except sqlite3.OperationalError:
            return 0


def test_names_are_shown_as_they_are(xcompare, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 3)), columns=["[red]x[/red]", "size :cat:", "größe"])
    frame.to_csv(tmp_path / "[odd].csv", index=False)
    done = xcompare("compare", "[odd].csv", "-k", 2, "--methods", "ls", "--jobs", 1)
    assert done.status == 0
    assert done.stdout.splitlines()[1].startswith("[odd], 2 clusters")
    for name in frame.columns:
        assert f"\n{name} " in done.stdout


@pytest.mark.slow
def test_figures(xcompare, refused, tmp_path):
    done = xcompare("compare", "iris", *QUICK, "--figures", "svg,pdf")
    assert done.status == 0
    folder = tmp_path / "out" / "iris"
    assert {file.name for file in folder.glob("*.svg")} >= {
        "heatmap.svg",
        "bars.svg",
        "densities.svg",
        "snake.svg",
    }
    assert len(list(folder.glob("*.pdf"))) == len(list(folder.glob("*.svg"))) == 12
    assert "heatmap.svg" in done.stderr
    assert refused("compare", "iris", "--figures", "gif") == "figures must be among svg, pdf, png; got 'gif'"


@pytest.mark.slow
def test_names_are_no_orders_to_the_terminal(xcompare, tmp_path):
    rng = np.random.default_rng(0)
    names = ["\x1b[31mred", "\x1b]0;title\x07", "a\nb", "\x9b2J", "=1+1", "\u202eturned"]
    frame = pd.DataFrame(rng.normal(size=(30, 6)), columns=names)
    frame.to_parquet(tmp_path / "\x1b[2Jdata.parquet")
    done = xcompare("compare", "\x1b[2Jdata.parquet", "-k", 2, *QUICK, "--out", "o")
    assert done.status == 0
    for text in (done.stdout, done.stderr):
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(text)
    assert "\n\\x1b[31mred " in done.stdout
    assert "\na b " in done.stdout
    assert max(map(len, done.stdout.splitlines()[1:])) <= 80  # all but the answer, which is one line
    refused = xcompare("compare", "\x1b[2Jdata.parquet", "-k", 2, "--drop", "\x1b[5m", "--out", "o")
    assert "\x1b" not in refused.stderr
    assert (refused.status, refused.stderr.count("\n")) == (2, 1)
    heads = (tmp_path / "o" / "table.csv").read_text().split(",", 9)
    assert "'=1+1" in heads
    assert "'=1+1" in set(pd.read_csv(tmp_path / "o" / "raw.csv")["feature"])


@pytest.mark.slow
def test_the_number_of_clusters_is_chosen_and_said(xcompare, tmp_path, monkeypatch):
    monkeypatch.setattr("xcompare.inference.number_of_clusters.MOST_CLUSTERS", 4)
    X = np.random.default_rng(0).normal(size=(60, 4)) + 7 * (np.arange(60) % 3)[:, None]
    pd.DataFrame(X, columns=list("abcd")).to_csv(tmp_path / "groups.csv", index=False)
    done = xcompare("compare", "groups.csv", "-k", "auto", "--methods", "ls", "--jobs", 1)
    assert done.status == 0
    assert "3 clusters chosen: the best BIC" in " ".join(done.stderr.split())
    folder = tmp_path / "out" / "groups"
    assert "3 clusters chosen: the best BIC" in (folder / "report.html").read_text()
    assert len(package.list_runs(folder / "run.sqlite")) == 2


OWN = """
import numpy as np
from xcompare.methods import Method


def range_of_values(X, n_clusters, *, random_state=None, engine="python"):
    return np.ptp(X, axis=0)


def negative(X, n_clusters, *, random_state=None, engine="python"):
    return -np.ptp(X, axis=0)


ROW = Method(
    "negative", "Negative", negative, larger_is_better=True, normalization="minmax", reference="none",
    engines=("python",),
)
"""


@pytest.mark.slow
def test_methods_of_ones_own(xcompare_process, tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    options = ["--methods", "ls, mine:range_of_values, mine:ROW", "--runs", 1, "--jobs", 2, "--json"]
    done = xcompare_process("compare", "iris", *options)
    assert done.status == 0, done.stderr
    shown = json.loads(done.stdout)
    assert [row["method"] for row in shown["rows"]] == ["ls", "range_of_values", "negative"]
    assert max(shown["rows"][1]["mean"].values()) == 1


def test_methods_of_ones_own_that_are_not_there(refused, tmp_path):
    (tmp_path / "other.py").write_text("three = 3; ls = print")
    assert "No module named 'nothing'" in refused("compare", "iris", "--methods", "nothing:at_all")
    assert "has no attribute 'four'" in refused("compare", "iris", "--methods", "other:four")
    assert refused("compare", "iris", "--methods", "other:three") == (
        "other:three must be a function or a Method; got 3"
    )
    assert refused("compare", "iris", "--methods", "other:ls") == (
        "other:ls needs a name of its own; 'ls' is a method of xcompare"
    )
