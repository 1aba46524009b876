"""``xcompare report``: the report again, from what a run left."""

import json
import sqlite3

import pytest

QUICK = ("--methods", "ls,cubt,efron", "--runs", 1, "--jobs", 1, "--quiet")


@pytest.mark.slow
def test_notes_on_the_data_are_in_it(xcompare, tmp_path):
    lines = ["a,b,c", *(f"{i % 7},{i % 5},{i * i % 11}" for i in range(40)), ",1,2"]
    (tmp_path / "gaps.csv").write_text("\n".join(lines))
    xcompare("compare", "gaps.csv", "-k", 2, "--missing", "drop", *QUICK)
    assert "1 of 41 rows with missing values left out" in (tmp_path / "out/gaps/report.html").read_text()


@pytest.mark.slow
def test_again_from_the_folder_or_the_store(xcompare, tmp_path):
    xcompare("compare", "iris", *QUICK, "--out", "a folder")
    report = tmp_path / "a folder" / "report.html"
    first = report.read_text()
    assert (
        "xcompare compare iris --methods ls,cubt,efron --runs 1 --jobs 1 --quiet --out &#39;a folder&#39;"
        in first
    )
    report.unlink()
    done = xcompare("report", "a folder")
    assert (done.status, done.stdout, done.stderr) == (0, "", "wrote a folder/report.html\n")
    assert "Flipped: LS" in report.read_text()
    assert len(report.read_text()) > 0.9 * len(first)
    done = xcompare("report", "a folder/run.sqlite", "--normalize", "max", "--out", "other.html", "--quiet")
    assert (done.status, done.stderr) == (0, "")
    assert "each method divided by its maximum" in (tmp_path / "other.html").read_text()


@pytest.mark.slow
def test_sweep(xcompare, tmp_path):
    shown = json.loads(
        xcompare(
            "sweep", "iris", "--max-features", "2,3", "--methods", "efron", "--runs", 1, "--jobs", 1, "--json"
        ).stdout
    )
    report = tmp_path / "out" / "iris-sweep" / "report.html"
    assert str(report.relative_to(tmp_path)) in shown["files"]
    assert "xcompare sweep iris --max-features 2,3" in report.read_text()
    xcompare("report", "out/iris-sweep")
    assert "2 and 3 features drawn (m)" in report.read_text()


@pytest.mark.slow
@pytest.mark.usefixtures("finished")
def test_refusals(refused, tmp_path):
    assert refused("report", "nowhere") == "no run store at nowhere"
    (tmp_path / "empty").mkdir()
    assert refused("report", "empty") == "no run store at empty/run.sqlite"
    assert refused("report", "out/iris", "--run", "zzz").startswith("no run 'zzz' in out/iris/run.sqlite")
    assert refused("report", "out/iris", "--out", "no/such/folder.html").startswith(
        "cannot write no/such/folder.html"
    )


@pytest.mark.slow
def test_an_interrupted_run_says_what_is_missing(finished, refused, xcompare, tmp_path):
    with sqlite3.connect(finished) as store:
        [(n_runs,)] = store.execute("SELECT count(*) FROM units").fetchall()
        store.execute("DELETE FROM units WHERE rowid = (SELECT max(rowid) FROM units)")
    xcompare("report", "out/iris")
    assert (
        f"1 of {n_runs} runs are missing: repeat the command"
        in (tmp_path / "out/iris/report.html").read_text()
    )
    with sqlite3.connect(finished) as store:
        store.execute("DELETE FROM units")
    assert refused("report", "out/iris").startswith("no run is saved in out/iris/run.sqlite yet: repeat the")
