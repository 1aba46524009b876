"""A table with columns of several kinds as a matrix of floats."""

import datetime
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from xcompare.core.errors import DataError
from xcompare.core.features import Feature
from xcompare.io.coding import code_table

MIXED = pd.DataFrame(
    {
        "id": [f"c{i:03}" for i in range(12)],
        "age": [*range(20, 31), None],
        "smoker": ["yes", "no", None] * 4,
        "plan": ["basic", "plus", "pro", "?"] * 3,
        "size": pd.Categorical(["S", "L", "M"] * 4, categories=["S", "M", "L"], ordered=True),
        "zip": ["01067", "10115", "20095"] * 4,
        "member": [True, False] * 6,
        "joined": ["31.01.2020", "01.02.2020"] * 6,
        "said": [f"it was all fine on day {i}" for i in range(12)],
    },
    index=list("abcdefghijkl"),
)


def kinds(table):
    """Kind of each feature, by name."""
    return {feature.name: feature.kind for feature in table.features}


def column(table, name):
    """Values of a feature."""
    return table.X[:, [feature.name for feature in table.features].index(name)]


def test_columns_of_several_kinds():
    table = code_table(MIXED)
    assert kinds(table) == {
        "age": "numeric",
        "smoker": "binary",
        "plan": "nominal",
        "size": "ordinal",
        "zip": "nominal",
        "member": "binary",
    }
    np.testing.assert_array_equal(column(table, "smoker")[:3], [1, 0, np.nan])
    np.testing.assert_array_equal(column(table, "plan")[:4], [0, 1, 2, np.nan])
    np.testing.assert_array_equal(column(table, "size")[:3], [0, 2, 1])
    np.testing.assert_array_equal(column(table, "member")[:2], [1, 0])
    np.testing.assert_array_equal(column(table, "age"), [*range(20, 31), np.nan])
    assert table.features[4] == Feature("zip", "nominal", ("01067", "10115", "20095"))
    assert table.X.flags.c_contiguous
    assert table.row_names.tolist() == list("abcdefghijkl")
    assert table.notes == (
        "not numeric: smoker (binary), plan (nominal, 3 levels), size (ordinal, S < M < L), zip (nominal, 3"
        " levels), member (binary); left out: id (identifier: a different value in every row), said (text: a"
        " different value in every row), joined (date; columns={'joined': 'days'} (--date-as days) makes it a"
        " number)",
        "plan: '?' read as missing",
    )


def test_what_the_user_says_wins():
    table = code_table(
        MIXED[["age", "plan", "size", "zip", "joined", "id"]],
        columns={
            "plan": ["pro", "plus", "basic"],
            "zip": "numeric",
            "joined": "days",
            "id": "drop",
            "age": "ordinal",
        },
    )
    assert kinds(table) == {
        "age": "ordinal",
        "plan": "ordinal",
        "size": "ordinal",
        "zip": "numeric",
        "joined": "numeric",
    }
    np.testing.assert_array_equal(column(table, "plan")[:4], [2, 1, 0, np.nan])
    np.testing.assert_array_equal(column(table, "zip")[:2], [1067, 10115])
    np.testing.assert_array_equal(np.diff(column(table, "joined")[:2]), [1])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"plam": "nominal"}, "columns names 'plam', which is not in the data; did you mean 'plan'?"),
        (
            {"plan": "ordered"},
            "the kind of plan must be one of numeric, ordinal, binary, nominal, days",
        ),
        (
            {"plan": "ordinal"},
            "plan: levels of an ordinal column that are not numbers must be given in ascending",
        ),
        ({"plan": "binary"}, "plan cannot be binary: it has 3 values, 'basic', 'plus', 'pro'"),
        ({"plan": ["basic", "pro"]}, "plan holds 'plus', not among its levels basic < pro"),
        ({"plan": ["basic"]}, "levels of plan must be at least two, and distinct; got basic"),
        ({"plan": "numeric"}, "plan cannot be numeric: none of its values is a number, such as 'basic'"),
        ({"plan": "days"}, "plan must hold dates in one style to be read as days; got 'basic'"),
        ({"age": "drop", "plan": "drop"}, "no column is a feature: all were dropped"),
    ],
)
def test_overrides_that_do_not_fit(columns, message):
    with pytest.raises(DataError, match="^" + re.escape(message)):
        code_table(
            MIXED[["age", "plan"]].assign(plan=MIXED["plan"].replace("?", None))
            if "sise" not in columns
            else MIXED,
            columns,
        )


def test_new_rows_are_coded_by_the_levels_of_the_fitted_table():
    fitted = code_table(MIXED, columns={"joined": "days"})
    new = MIXED.iloc[::-1].assign(plan=["vip", "pro", "plus"] * 4, extra=1)
    with pytest.warns(UserWarning, match=r"levels not seen in fit are read as missing \(plan: vip\)"):
        coded = code_table(new, features=fitted.features)
    np.testing.assert_array_equal(column(coded, "plan")[:3], [np.nan, 2, 1])
    for name in ("size", "zip", "member", "smoker", "joined", "age"):
        np.testing.assert_array_equal(column(coded, name), column(fitted, name)[::-1])
    with pytest.raises(DataError, match="the data lack columns seen in fit: size"):
        code_table(new.drop(columns="size"), features=fitted.features)
    np.testing.assert_array_equal(code_table(fitted.X, features=fitted.features).X, fitted.X)
    with pytest.raises(DataError, match="must have 7 features, as in fit; got 6"):
        code_table(fitted.X[:, 1:], features=fitted.features)


def test_numbers_pass_unchanged():
    X = np.random.default_rng(0).normal(size=(6, 3))
    X[2, 1] = np.nan
    table = code_table(X)
    assert table.X is X
    assert table.features == (Feature("x0"), Feature("x1"), Feature("x2"))
    assert table.notes == ()
    assert table.row_names is None
    frame = pd.DataFrame(X, columns=list("abc")).astype({"a": "Float64", "b": "float32"})
    np.testing.assert_array_equal(code_table(frame).X, frame.to_numpy(dtype=float, na_value=np.nan))
    assert code_table(frame).notes == ()
    np.testing.assert_array_equal(code_table([[1, 2], [3, 4]]).X, [[1, 2], [3, 4]])


@pytest.mark.parametrize("last", ["01019", "K1A"])
def test_many_codes_with_leading_zeros_are_levels(last):
    towns = [f"0{number}" for number in range(1000, 1019)] + [last]
    [feature] = code_table(pd.DataFrame({"zip": towns * 4})).features
    assert (feature.kind, len(feature.levels)) == ("nominal", 20)


@pytest.mark.parametrize("sign", [1, -1])
def test_whole_numbers_that_floats_cannot_tell_apart_are_identifiers(sign):
    at = sign * (2**53 - np.arange(12))
    frame = pd.DataFrame({"fits": at, "long": 2 * at, "flag": at % 2 == 0})
    table = code_table(frame)
    assert kinds(table) == {"fits": "numeric", "flag": "binary"}
    assert table.notes == (
        "not numeric: flag (binary); left out: long (identifier: whole numbers of 17 digits, too many for a"
        " quantity)",
    )


def test_polars():
    frame = pl.DataFrame(
        {
            "size": pl.Series(["S", "L", None], dtype=pl.Enum(["S", "M", "L"])),
            "plan": pl.Series(["a", "b", "a"], dtype=pl.Categorical),
            "member": [True, None, False],
            "day": [datetime.date(2020, 1, 1), None, datetime.date(2020, 1, 3)],
            "n": [1, None, 3],
        }
    )
    table = code_table(frame, columns={"day": "days"})
    assert kinds(table) == {
        "size": "ordinal",
        "plan": "binary",
        "member": "binary",
        "day": "numeric",
        "n": "numeric",
    }
    np.testing.assert_array_equal(
        table.X, [[0, 0, 1, 18262, 1], [2, 1, np.nan, np.nan, np.nan], [np.nan, 0, 0, 18264, 3]]
    )


def test_arrays_of_objects_are_tables():
    table = code_table(np.array([[1, "a"], [2, "b"], [3, "a"]], dtype=object))
    assert kinds(table) == {"x0": "numeric", "x1": "binary"}
    np.testing.assert_array_equal(table.X, [[1, 0], [2, 1], [3, 0]])
    np.testing.assert_array_equal(
        code_table(np.array([[1, "2"], [3, "4"]], dtype=object)).X, [[1, 2], [3, 4]]
    )


def test_columns_without_information():
    frame = pd.DataFrame({"a": [1.0, 2, 3], "one": ["x"] * 3, "none": [None] * 3, "same": [5, 5, 5]})
    table = code_table(frame)
    assert table.features == (
        Feature("a"),
        Feature("one", "nominal", ("x",)),
        Feature("none"),
        Feature("same"),
    )
    np.testing.assert_array_equal(table.X[0], [1, 0, np.nan, 5])


def test_unused_categories_are_dropped_unless_ordered():
    plan = pd.Categorical(["b", "c", "b"], categories=["a", "b", "c"])
    table = code_table(
        pd.DataFrame({"plan": plan, "size": plan.as_ordered(), "code": pd.Categorical([2.0, 10, 2])})
    )
    assert [feature.levels for feature in table.features] == [("b", "c"), ("a", "b", "c"), ("2", "10")]
    np.testing.assert_array_equal(table.X, [[0, 1, 0], [1, 2, 1], [0, 1, 0]])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, np.inf], [2, 3]], r"must not hold infinity \(columns x1\)"),
        (pd.DataFrame({"a": [1.0, -np.inf], "b": ["x", "y"]}), r"must not hold infinity \(columns a\)"),
        (
            pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]),
            "column names must be unique; duplicated: a",
        ),
        (np.zeros((0, 2)), r"non-empty matrix, rows by features; got shape \(0, 2\)"),
        (np.array([[1j, 2]]), "Complex data not supported"),
        (pd.DataFrame({"a": [*range(20), "x"]}), r"a has 1 of 21 values that are not numbers \('x'\)"),
    ],
)
def test_what_cannot_be_coded(X, message):
    with pytest.raises(DataError, match=message):
        code_table(X)


def test_few_levels_that_are_almost_numbers_are_nominal():
    frame = pd.DataFrame({"children": ["0", "1", "2", "3+"] * 5})
    assert code_table(frame).features == (Feature("children", "nominal", ("0", "1", "2", "3+")),)
    mixed = pd.DataFrame({"a": [*range(20), "x"]})
    table = code_table(mixed, columns={"a": "numeric"})
    np.testing.assert_array_equal(table.X[-2:, 0], [19, np.nan])
    assert table.notes == ("a: 'x' read as missing",)


@pytest.mark.parametrize(
    ("texts", "first"),
    [
        (["2020-01-31", "2020-02-01 12:00"], "2020-01-31"),
        (["31.1.2020", "1.2.2020"], "2020-01-31"),
        (["1/31/2020", "2/1/2020"], "2020-01-31"),
        (["2/1/2020", "31/1/2020"], "2020-01-02"),
        (["31 Jan 2020", "1 February 2020"], "2020-01-31"),
        (["January 31, 2020", "Feb 1, 2020"], "2020-01-31"),
    ],
)
def test_styles_of_dates(texts, first):
    table = code_table(pd.DataFrame({"day": texts}), columns={"day": "days"})
    assert table.X[0, 0] == (pd.Timestamp(first) - pd.Timestamp(1970, 1, 1)).days
    with pytest.raises(DataError, match=r"no column is a feature: left out: day \(date;"):
        code_table(pd.DataFrame({"day": texts}))
