"""The command ``reproduce``."""

import json

import pytest

import xcompare.studies.reproduction
from xcompare.studies.reproduction.protocol import ReproductionEffort


@pytest.fixture(autouse=True)
def few_runs(monkeypatch):
    """The quick protocol, quicker."""
    few = ReproductionEffort(n_runs=1, n_literature_runs=1, n_replicas=10, figure_sizes={})
    monkeypatch.setattr(xcompare.studies.reproduction, "QUICK", few)


@pytest.mark.slow
def test_summary_files_json_and_resuming(xcompare, tmp_path):
    done = xcompare("reproduce", "wine", "--quick", "--jobs", 1)
    assert done.status == 0
    assert "importance" in done.stdout
    assert "clustering" in done.stdout
    assert "2 sd" in done.stdout
    assert "out/reproduce" in done.stderr
    folder = tmp_path / "out" / "reproduce"
    assert {
        "reproduction.html",
        "tables.md",
        "cells.csv",
        "summary.csv",
        "run.sqlite",
        "wine-densities.svg",
    } <= {file.name for file in folder.iterdir()}
    # Again, from the store: the same numbers, for programs.
    found = json.loads(xcompare("reproduce", "wine", "--quick", "--json", "--jobs", 1).stdout)
    assert found["datasets"] == ["wine"]
    assert len(found["cells"]) == 114
    assert found["cells"][0]["difference"] is not None
    for row in found["summary"]:
        assert f"{row['within']:.1%}" in done.stdout


def test_datasets_the_paper_does_not_have_are_refused(refused):
    assert refused("reproduce", "iris").startswith("no dataset 'iris' in the paper; it has illustrative")
