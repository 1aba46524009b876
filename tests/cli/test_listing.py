"""``datasets``, ``methods`` and ``doctor``: with R, without R, for people and for programs."""

import json
import os
from importlib.metadata import PackageNotFoundError

import pytest

from xcompare.io.datasets import DATASETS
from xcompare.methods import METHODS
from xcompare.rbridge import RStatus


def test_datasets(xcompare):
    done = xcompare("datasets")
    assert done.status == 0
    assert done.stderr == ""
    for name in DATASETS:
        assert f"\n{name} " in done.stdout
    wine = json.loads(xcompare("datasets", "--json").stdout)[0]
    assert (wine["name"], wine["rows"], wine["features"], wine["clusters"]) == ("wine", 178, 13, 3)
    assert wine["drawn"] is False


def test_methods(xcompare):
    done = xcompare("methods")
    assert done.status == 0
    assert max(map(len, done.stdout.splitlines()[: len(METHODS) + 2])) <= 80
    rows = {row["name"]: row for row in json.loads(xcompare("methods", "--json").stdout)}
    assert list(rows) == list(METHODS)
    for name, row in rows.items():
        assert f"\n{name} " in done.stdout
        assert row["default"] == (f"\n{name} *" not in done.stdout)
        assert (row["python"] or "").startswith("xcompare ") == ("python" in METHODS[name].engines)
        assert row["reference"]
    assert not rows["ls"]["larger_is_better"]
    assert "max_features" in rows["basic"]["options"]


@pytest.mark.r
def test_methods_with_r(xcompare):
    rows = {row["name"]: row for row in json.loads(xcompare("methods", "--json").stdout)}
    assert rows["basic"]["r"] == "reference implementation"
    assert rows["mi_kmeans"]["r"] is None
    assert rows["mi_kmeans"]["r_missing"] == "mi_kmeans has no r engine"


def status_of(r_version=None, rpy2_version=None, reason=None, installed=()):
    """`rbridge.status` on a machine with only this installed."""

    def status(packages=()):
        versions = {package: "1.0" if package in installed else None for package in packages}
        missing = [package for package, version in versions.items() if version is None]
        why = reason or (f"missing: {missing}" if missing else None)
        return RStatus(why is None, why, r_version, rpy2_version, versions)

    return status


def test_without_an_optional_r_package(xcompare, monkeypatch):
    monkeypatch.setattr("xcompare.rbridge.status", status_of("4.4.1", "3.6.5", installed=["randomForest"]))
    done = xcompare("methods")
    assert 'install.packages("wskm")' in done.stdout
    doctor = xcompare("doctor")
    assert doctor.status == 0
    assert "OK      R package randomForest 1.0  for urf_gini, urf_perm\n" in doctor.stdout
    assert (
        "missing R package wskm  for twkm, fgkm; the reference implementation computes the same; "
        "to install: Rscript -e 'install.packages(\"wskm\")'\n"
    ) in doctor.stdout
    assert "R package ranger  for urf_gini, urf_perm; only where an option asks for it; " in doctor.stdout


def test_without_a_required_r_package(xcompare, monkeypatch):
    monkeypatch.setattr("xcompare.rbridge.status", status_of("4.4.1", "3.6.5"))
    assert "cannot run in R without it" in xcompare("doctor").stdout
    rows = {row["name"]: row for row in json.loads(xcompare("methods", "--json").stdout)}
    assert rows["urf_gini"]["r"] is None
    assert rows["ls"]["r"] == "reference implementation"


@pytest.mark.parametrize(
    ("status", "lines"),
    [
        (status_of(reason="No R. To use it: do this."), ["missing R  No R. To use it: do this."]),
        (
            status_of(rpy2_version="3.6.5", reason="No R."),
            ["missing R  No R.", "problem rpy2 3.6.5  needs R"],
        ),
        (
            status_of("4.4.1", reason="No rpy2. pip install it."),
            ["OK      R 4.4.1", "missing rpy2  No rpy2. pip install it."],
        ),
    ],
)
def test_doctor_where_r_cannot_be_used(xcompare, monkeypatch, status, lines):
    monkeypatch.setattr("xcompare.rbridge.status", status)
    done = xcompare("doctor")
    assert done.status == 1
    assert set(lines) <= set(done.stdout.splitlines())
    checks = json.loads(xcompare("doctor", "--json").stdout)
    assert {check["name"]: check["ok"] for check in checks}["rpy2"] is False
    assert "R engines: No " in xcompare("methods").stdout


def test_doctor_names_what_packages_are_for(xcompare, monkeypatch):
    def version(package):
        if package in ("dask", "openpyxl", "pyarrow"):
            raise PackageNotFoundError
        return "1.0"

    monkeypatch.setattr("importlib.metadata.version", version)
    lines = xcompare("doctor").stdout.splitlines()
    assert "missing dask  only for --scheduler; pip install 'xcompare-clustering[dask]'" in lines
    assert "missing openpyxl  only for Excel files; pip install 'xcompare-clustering[excel]'" in lines
    assert "missing pyarrow  pip install pyarrow" in lines


def test_doctor_notices_the_other_distribution_of_that_name(xcompare, tmp_path, monkeypatch):
    other = tmp_path / "xcompare-0.1.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: xcompare\nVersion: 0.1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    line = (
        "problem distribution xcompare 0.1  another package with the import name xcompare;"
        " pip uninstall xcompare, then pip install --force-reinstall --no-deps xcompare-clustering"
    )
    assert line in xcompare("doctor").stdout.splitlines()


@pytest.mark.slow
def test_without_r_on_path(xcompare_process, tmp_path):
    done = xcompare_process("doctor", PATH=str(tmp_path), R_HOME="")
    assert done.status == 1
    assert "\nmissing R  R is not installed, or not on PATH." in done.stdout
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_one_line_each_however_narrow(xcompare, monkeypatch):
    monkeypatch.setitem(os.environ, "COLUMNS", "40")
    lines = xcompare("doctor").stdout.splitlines()
    assert all(line.startswith(("OK", "missing", "problem")) for line in lines)


def test_one_method_with_its_options(xcompare):
    done = xcompare("methods", "urf_perm")
    assert done.status == 0
    for words in ("urf_perm", "n_trees", "500", "an integer >= 1", "trees of the forest"):
        assert words in done.stdout
    facts = json.loads(xcompare("methods", "urf_perm", "--json").stdout)
    assert [one["option"] for one in facts["options"]] == [
        "n_trees",
        "n_forests",
        "mtry",
        "protocol",
        "r_package",
    ]
    assert xcompare("methods", "urf_prem").stderr == (
        "xcompare: no method named 'urf_prem'; did you mean 'urf_perm'?\n"
    )
