"""Files to read, and how to ask why one is refused."""

import io

import pandas as pd
import pytest

from xcompare.core.errors import DataError
from xcompare.io.tables import read_table

LEFT_OUT = "the first column has no name: read as row names and left out"
NUMBERS = pd.DataFrame({"a": [1.5, 3], "b": [2, 4]})


def refusal(source, **options):
    with pytest.raises(DataError) as caught:
        read_table(source, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


def parquet(frame):
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()
