"""A table, column by column, before anything runs."""

import numpy as np
import pandas as pd
import pytest

import xcompare
from xcompare.results.data_checks import odd_columns
from xcompare.results.inspection import inspect_file

RNG = np.random.default_rng(0)
N = 30
FRAME = pd.DataFrame(
    {
        "id": [f"c{row}" for row in range(N)],
        "age": np.where(np.arange(N) % 10 == 3, -999, RNG.integers(20, 60, N)),
        "height": RNG.normal(170, 10, N),
        "size": ["s", "m", "l"] * 10,
        "plan": ["Basic", "basic", "plus"] * 10,
        "seen": [None] * 20 + ["yes", "no"] * 5,
        "joined": pd.date_range("2020-01-01", periods=N),
        "color_red": np.arange(N) % 3 == 0,
        "color_blue": np.arange(N) % 3 == 1,
        "color_green": np.arange(N) % 3 == 2,
    }
)
FRAME["inches"] = FRAME["height"] / 2.54
LABELS = np.repeat(["a", "b"], N // 2)


@pytest.fixture(scope="module")
def found():
    return xcompare.inspect(FRAME, labels=LABELS)


def test_a_row_per_column(found):
    table = found.table.set_index("column")
    assert table["kind"].to_dict() == {
        "id": "identifier",
        "age": "numeric",
        "height": "numeric",
        "size": "nominal",
        "plan": "nominal",
        "seen": "binary",
        "joined": "date",
        "color_red": "binary",
        "color_blue": "binary",
        "color_green": "binary",
        "inches": "numeric",
    }
    assert table.loc["seen", ["missing", "distinct", "histogram", "values", "treatment"]].tolist() == [
        20,
        2,
        "██",
        "no, yes",
        "categories",
    ]
    assert table.loc["id", ["values", "treatment"]].tolist() == ["c0, c1, c2", "left out"]
    assert found.title.startswith("data: 30 rows, 11 columns (1 identifier, 3 numeric, 2 nominal")


def test_labels_may_have_gaps():
    frame = FRAME.assign(kind=np.where(np.arange(N) < 5, None, LABELS))
    found = xcompare.inspect(frame.assign(copy=frame["kind"]), labels="kind")
    assert "copy is equivalent to the reference labels: drop it, as it gives the answer away" in found.odd


def test_answers_of_surveys():
    agreed = ["agree", "Strongly agree", "disagree", "neutral", "strongly disagree"] * 4
    brand = ["Alpha", "Beta", "unknown", "Beta", "Alpha"] * 4
    found = xcompare.inspect(pd.DataFrame({"q1": agreed, "brand": brand}))
    assert found.odd == (
        "q1 looks ordered: if so, use --ordinal 'q1: strongly disagree<disagree<neutral<agree"
        "<Strongly agree'",
        "brand holds 'unknown': if it means missing, empty those cells",
    )


def test_what_looks_odd(found):
    assert found.odd == (
        "color_red, ..., color_green are 3 indicators of one column, color: pass them as a group"
        " (feature_groups, --groups)",
        "dates are left out: joined; use --date-as days to convert them to numbers",
        "age holds -999 in 3 rows, far from its other values: if it means missing, empty those cells",
        "size looks ordered: if so, use --ordinal 'size: s<m<l'",
        "plan spells a level in several ways: 'Basic' and 'basic'",
        "seen is missing in 67% of the rows",
        "inches is nearly a copy of height: the same information counts twice",
    )
    assert found.groups == {"color": ["color_red", "color_blue", "color_green"]}


def test_dates_are_named_together():
    dates = {"seen": ["01.02.2020", "13.02.2020"] * 10, "left": ["2020-01-05", "2020-03-01"] * 10}
    day = 20200101 + np.arange(20) % 10
    found = xcompare.inspect(pd.DataFrame({**dates, "day": day, "both": ["01.02.2020", "2020-01-05"] * 10}))
    assert found.odd == (
        "dates are left out: seen, left; use --date-as days to convert them to numbers",
        "day looks like dates written as numbers, such as 20200101: write 2020-01-01",
        "both has dates in several styles, '01.02.2020', '2020-01-05': write them in one",
    )


def test_numbers_beside_other_levels():
    sizes = ["1", "2", "3", "4+"] * 5
    paid = ["5 kg", "200 g", "1", "2 kg", *(f"{at} kg" for at in range(3, 19))]
    found = xcompare.inspect(
        pd.DataFrame({"size": sizes, "paid": paid, "grade": ["1", "2", "k.A.", "3"] * 5})
    )
    assert found.odd == (
        "size holds numbers and '4+': --ordinal gives the order of all, --numeric takes '4+' as missing",
        "paid has numbers in several units, 'kg', 'g', none: convert them to one",
        "grade holds numbers and 'k.A.': --ordinal gives the order of all, --numeric takes 'k.A.' as missing",
    )


def test_extreme_numbers():
    frame = pd.DataFrame({
        "narrow": 1e17 + 16.0 * (np.arange(20) % 3),
        "infinite": [np.inf, *np.linspace(0, 1, 19)],
        "one": 2.5,
        "year": 2000 + np.arange(20) % 7,
        "people": 1234567 + 1000 * (np.arange(20) // 2),
    })  # fmt: skip
    found = xcompare.inspect(frame)
    assert found.table["values"].tolist() == [
        "1e+17 to 1e+17", "0 to 1", "2.5", "2000 to 2006", "1234567 to 1243567",
    ]  # fmt: skip
    assert found.table["histogram"].tolist()[0] == ""
    assert found.table["missing"].tolist() == [0, 1, 0, 0, 0]
    assert "infinite holds infinity in 1 row: read as missing" in found.odd


def test_a_column_that_gives_the_answer_away():
    frame = FRAME[["height"]].assign(group=np.where(LABELS == "a", "x", "y"), truth=LABELS)
    assert xcompare.inspect(frame, labels="truth").odd == (
        "group is equivalent to the reference labels: drop it, as it gives the answer away",
    )


def test_bundled_data_have_nothing_odd():
    wine = xcompare.inspect(xcompare.load_dataset("wine"))
    assert (wine.odd, wine.groups, wine.notes) == ((), {}, ())
    assert set(wine.table["treatment"]) == {"standardised"}


def test_files_are_inspected_though_they_need_mending(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text(
        "a,b,paid\n" + "".join(f"{row},{row / 3},{row} EUR\n" for row in range(20)) + "x,1,3 EUR\n"
    )
    found = inspect_file(path)
    assert found.table["kind"].tolist() == ["text", "numeric", "numeric"]
    assert found.odd[0].startswith("a has 1 of 21 values that are not numbers ('x'): correct or empty them")
    assert found.notes == ("paid: 'EUR' left out",)
    assert inspect_file(path, kinds={"a": "numeric"}).table["missing"].tolist() == [1, 0, 0]


def test_presentations(found):
    assert found.to_dict()["columns"][5]["missing"] == 20
    assert "odd: age holds -999" in str(found)
    assert "<li>age holds -999" in found._repr_html_()
    assert odd_columns([], None, {}) == []
