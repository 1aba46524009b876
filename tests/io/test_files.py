"""Data files as people have them: what is understood, and what is refused in which words."""

import gzip
import io
import os
import pickle
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cli.sources import LEFT_OUT, NUMBERS, parquet, refusal
from xcompare.core.errors import DataError
from xcompare.io.tables import read_table


def feather(frame):
    buffer = io.BytesIO()
    frame.to_feather(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "name"),
    [
        pytest.param("a,b\n1.5,2\n3,4\n", "data.csv", id="comma"),
        pytest.param("a;b\n1.5;2\n3;4\n", "data.csv", id="semicolon"),
        pytest.param("a;b\n1,5;2\n3;4\n", "data.csv", id="decimal commas"),
        pytest.param("a\tb\n1.5\t2\n3\t4\n", "data.tsv", id="tab"),
        pytest.param("a\tb\n1.5\t2\n3\t4\n", "data", id="tab without suffix"),
        pytest.param("a|b\n1.5|2\n3|4\n", "data.txt", id="bar"),
        pytest.param("a  b\n1.5 2\n3   4\n", "data.txt", id="blanks"),
        pytest.param("\ufeffa, b\r\n1.5, 2\r\n3, 4\r\n", "data.csv", id="byte order mark, Windows lines"),
        pytest.param('\n"a","b"\n1.5,2\n\n3,4', "data.csv", id="quotes, blank lines, no last line end"),
        pytest.param("a,b\n1.5,2\n3,4\n".encode("utf-16"), "data.csv", id="UTF-16"),
        pytest.param("a,b,\n1.5,2,\n3,4,\n", "data.csv", id="separator at the end of all lines"),
        pytest.param("a,b\n1.5,2,\n3,4,\n", "data.csv", id="separator at the end of rows"),
        pytest.param(
            parquet(pd.DataFrame({"a": [1.5, 3], "b": [2, 4]}, index=["r1", "r2"])), "d.pq", id="Parquet"
        ),
        pytest.param(feather(NUMBERS), "d.feather", id="Feather"),
    ],
)
def test_kinds_of_files(write, content, name):
    table = read_table(write(content, name))
    assert table.name == name.split(".")[0]
    assert table.feature_names == ("a", "b")
    assert table.notes == ()
    assert table.labels is None
    assert table.n_clusters is None
    np.testing.assert_array_equal(table.X, [[1.5, 2], [3, 4]])
    assert (table.X.dtypes == np.float64).all()


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(",a,b\n0,1.5,2\n1,3,4\n", id="pandas"),
        pytest.param(",a,b\n17,1.5,2\n4,3,4\n", id="pandas, some rows"),
        pytest.param('"","a","b"\n"one",1.5,2\n"two",3,4\n', id="R's write.csv"),
        pytest.param('"a" "b"\n"1" 1.5 2\n"2" 3 4\n', id="R's write.table"),
        pytest.param("Unnamed: 0,a,b\n0,1.5,2\n1,3,4\n", id="pandas, read and written again"),
    ],
)
def test_row_names_are_left_out_and_said_so(write, content):
    table = read_table(write(content))
    assert table.notes == (LEFT_OUT,)
    assert table.feature_names == ("a", "b")
    np.testing.assert_array_equal(table.X, [[1.5, 2], [3, 4]])


def test_a_tab_separated_file_may_have_commas_in_its_names(write):
    table = read_table(write("Length, cm\tWidth, cm\n1\t2\n3\t4\n", "data.tsv"))
    assert table.feature_names == ("Length, cm", "Width, cm")


@pytest.mark.parametrize("separator", [",", "\t", " "])
def test_a_header_beyond_the_limit_of_csv(write, separator):
    names = [f"ENSG{gene:011}" for gene in range(10_000)]  # 150,000 characters; the limit is 131,072
    lines = [separator.join(map(str, line)) for line in (names, range(10_000), range(10_000))]
    table = read_table(write("\n".join(lines)))
    assert list(table.feature_names) == names


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a;b;kind\n1;2;x\n3;4;y\n5;6;y\n")))
    table = read_table("-", label="kind")
    assert table.name == "stdin"
    assert table.n_clusters == 2
    assert table.X.shape == (3, 2)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipes_and_devices_are_refused_at_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for source in (pipe, "/dev/zero"):
        assert refusal(source) == (
            f"{source} is a device or a pipe; give a CSV, TSV, Parquet, Feather or Excel file,"
            " or - and pipe it in"
        )


def test_a_name_too_long_for_a_file():
    assert refusal("x" * 5000).endswith("cannot be read: File name too long")


@pytest.mark.parametrize("kind", ["text", "gzip", "Excel", "Parquet", "stdin"])
def test_what_is_larger_than_the_limit_once_unpacked_is_refused(write, monkeypatch, kind):
    frame = pd.DataFrame(np.zeros((20_000, 3)), columns=list("abc"))
    text = frame.to_csv(index=False).encode()
    contents = {
        "gzip": lambda: gzip.compress(text),
        "Excel": lambda: excel(frame),
        "Parquet": lambda: parquet(frame),
    }
    source = write(contents.get(kind, lambda: text)(), "data")
    if kind == "stdin":
        source = "-"
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert refusal(source, max_size=1e-4).endswith("exceeds 0.0001 GB; to read it anyway, use --max-size")


def test_latin_1_is_read_with_a_note(write):
    table = read_table(write("Größe,Preis (€)\n1,2\n3,4\n".encode("cp1252")))
    assert table.feature_names == ("Größe", "Preis (€)")
    assert table.notes == (
        "read as Latin-1 (Windows-1252), as it is not UTF-8: see whether letters with accents are right",
    )


@pytest.mark.parametrize(
    ("content", "name"),
    [
        pytest.param("gene,s1,s2,s3\nTP53,1.5,3,7\nMYC,2,4,8\n", "d.csv", id="CSV"),
        pytest.param(",s1,s2,s3\nTP53,1.5,3,7\nMYC,2,4,8\n", "d.csv", id="pandas"),
        pytest.param('"s1" "s2" "s3"\n"TP53" 1.5 3 7\n"MYC" 2 4 8\n', "d.txt", id="R's write.table"),
        pytest.param(
            parquet(pd.DataFrame([[1.5, 3, 7], [2, 4, 8]], ["TP53", "MYC"], ["s1", "s2", "s3"])),
            "d.pq",
            id="Parquet",
        ),
    ],
)
def test_features_in_rows(write, content, name):
    table = read_table(write(content, name), transpose=True)
    assert table.feature_names == ("TP53", "MYC")
    np.testing.assert_array_equal(table.X, [[1.5, 2], [3, 4], [7, 8]])


def test_labels_of_features_in_rows(write):
    source = write("gene,s1,s2,s3,s4\nTP53,1.5,3,7,8\nMYC,2,4,8,1\ntype,a,b,a,b\n")
    table = read_table(source, transpose=True, label="type")
    assert table.labels.tolist() == ["a", "b", "a", "b"]
    np.testing.assert_array_equal(table.X["TP53"], [1.5, 3, 7, 8])


def test_a_table_that_looks_like_genes_by_samples_gets_a_hint(write):
    genes = "\n".join(f"g{number},{number},1" for number in range(100))
    assert "use --transpose" in read_table(write(f"gene,s1,s2\n{genes}")).notes[0]
    assert "use --transpose" in read_table(write(f",s1,s2\n{genes}")).notes[1]
    rows = "\n".join(f"{number},{number},1" for number in range(100))
    assert read_table(write(f",s1,s2\n{rows}")).notes == (LEFT_OUT,)
    assert "use --transpose" not in str(read_table(write("gene,s1,s2\ng0,1,2\ng1,3,4")).notes)


def test_no_header(write):
    table = read_table(write("5.1,3.2\n1,2\n3,4\n"), header=False)
    assert (table.feature_names, table.notes) == (("x0", "x1"), ())
    np.testing.assert_array_equal(table.X, [[5.1, 3.2], [1, 2], [3, 4]])
    labelled = read_table(write("5.1,3.2,red\n1,2,red\n3,4,blue\n"), header=False, label="x2")
    assert labelled.labels.tolist() == ["red", "red", "blue"]
    assert refusal(write("1,1\n2,3\n4,5\n")) == (
        "data.csv has more than one column named 1; the first line must hold one name per column;"
        " if it is data, use --no-header"
    )
    assert refusal(write(parquet(NUMBERS), "d.parquet"), header=False) == (
        "d.parquet is a Parquet file, which names its columns; leave out --no-header"
    )


def excel(*sheets, **options):
    """A workbook with these frames."""
    pytest.importorskip("openpyxl")
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer, engine="openpyxl") as book:
        for number, frame in enumerate(sheets):
            frame.to_excel(book, sheet_name=f"sheet {number}", **{"index": False, **options})
    return buffer.getvalue()


@pytest.mark.parametrize("name", ["data.csv.gz", "data.gz"])
def test_gzipped(write, name):
    table = read_table(write(gzip.compress(b"a,b\n1.5,2\n3,4\n"), name))
    assert table.name == "data"
    np.testing.assert_array_equal(table.X, NUMBERS)
    tabs = gzip.compress(b"Length, cm\tWidth, cm\n1\t2\n3\t4\n")
    assert read_table(write(tabs, "data.tsv.gz")).feature_names == ("Length, cm", "Width, cm")
    assert read_table(write(gzip.compress(parquet(NUMBERS)))).feature_names == ("a", "b")
    assert refusal(write(gzip.compress(b"a,b\n" * 99)[:20])).startswith("data.csv is a damaged gzip file: ")


@pytest.mark.filterwarnings("error")
def test_excel(write):
    table = read_table(write(excel(NUMBERS), "data.xlsx"))
    assert (table.name, table.notes) == ("data", ())
    np.testing.assert_array_equal(table.X, NUMBERS)
    several = read_table(write(excel(NUMBERS, NUMBERS, index=True), "data.xlsx"))
    assert several.notes == ("only the first of 2 sheets was read: sheet 0", LEFT_OUT)
    np.testing.assert_array_equal(several.X, NUMBERS)
    written = read_table(write(excel(pd.DataFrame({"a": ["98.4%", "7%"], "b": [2, 4]})), "data.xlsx"))
    np.testing.assert_array_equal(written.X["a"], [98.4, 7])
    headless = read_table(write(excel(NUMBERS, header=False), "data.xlsx"), header=False)
    assert headless.feature_names == ("x0", "x1")
    assert (
        refusal(write(excel(NUMBERS[:0]), "data.xlsx")) == "data.xlsx has no rows in its first sheet, sheet 0"
    )
    damaged = excel(NUMBERS).replace(b"xl/worksheets", b"xl/worksheetz")
    assert refusal(write(damaged, "data.xlsx")).startswith("data.xlsx is a damaged Excel file: ")


def test_excel_without_its_reader(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    assert refusal(write(content.getvalue(), "data.xlsx")) == (
        "data.xlsx is an Excel file, which needs openpyxl:"
        " pip install 'xcompare-clustering[excel]', or save it as CSV"
    )


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (NUMBERS.to_json(), "JSON"),
        (NUMBERS.to_json(orient="records"), "JSON"),
        (NUMBERS.to_json(orient="values", indent=2), "JSON"),
        (NUMBERS.to_json(orient="records", lines=True), "JSON"),
        (NUMBERS.to_html(), "XML or HTML"),
        (pickle.dumps(NUMBERS), "a pickle"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel file of the old kind (.xls)"),
        (b"\x93NUMPY\x01\x00", "a NumPy file"),
        (gzip.compress(b"X\n\x00\x00\x00\x03\x00"), "an R data file"),
        (gzip.compress(b"RDX3\nX\n"), "an R data file"),
        (b"SQLite format 3\x00", "an SQLite database"),
        (b"PK\x03\x04\xff\xfe\x00", "a zip archive, or an Excel file cut short"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 40 else "",
)
def test_other_formats_are_named(write, content, kind):
    content = content.replace("<table", "<html><table") if isinstance(content, str) else content
    assert refusal(write(content)) == (
        f"data.csv is {kind}, which cannot be read here;"
        " save it as CSV, TSV, Parquet, Feather or Excel (.xlsx)"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "data.csv is empty"),
        ("\n \n", "data.csv is empty"),
        ("a,b\n", "data.csv has column names but no rows"),
        ("a,b\n1,2\n", "data.csv has only one row; give one row per sample"),
        ("a\n1\n2\n", "data.csv: at least two features are needed to compare them; got 1 (a)"),
        (
            "a,b,a\n1,2,3\n",
            "data.csv has more than one column named a; the first line must hold one name per column",
        ),
        (
            "a,b\n1,2,3,4\n3,4\n",
            "data.csv cannot be read as a table: rows have more fields than the first line",
        ),
        (
            "a,b\n1,2\n3,4,5,6\n",
            "data.csv cannot be read as a table: line 3 has 4 values, those before it at most 2",
        ),
        (
            b"caf\xe9,\x00\n1,2\n",
            "data.csv is not UTF-8 text; save it as CSV in UTF-8 and try again",
        ),
        (b"a,b\n1,2\n" * 9000 + b"caf\xe9,1\x02\n", "data.csv is not UTF-8 text"),
        (b"PAR1 cut short", "data.csv is a damaged Parquet file: "),
        (parquet(pd.DataFrame({"a": [], "b": []})), "data.csv has no rows"),
    ],
    ids=lambda value: None if isinstance(value, bytes) else value[:20],
)
def test_files_that_are_no_tables(write, content, message):
    assert refusal(write(content)).startswith(message)


def test_no_such_file(write):
    write("a,b\n1,2\n", "measured.csv")
    assert refusal("mesured.csv") == ("no file or bundled dataset 'mesured.csv'; did you mean measured.csv?")
    assert refusal("winee") == "no file or bundled dataset 'winee'; did you mean wine?"
    assert refusal("zzz.csv").startswith(
        "no file or bundled dataset 'zzz.csv'; give a CSV, TSV, Parquet, Feather or Excel"
    )
    assert "one of wine, breast" in refusal("folder/zzz.csv")
    assert refusal(".") == ". is a folder; give a CSV, TSV, Parquet, Feather or Excel file in it"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_file_that_may_not_be_read(write, tmp_path):
    (tmp_path / write("a,b\n1,2\n")).chmod(0)
    assert refusal("data.csv") == "data.csv cannot be read: Permission denied"


def read_or_refused(folder, content):
    """A table of finite numbers or a refusal in one line; never another error."""
    file = folder / "data"
    file.write_bytes(content)
    try:
        table = read_table(file)
    except DataError as error:
        return "\n" not in str(error)
    return bool(np.isfinite(table.X.to_numpy()).all())


@given(st.binary(max_size=200))
def test_any_bytes(tmp_path_factory, content):
    assert read_or_refused(tmp_path_factory.mktemp("bytes"), content)


@given(st.text(alphabet='ab1.,;\t \n"?-', max_size=80))
@example('"1\n1"\n1\n1')  # a name of two lines
def test_any_text(tmp_path_factory, content):
    assert read_or_refused(tmp_path_factory.mktemp("text"), content.encode())
