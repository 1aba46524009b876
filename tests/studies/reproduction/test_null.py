"""What a cell "met" is worth: how many a prediction that knows nothing but the row's mean would meet."""

import pandas as pd
import pytest

from xcompare.io.datasets import paper_tables
from xcompare.studies.reproduction.cells import compare_cells
from xcompare.studies.reproduction.protocol import CLUSTERINGS, PAPER_DATASETS

WHO = ["dataset", "method", "engine", "m", "run"]


@pytest.fixture(scope="module")
def cells():
    """The published tables against a null: the mean of each row.

    A row of an importance table is a method over the features, one of a clustering table a measure over the
    five methods.
    """
    cells = paper_tables().assign(engine="python", run=0)
    row = cells["metric"].where(cells["table"] == "clustering", cells["method"])
    cells["score"] = cells.groupby(["dataset", "table", "m", row], dropna=False)["mean"].transform("mean")
    importances = cells[cells["table"] == "importance"]
    measures = cells[(cells["table"] == "clustering") & ~cells["method"].isin(CLUSTERINGS)]
    plain = cells[(cells["table"] == "clustering") & cells["method"].isin(CLUSTERINGS)]
    # A plain clustering draws no features: its one score stands in all tables of a dataset.
    plain = plain.assign(score=plain.groupby(["dataset", "metric"])["score"].transform("mean"), m=None)
    plain = plain.drop_duplicates(["dataset", "method", "metric"])
    partitions = [
        part.set_index([*WHO, "metric"])["score"].unstack("metric").reset_index()
        for part in (measures, plain)
    ]
    found = pd.concat(partitions, ignore_index=True)
    return compare_cells(PAPER_DATASETS, ["python"], importances[[*WHO, "feature", "score"]], found)


def test_importance_cells_a_null_would_meet(cells):
    met = cells[cells["table"] == "importance"].groupby("method")["within"].mean()
    assert met.round(2).to_dict() == {
        "BBC": 0.01,
        "Basic": 0.01,
        "Efron": 0.01,
        "CUBT": 0.08,
        "LS": 0.12,
        "TWKM": 0.57,
        "URF_gini": 0.20,
        "URF_perm": 0.65,
    }


def test_clustering_cells_a_null_would_meet(cells):
    assert cells.loc[cells["table"] == "clustering", "within"].mean() == pytest.approx(0.89, abs=0.02)
