"""What is taken from a file: labels, columns, gaps, and what is refused in which words."""

import numpy as np
import pandas as pd
import pytest

import xcompare
from tests.cli.sources import parquet, refusal
from xcompare.core.errors import UnknownNameError
from xcompare.io.coding import code_table
from xcompare.io.datasets import DATASETS, load_dataset
from xcompare.io.tables import read_table


@pytest.mark.parametrize("name", DATASETS)
def test_bundled_dataset(name):
    table = read_table(name)
    dataset = load_dataset(name)
    assert table.name == name
    assert table.feature_names == dataset.feature_names
    np.testing.assert_array_equal(table.X, dataset.X)
    np.testing.assert_array_equal(table.labels, dataset.labels)
    assert table.n_clusters == dataset.n_clusters


def test_simulated_dataset_is_drawn_with_the_seed():
    np.testing.assert_array_equal(read_table("overlap", seed=3).X, load_dataset("overlap", seed=3).X)


def test_bundled_dataset_with_fewer_columns():
    table = read_table("iris", columns=["Petal width", "Sepal length"])
    assert table.feature_names == ("Petal width", "Sepal length")
    assert read_table("iris", drop=["Petal width"]).X.shape == (150, 3)
    assert "has its own labels" in refusal("iris", label="Species")


@pytest.mark.parametrize(
    ("text", "how", "names"),
    [
        ("id,a,b\nx,1,2\ny,3,4\n", {"drop": ["id"]}, ["x", "y"]),
        (",a,b\nx,1,2\ny,3,4\n", {}, ["x", "y"]),
        ("gene,x,y\na,1,3\nb,2,4\n", {"transpose": True}, ["x", "y"]),
        ("a,b,c\n1,2,.5\n3,4,.6\n", {"drop": ["c"]}, [1, 2]),
        ("kind,a,b\nx,1,2\nx,3,4\n", {"drop": ["kind"]}, [1, 2]),
    ],
    ids=["dropped identifier", "row names", "transposed", "dropped number", "dropped group"],
)
def test_rows_keep_their_names(write, text, how, names):
    assert read_table(write(text), **how).X.index.tolist() == names


def test_label(write):
    source = write("a,kind,b\n1,x,2\n3,y,4\n5,y,6\n")
    table = read_table(source, label="kind")
    assert table.feature_names == ("a", "b")
    assert table.labels.tolist() == ["x", "y", "y"]
    assert table.n_clusters == 2
    assert read_table(source, label="kind", columns=["kind", "b", "a"]).feature_names == ("b", "a")
    assert read_table(write("a,b,k\n1,2,0\n3,4,1\n"), label="k").labels.tolist() == [0, 1]


def test_columns_and_drop(write):
    source = write("a,b,c,d\n1,2,x,3\n3,4,y,5\n")
    assert read_table(source, drop=["c"]).feature_names == ("a", "b", "d")
    assert read_table(source, columns=["d", "a", "c"], drop=["c"]).feature_names == ("d", "a")


def test_booleans_and_nullable_integers_are_numbers(write):
    frame = pd.DataFrame({"a": pd.array([1, 2, None], dtype="Int64"), "b": [True, False, True]})
    table = read_table(write(parquet(frame), "data.parquet"), missing="drop")
    np.testing.assert_array_equal(table.X, [[1, 1], [2, 0]])


def test_missing_values(write):
    source = write("a,b,kind\n1,2,x\n3,?,x\n,4,y\n1,1,\ninf,0,y\n5,0,y\n")
    kept = read_table(source, drop=["kind"])
    np.testing.assert_array_equal(kept.X["a"], [1, 3, np.nan, 1, np.nan, 5])
    assert kept.notes == ("infinite values read as missing (a)",)
    assert refusal(source, drop=["kind"], missing="error") == (
        "data.csv: 3 of 6 rows hold missing or infinite values (in a, b);"
        " leave them out with --missing drop, or fill in medians with --missing median"
    )
    dropped = read_table(source, label="kind", missing="drop")
    assert dropped.notes == ("4 of 6 rows with missing values left out (a, b, kind)",)
    np.testing.assert_array_equal(dropped.X, [[1, 2], [5, 0]])
    assert dropped.labels.tolist() == ["x", "y"]
    filled = read_table(source, drop=["kind"], missing="median")
    assert filled.notes == ("medians put in for missing values in 3 of 6 rows (a, b)",)
    np.testing.assert_array_equal(filled.X, [[1, 2], [3, 1], [2, 4], [1, 1], [2, 0], [5, 0]])
    assert refusal(source, label="kind", missing="median") == (
        "data.csv: 1 of 6 rows have no label in kind; leave them out with --missing drop"
    )
    with pytest.raises(UnknownNameError, match="missing must be one of error, drop, median; got 'mean'"):
        read_table(source, missing="mean")


def test_levels_put_in_for_missing_ones(write):
    source = write("a,plan,size,ok\n1,x,S,yes\n2,x,L,\n3,y,,no\n,y,L,no\n5,,M,no\n6,y,M,no\n")
    filled = read_table(source, kinds={"size": ["S", "M", "L"]}, missing="median").X
    assert filled["plan"].tolist() == ["x", "x", "y", "y", "y", "y"]
    assert filled["size"].tolist() == ["S", "L", "M", "L", "M", "M"]
    assert filled["ok"].tolist() == ["yes", "no", "no", "no", "no", "no"]
    assert filled["a"][4] == 3


def test_values_missing_everywhere(write):
    empty = read_table(write("a,b,c\n1,2,\n3,4,\n"), missing="drop")
    assert empty.feature_names == ("a", "b")
    assert empty.notes == ("no values, left out: c",)
    assert refusal(write("a,b\n1,\n,4\n"), missing="drop") == (
        "data.csv: every row holds missing values (in a, b); try --missing median"
    )


def test_columns_that_are_not_numbers_keep_their_kind(write):
    source = write(
        "id,a,colour,size,day,paid,b\nA1,1,red,S,2020-01-31,yes,2\nA2,3,blue,L,2020-02-01,no,4\n"
        "A3,1,red,,2020-02-02,no,3\nA4,4,green,L,2020-02-03,,1\n"
    )
    table = read_table(source, kinds={"size": ["S", "M", "L"]})
    assert table.feature_names == ("a", "colour", "size", "paid", "b")
    assert table.X["colour"].cat.categories.tolist() == ["blue", "green", "red"]
    assert table.X["size"].cat.ordered
    assert table.X.index.tolist() == ["A1", "A2", "A3", "A4"]
    assert table.notes == (
        "not numeric: colour (nominal, 3 levels), size (ordinal, S < M < L), paid (binary); left out: id"
        " (identifier: a different value in every row), day (date; columns={'day': 'days'} (--date-as days)"
        " makes it a number)",
    )
    coded = code_table(table.X)
    assert [feature.kind for feature in coded.features] == [
        "numeric",
        "nominal",
        "ordinal",
        "binary",
        "numeric",
    ]
    np.testing.assert_array_equal(coded.X[:, 3], [1, 0, 0, np.nan])
    days = read_table(source, kinds={"day": "days", "colour": "drop"}).X
    assert days["day (days since 1970-01-01)"].diff().iloc[1] == 1
    assert "colour" not in days
    assert read_table(source, weights="b").weights.tolist() == [2, 4, 3, 1]
    assert refusal(source, weights="colour") == (
        "data.csv: weights in colour must be numbers of at least 0, none missing"
    )
    assert refusal(source, kinds={"colr": "nominal"}).startswith(
        "data.csv has no column 'colr' (kinds; --nominal, --ordinal, --numeric); did you mean 'colour'?"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"label": "speces"},
            "data.csv has no column 'speces' (--label); did you mean 'species'? columns: a, b, species",
        ),
        ({"drop": ["A"]}, "data.csv has no column 'A' (--drop); did you mean 'a'? columns: a, b, species"),
        ({"columns": ["a", "zz"]}, "data.csv has no column 'zz' (--columns); columns: a, b, species"),
    ],
)
def test_no_such_column(write, options, message):
    assert refusal(write("a,b,species\n1,2,x\n3,4,y\n"), **options) == message


def test_long_lists_of_columns_are_cut(write):
    header = ",".join(f"x{j}" for j in range(40))
    row = ",".join("1" for _ in range(40))
    assert refusal(write(f"{header}\n{row}\n{row}\n"), drop=["?"]).endswith("x10, x11 and 28 more")


def test_what_looks_odd_is_noted(write):
    headless = read_table(write("5.1,3.2\n1,2\n3,4\n"))
    assert headless.notes == (
        "the first line was read as column names, though it holds numbers: 5.1, 3.2;"
        " if it is data, use --no-header",
    )


def test_a_column_that_is_nearly_numeric_is_to_be_mended(write):
    source = write("a,b\n1,2\n3,2.5 kg\n4,5\n")
    assert refusal(source) == (
        "data.csv: b has 1 of 3 values that are not numbers ('2.5 kg'): correct or empty them, or declare"
        " the column: 'numeric' (--numeric) treats them as missing, 'nominal' (--nominal) treats all values"
        " as categories, 'drop' (--drop) leaves it out"
    )


def test_missing_labels_only_suggest_what_works(write):
    source = write("a,b,kind\n1,2,x\n3,4,\n5,6,y\n")
    assert refusal(source, label="kind") == (
        "data.csv: 1 of 3 rows have no label in kind; leave them out with --missing drop"
    )
    assert read_table(source, label="kind", missing="drop").labels.tolist() == ["x", "y"]


def test_names_with_commas(write):
    source = write('"length, cm","a,b",c,d\n1,2,3,4\n5,6,7,8\n')
    assert read_table(source, drop=["length, cm"]).feature_names == ("a,b", "c", "d")
    assert read_table(source, columns=["d", "a,b"]).feature_names == ("d", "a,b")
    assert "no column 'length' (--drop); did you mean 'length, cm'?" in refusal(source, drop=["length"])


def test_a_table_that_was_read_is_compared_and_explained_as_it_is(write):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)) + 8 * (np.arange(40)[:, None] % 2), columns=list("abc"))
    name = write(
        frame.assign(kind=np.where(np.arange(40) % 2, "odd", "even")).to_csv(index=False), "numbers.csv"
    )
    table = xcompare.read_table(name, label="kind")
    found = xcompare.compare(table, methods="ls", n_jobs=1)
    assert (found.name, found.plan.n_clusters, found.label_names) == ("numbers", 2, ("even", "odd"))
    explained = xcompare.explain(table, table.labels, n_runs=1, n_bootstraps=2, n_jobs=1)
    assert explained.name == "numbers"
