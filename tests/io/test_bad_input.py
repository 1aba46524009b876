"""Tables as people have them: each gives the right table, or one clear line."""

import numpy as np
import pytest

from tests.cli.sources import refusal
from xcompare.cli import run
from xcompare.io.tables import read_table

NA = np.nan
ROWS = 12


def lines(header, row, n=ROWS):
    return "\n".join([header, *(row(at) for at in range(n))]) + "\n"


@pytest.mark.parametrize(
    ("content", "values"),
    [
        pytest.param("a;b\n1,5;2\n2,5;3\n", [1.5, 2.5], id="semicolons, decimal commas"),
        pytest.param("sep=;\na;b\n1,5;2\n2,5;3\n", [1.5, 2.5], id="sep=;"),
        pytest.param('\ufeff"sep=|"\r\na|b\r\n1.5|2\r\n2.5|3\r\n', [1.5, 2.5], id="sep=|"),
        pytest.param("\ufeffa;b\r\n1,5;2\r\n2,5;3\r\n", [1.5, 2.5], id="byte order mark"),
        pytest.param('a,b\n"1,234,567",2\n89,3\n', [1234567, 89], id="thousands"),
        pytest.param("a;b\n1.234,5;2\n2,5;3\n", [1234.5, 2.5], id="points and commas"),
        pytest.param("a;b\n1.234;2,5\n12;3,5\n", [1234, 12], id="points, commas elsewhere"),
        pytest.param("a;b\n1 234;2\n12;3\n", [1234, 12], id="spaces"),
        pytest.param("a;b\n1'234.5;2\n12;3\n", [1234.5, 12], id="apostrophes"),
        pytest.param("a,b\n5%,2\n12 %,3\n", [5, 12], id="percent"),
        pytest.param('a,b\n"$1,200",2\n$80,3\n', [1200, 80], id="currency before"),
        pytest.param("a;b\n80,5 €;2\n1 €;3\n", [80.5, 1], id="currency after"),
        pytest.param("a,b\n5 kg,2\n12.5kg,3\n", [5, 12.5], id="units"),
        pytest.param("a,b\n-,2\n3,3\n4,4\n", [NA, 3, 4], id="dash"),
        pytest.param("a,b\n?,2\n3,3\n4,4\n", [NA, 3, 4], id="question mark"),
        pytest.param("a,b\nNA,2\nn/a,3\n4,4\n5,5\n", [NA, NA, 4, 5], id="NA"),
        pytest.param('a,b\n"",2\nnone,3\n4,4\n5,5\n', [NA, NA, 4, 5], id="empty strings, none"),
        pytest.param("a,b\n\n1,2\n\n,\n3,3\n", [1, 3], id="empty lines"),
        pytest.param("a,b\n\u22121,2\n3,3\n", [-1, 3], id="minus sign"),
        pytest.param("a,b\n1e3,2\n2e3,3\n", [1000, 2000], id="exponents"),
        pytest.param("a,b\nn.a.,2\n3,3\n4,4\n", [NA, 3, 4], id="n.a."),
    ],
)
def test_numbers(write, content, values):
    X = read_table(write(content)).X
    assert X["a"].dtype == np.float64
    np.testing.assert_array_equal(X["a"], values)


@pytest.mark.parametrize(
    ("row", "levels"),
    [
        (lambda at: "yes" if at % 3 else "no", ["no", "yes"]),
        (lambda at: "J" if at % 3 else "N", ["N", "J"]),
        (lambda at: ["red", "blue", "-", "green"][at % 4], ["blue", "green", "red"]),
        (lambda at: ["none", "one", "two"][at % 3], ["none", "one", "two"]),
        (lambda at: ["01067", "10115", "20095"][at % 3], ["01067", "10115", "20095"]),
        (lambda at: "rare" if at == 3 else "common", ["common", "rare"]),
        (lambda at: ["0", "1", "2", "3+"][at % 4], ["0", "1", "2", "3+"]),
        (lambda at: ["1.2.10", "1.3.11", "2.0.12"][at % 3], ["1.2.10", "1.3.11", "2.0.12"]),
        (lambda at: ["4711-01", "4711-02", "4712-01"][at % 3], ["4711-01", "4711-02", "4712-01"]),
    ],
    ids=["yes", "J", "gaps", "none", "zip", "seen once", "almost numbers", "versions", "articles"],
)
def test_levels(write, row, levels):
    table = read_table(write(lines("a,b,c", lambda at: f"{at},{row(at)},{at**2}")))
    assert table.X["b"].cat.categories.tolist() == levels
    assert table.notes[0].startswith("not numeric: b (")


@pytest.mark.parametrize(
    ("row", "note"),
    [
        (lambda at: f"A{at}", "left out: b (identifier: a different value in every row)"),
        (lambda at: f"2020-01-{at + 1:02}", "left out: b (date;"),
        (lambda at: f"{at + 1}.01.2020", "left out: b (date;"),
        (lambda at: f"1/{at + 10}/2020", "left out: b (date;"),
        (lambda at: f"2020-{at + 1:02}", "left out: b (date;"),
        (
            lambda at: [f"{at + 1:02}.01.2020", f"2020-01-{at + 1:02}", f"01/{at + 1:02}/2020"][at % 3],
            "left out: b (text: dates in several styles, '01.01.2020', '2020-01-02', '01/03/2020' and 9 more:"
            " write them in one)",
        ),
        (
            lambda at: f"{at + 1:02}.01.2020" if at % 2 else f"01/{at + 1:02}/2020",
            "left out: b (text: dates in several styles, '01/01/2020', '02.01.2020', '01/03/2020' and 9",
        ),
        (
            lambda at: f"{at + 8:02}/01/2020" if at % 2 else f"01/{at + 8:02}/2020",
            "left out: b (text: dates in several styles, '01/08/2020', '09/01/2020', '01/10/2020' and 9",
        ),
        (
            lambda at: f"{at + 20}.02.2021",
            "left out: b (text: values that are not dates, '29.02.2021', '30.02.2021', '31.02.2021'",
        ),
        (
            lambda at: f"{at + 1}.02.2021" if at else "soon",
            "left out: b (text: values that are not dates, 'soon': correct or empty them)",
        ),
        (lambda at: str(10**17 + at), "left out: b (identifier: whole numbers of 18 digits, too many"),
        (lambda at: f"1_{at:03}", "left out: b (identifier: a different value in every row)"),
        (lambda at: f"she came and said {at} times no", "left out: b (text: a different value in every row)"),
        (lambda at: "NA", "no values, left out: b"),
        (
            lambda at: f"{at} {'kg' if at % 2 else 'g'}",
            "left out: b (text: numbers in several units, 'g', 'kg': convert",
        ),
        (lambda at: f"{at}{'%' if at % 2 else ''}", "left out: b (text: numbers in several units, '%', none"),
    ],
    ids=[
        "level per row", "ISO", "German", "American", "months", "three styles", "two styles", "two orders",
        "no such days", "not all dates", "digits", "underscores", "text", "no values", "units",
        "some percent",
    ],
)  # fmt: skip
def test_columns_left_out(write, row, note):
    table = read_table(write(lines("a,b,c", lambda at: f"{at},{row(at)},{at**2}")))
    assert table.feature_names == ("a", "c")
    assert table.notes[0].startswith(note)


def test_notes_name_dates_together_and_constants_not_at_all(write):
    source = write(lines("a,b,c,d,e", lambda at: f"{at},{at**2},2020-01-{at + 1:02},2021-01-{at + 1:02},x"))
    assert read_table(source).notes == (
        "left out: c, d (dates; columns={'c': 'days'} (--date-as days) makes them numbers)",
    )


def test_numbered_rows_are_identified(write):
    table = read_table(write(lines("customer_id,a,b", lambda at: f"{at + 100},{at % 5},{at}")))
    assert table.feature_names == ("a", "b")
    assert table.X.index.tolist() == list(range(100, 100 + ROWS))


REFUSED = pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,a\n1,2\n", "data.csv has more than one column named a"),
        ("a,b\n1,2\n", "data.csv has only one row"),
        ("a\n1\n2\n", "data.csv: at least two features are needed to compare them; got 1 (a)"),
        (
            lines("a,b", lambda at: f"{at},z{at}"),
            "data.csv: at least two features are needed to compare them; got 1 (a); left out: b (identifier",
        ),
        (
            lines("a,b", lambda at: f"{at},{at}{'x' * (at == 0)}"),
            "data.csv: b has 1 of 12 values",
        ),
        ("a,b\n,\n,\n", "data.csv has column names but no values"),
        ("", "data.csv is empty"),
        ("a,b\n", "data.csv has column names but no rows"),
        (
            "Sales in 2020\n\na,b,c\n1,2,3\n4,5,6\n",
            "data.csv starts with 'Sales in 2020', which does not name the columns: the next line has 3"
            " values, separated by ','; delete what stands above the names",
        ),
        (
            "Sales\na;b;c\n1;2;3\n4;5;6\n",
            "data.csv starts with 'Sales', which does not name the columns: the next line has 3 values,"
            " separated by ';'; delete what stands above the names",
        ),
        (
            "a,b\n1,2,3\n4,5\n",
            "data.csv cannot be read as a table: line 3 has as many values as the first line has names, 2",
        ),
        (
            'a,b\n"1,2\n3,4\n',
            "data.csv cannot be read as a table: the quotation mark that opens in line 2 is never closed",
        ),
    ],
    ids=[
        "names", "one row", "one column", "one feature", "mixed", "no values", "empty", "names only",
        "title", "title of one word",
        "one line longer", "quotation mark",
    ],
)  # fmt: skip


@REFUSED
def test_one_clear_line(write, content, message):
    assert refusal(write(content)).startswith(message)


@REFUSED
def test_one_line_from_the_command(write, capsys, content, message):
    assert run(["compare", write(content), "--clusters", "2"]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith(f"xcompare: {message}")
    assert error.count("\n") == 1


def test_labels_with_gaps(write):
    source = write(lines("a,b,kind", lambda at: f"{at},{at**2},{'' if at == 4 else 'xy'[at % 2]}"))
    assert refusal(source, label="kind").startswith("data.csv: 1 of 12 rows have no label in kind; leave")
    assert len(read_table(source, label="kind", missing="drop").X) == ROWS - 1
    assert read_table(source, label="kind", unlabelled=True).n_clusters == 2


def test_marks_for_missing_are_no_labels(write):
    source = write(lines("a,b,kind", lambda at: f"{at},{at**2},{'-' if at == 4 else 'xy'[at % 2]}"))
    assert refusal(source, label="kind").startswith("data.csv: 1 of 12 rows have no label in kind; leave")
    table = read_table(source, label="kind", missing="drop")
    assert (len(table.X), table.n_clusters) == (ROWS - 1, 2)
    assert table.notes[0] == "kind: '-' read as missing"


@pytest.mark.parametrize("role", ["kinds", "label"])
def test_minus_beside_plus_is_a_level(write, role):
    source = write(lines("a,b,test", lambda at: f"{at},{at**2},{'+-'[at % 2]}"))
    if role == "label":
        assert read_table(source, label="test").n_clusters == 2
    else:
        assert read_table(source).X["test"].cat.categories.tolist() == ["-", "+"]


def test_weights_with_decimal_commas(write):
    table = read_table(write("a;b;w\n1;2;0,5\n3;4;1,25\n5;6;2\n"), weights="w")
    assert table.weights.tolist() == [0.5, 1.25, 2]


def test_dates_are_read_in_the_order_of_their_style(write):
    source = write(lines("a,b,c", lambda at: f"{at},{at + 2:02}.05.2020,2020-{at + 1:02}"))
    X = read_table(source, dates="days").X
    assert list(X) == ["a", "b (days since 1970-01-01)", "c (days since 1970-01-01)"]
    X.columns = ["a", "b", "c"]
    assert X["b"].diff()[1:].tolist() == [1.0] * (ROWS - 1)
    assert X["c"].diff()[1:4].tolist() == [31.0, 29.0, 31.0]


def test_whitespace_and_decimal_commas(write):
    X = read_table(write("a b c\n1,5 2,5 3\n4,5 5,5 6\n")).X
    assert X.to_numpy().tolist() == [[1.5, 2.5, 3], [4.5, 5.5, 6]]


def test_3000_columns(write):
    names = ",".join(f"v{at}" for at in range(3000))
    rows = [",".join(map(str, RNG.integers(0, 50, 3000))) for RNG in map(np.random.default_rng, range(4))]
    assert read_table(write("\n".join([names, *rows]))).X.shape == (4, 3000)
