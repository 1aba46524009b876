"""File formats by their first bytes: those that are read, and common ones that are named when refused."""

import gzip
import io
import re
import zipfile
import zlib
from typing import BinaryIO

from xcompare.exceptions import DataError

PARQUET, GZIP, ZIP = b"PAR1", b"\x1f\x8b", b"PK\x03\x04"
EXCEL = "xl/workbook.xml"  # the file in a zip archive that makes it one of Excel
# Formats that Python, R and Excel users keep tables in, by how their files start; other binary files are
# refused as not being text.
NOT_READ = (
    (rb"ARROW1", "a Feather (Arrow) file"),
    (rb"\x89HDF", "an HDF5 file"),
    (rb"\x93NUMPY", "a NumPy file"),
    (rb"\x80[\x02-\x05]", "a pickle"),
    (rb"\xd0\xcf\x11\xe0", "an Excel file of the old kind (.xls)"),
    (rb"SQLite format 3", "an SQLite database"),
    (rb"RD[AX][23]\n|X\n\x00\x00\x00[\x02\x03]", "an R data file"),
    (rb'\s*(\{\s*["}]|\[\s*[\[{"\d-])', "JSON"),
    (rb"\s*<(\?xml|!doctype|html)", "XML or HTML"),
)
READ = "CSV, TSV, Parquet or Excel"


def unpacked(file: BinaryIO, where: str) -> BinaryIO:
    """The file, or what was compressed into it by gzip."""
    if _start(file) != GZIP:
        return file
    try:
        return io.BytesIO(gzip.GzipFile(fileobj=file).read())
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{where} is not a whole gzip file: {error}") from None


def is_parquet(file: BinaryIO) -> bool:
    """Whether the file starts as Parquet does."""
    return _start(file, 4) == PARQUET


def is_excel(file: BinaryIO) -> bool:
    """Whether the file is a workbook of Excel since 2007."""
    if _start(file, 4) != ZIP:
        return False
    try:
        with zipfile.ZipFile(file) as archive:
            return EXCEL in archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        return False
    finally:
        file.seek(0)


def refuse_other_formats(file: BinaryIO, where: str) -> None:
    """Raise for a file of a known format that is not read."""
    start = _start(file, 64).removeprefix(b"\xef\xbb\xbf")
    kinds = [kind for pattern, kind in NOT_READ if re.match(pattern, start, re.IGNORECASE)]
    if start.startswith(ZIP):
        kinds = ["a zip archive, or an Excel file cut short"]
    if kinds:
        raise DataError(f"{where} is {kinds[0]}, which cannot be read here; save it as {READ} (.xlsx)")


def _start(file: BinaryIO, size: int = 2) -> bytes:
    start = file.read(size)
    file.seek(0)
    return start
