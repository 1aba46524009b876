"""``inspect``: a table, before anything runs."""

import json

TABLE = "id,age,size,day,b\n" + "".join(
    f"c{row},{-999 if row % 5 == 0 else 20 + row},{'sml'[row % 3]},2020-01-{row + 1:02},{row**2}\n"
    for row in range(20)
)


def test_inspect(xcompare, tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    done = xcompare("inspect", tmp_path / "t.csv")
    assert done.status == 0
    head, *lines = done.stdout.splitlines()
    assert head == "t: 20 rows, 5 columns (1 identifier, 2 numeric, 1 nominal, 1 date)"
    assert max(map(len, lines[:7])) <= 80
    assert "odd: age holds -999 in 4 rows, far from its other values" in done.stdout
    assert "odd: size looks ordered: if so, use --ordinal 'size: s<m<l'" in done.stdout
    assert list(tmp_path.iterdir()) == [tmp_path / "t.csv"]


def test_long_names_are_whole(xcompare, tmp_path):
    name = "satisfaction_with_the_service"
    (tmp_path / "t.csv").write_text(TABLE.replace("size", name))
    done = xcompare("inspect", tmp_path / "t.csv")
    beginnings = [line.split(" ")[0] for line in done.stdout.splitlines()[3:]]
    assert name in "".join(beginnings)
    assert max(map(len, done.stdout.splitlines()[1:9])) <= 80


def test_kinds_given(xcompare, tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    options = (
        "--ordinal",
        "size: s < m < l",
        "--date-as",
        "days",
        "--nominal",
        "b",
        "--drop",
        "id",
        "--json",
    )
    columns = json.loads(xcompare("inspect", tmp_path / "t.csv", *options).stdout)["columns"]
    kinds = {column["column"]: column["kind"] for column in columns}
    assert kinds == {"age": "numeric", "size": "ordinal", "day": "numeric", "b": "nominal"}
    assert columns[1]["values"] == "s < m < l"


def test_kinds_that_contradict(xcompare):
    done = xcompare("inspect", "iris", "--nominal", "a", "--numeric", "a")
    assert done.status == 2
    assert (
        done.stderr
        == "xcompare: a can be of one kind only; give it to one of --nominal, --ordinal, --numeric\n"
    )
    done = xcompare("inspect", "iris", "--ordinal", "S<M<L")
    assert done.stderr == "xcompare: --ordinal must be 'NAME: LOW<...<HIGH'; got 'S<M<L'\n"
