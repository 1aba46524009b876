"""`--groups`: columns that are one feature, from a file."""

import json

import numpy as np
import pandas as pd
import pytest

from xcompare.cli.options import groups_in


@pytest.fixture
def cells(tmp_path):
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], 30)
    frame = pd.DataFrame(
        {"area": rng.normal(9 * group), "round": rng.normal(size=60), "hue": rng.normal(9 * group)}
    )
    frame.to_csv(tmp_path / "cells.csv", index=False)
    (tmp_path / "groups.csv").write_text("column,group\narea,shape\nround,shape\n")
    (tmp_path / "other.csv").write_text("name,group\narea,shape\n")
    return "cells.csv"


def test_a_group_is_one_row_of_the_table(xcompare, cells):
    quick = ("-k", 2, "--methods", "variance_ratio,efron", "--runs", 1, "--jobs", 1)
    done = xcompare("compare", cells, *quick, "--groups", "groups.csv", "--json")
    found = json.loads(done.stdout)
    assert found["features"] == ["shape", "hue"]
    assert "groups of columns, one feature each: shape (area, round)" in found["notes"]
    assert {one["feature"] for one in found["effects"]} == {"area", "round", "hue"}


def test_the_file_may_have_semicolons_and_a_byte_order_mark(tmp_path):
    file = tmp_path / "groups.csv"
    file.write_text("column;group\narea;shape\nround;shape\n", encoding="utf-8-sig")
    assert groups_in(file) == {"shape": ["area", "round"]}


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("other.csv", "must have the columns column and group; it lacks 'column'"),
        ("none.csv", "no file none.csv"),
    ],
)
def test_a_file_without_groups_is_refused(refused, cells, file, said):
    assert said in refused("compare", cells, "-k", 2, "--groups", file)
