"""`--cluster-on` and `--describe`: columns that are profiled and not scored."""

import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def customers(tmp_path):
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], 30)
    frame = pd.DataFrame({"visits": rng.normal(9 * group), "spend": rng.normal(9 * group)})
    frame.assign(income=np.round(1000.0 * group + rng.normal(size=60), 2), group=group).to_csv(
        tmp_path / "customers.csv", index=False
    )
    return "customers.csv"


def test_compare_profiles_what_it_does_not_score(xcompare, customers, tmp_path):
    quick = ("-k", 2, "--methods", "variance_ratio", "--runs", 1, "--jobs", 1, "--drop", "group")
    done = xcompare("compare", customers, *quick, "--describe", "income", "--json")
    found = json.loads(done.stdout)
    assert found["features"] == ["visits", "spend"]
    assert {one["feature"] for one in found["effects"] if one["described"]} == {"income"}
    assert "used only to describe the clusters: income" in found["notes"]
    assert xcompare("report", "out/customers").status == 0
    assert "income (described)" in (tmp_path / "out" / "customers" / "report.html").read_text()


def test_dates_as_days_say_so_and_keep_their_name_in_options(xcompare, customers, tmp_path):
    frame = pd.read_csv(tmp_path / customers)
    frame.assign(joined=pd.date_range("2020-01-01", periods=60)).to_csv(tmp_path / customers, index=False)
    quick = ("-k", 2, "--methods", "variance_ratio", "--runs", 1, "--jobs", 1, "--drop", "group")
    done = xcompare("compare", customers, *quick, "--date-as", "days", "--describe", "joined", "--json")
    described = {one["feature"] for one in json.loads(done.stdout)["effects"] if one["described"]}
    assert described == {"joined (days since 1970-01-01)"}
    done = xcompare("compare", customers, *quick, "--date-as", "days", "--all")
    assert "joined (days since 1970-01-01)" in (tmp_path / "out" / "customers" / "report.html").read_text()


def test_explain_marks_them(xcompare, customers):
    done = xcompare(
        "explain",
        customers,
        "--labels",
        "group",
        "--cluster-on",
        "visits,spend",
        "--bootstraps",
        2,
        "--jobs",
        1,
    )
    assert done.status == 0
    assert "income (described)" in done.stdout
    assert "income\n" not in done.stdout
