"""Detection of file formats by their first bytes: supported ones, and common ones named in the error."""

import gzip
import io
import re
import zipfile
import zlib
from typing import BinaryIO, cast

from xcompare.core.errors import DataError

PARQUET, FEATHER, GZIP, ZIP = b"PAR1", b"ARROW1", b"\x1f\x8b", b"PK\x03\x04"
UTF16 = (b"\xff\xfe", b"\xfe\xff")  # byte order marks, as of what Excel saves as "Unicode text"
EXCEL = "xl/workbook.xml"  # member of a zip archive that identifies an Excel file
# Other formats that Python, R and Excel users store tables in; any other binary file is rejected as not text.
NOT_READ = (
    (rb"\x89HDF", "an HDF5 file"),
    (rb"\x93NUMPY", "a NumPy file"),
    (rb"\x80[\x02-\x05]", "a pickle"),
    (rb"\xd0\xcf\x11\xe0", "an Excel file of the old kind (.xls)"),
    (rb"SQLite format 3", "an SQLite database"),
    (rb"RD[AX][23]\n|X\n\x00\x00\x00[\x02\x03]", "an R data file"),
    (rb'\s*(\{\s*["}]|\[\s*[\[{"\d-])', "JSON"),
    (rb"\s*<(\?xml|!doctype|html)", "XML or HTML"),
)
# Control characters of ASCII, and bytes undefined in Windows-1252.
CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]")
GIGABYTE = 10**9
MAX_SIZE = 2.0  # gigabytes; default limit
READ = "CSV, TSV, Parquet, Feather or Excel"


def check_size(n_bytes: float, where: str, max_size: float) -> None:
    """Raise above the size limit: a few megabytes may decompress to many gigabytes."""
    if n_bytes > max_size * GIGABYTE:
        raise DataError(f"{where} exceeds {max_size:g} GB; to read it anyway, use --max-size")


def read_within(file: BinaryIO, where: str, max_size: float) -> BinaryIO:
    """Read the whole file into memory."""
    content = file.read(int(max_size * GIGABYTE) + 1)
    check_size(len(content), where, max_size)
    return io.BytesIO(content)


def unpacked(file: BinaryIO, where: str, max_size: float) -> BinaryIO:
    """The file, decompressed if it is gzipped."""
    if not starts_with(file, GZIP):
        return file
    try:
        return read_within(cast(BinaryIO, gzip.GzipFile(fileobj=file)), where, max_size)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{where} is a damaged gzip file: {error}") from None


def starts_with(file: BinaryIO, *marks: bytes) -> bool:
    """Whether the file starts with one of these marks of a format."""
    return _start(file, max(map(len, marks))).startswith(marks)


def check_arrow(file: BinaryIO, where: str, max_size: float) -> None:
    """Raise if the decompressed table of a Parquet or Feather file exceeds the size limit."""
    if starts_with(file, PARQUET):
        from pyarrow.parquet import ParquetFile

        found = ParquetFile(file).metadata
        n_values = found.num_rows * found.num_columns
    else:
        from pyarrow.ipc import open_file

        reader = open_file(file)
        n_rows = sum(reader.get_batch(at).num_rows for at in range(reader.num_record_batches))
        n_values = n_rows * len(reader.schema)
    check_size(8 * n_values, where, max_size)
    file.seek(0)


def is_excel(file: BinaryIO, where: str, max_size: float) -> bool:
    """Whether the file is an Excel workbook (2007 or later)."""
    if not starts_with(file, ZIP):
        return False
    try:
        with zipfile.ZipFile(file) as archive:
            size, found = sum(member.file_size for member in archive.infolist()), EXCEL in archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        return False
    finally:
        file.seek(0)
    check_size(size, where, max_size)
    return found


def is_text(file: BinaryIO) -> bool:
    """Whether the file, which is not UTF-8, may be text in another encoding: no control characters."""
    file.seek(0)
    found = not any(CONTROLS.search(part) for part in iter(lambda: file.read(2**20), b""))
    file.seek(0)
    return found


def refuse_other_formats(file: BinaryIO, where: str) -> None:
    """Raise for a file of a known, unsupported format."""
    start = _start(file, 64).removeprefix(b"\xef\xbb\xbf")
    kinds = [kind for pattern, kind in NOT_READ if re.match(pattern, start, re.IGNORECASE)]
    if start.startswith(ZIP):
        kinds = ["a zip archive, or an Excel file cut short"]
    if kinds:
        raise DataError(f"{where} is {kinds[0]}, which cannot be read here; save it as {READ} (.xlsx)")


def _start(file: BinaryIO, size: int) -> bytes:
    start = file.read(size)
    file.seek(0)
    return start
