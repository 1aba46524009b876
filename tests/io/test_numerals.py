"""Numbers as people write them."""

import numpy as np
import pytest

from xcompare.io.tables import read_table


@pytest.mark.parametrize(
    ("content", "values", "notes"),
    [
        ("a,b\n1,2\n-,3\n4,5\n", [1, np.nan, 4], ("a: '-' read as missing",)),
        (
            "a,b\n1,2\n.,3\n--,5\n",
            [1, np.nan, np.nan],
            ("a: '.' read as missing", "a: '--' read as missing"),
        ),
        ('a,b\n"80,554",2\n950,3\n', [80554, 950], ("a: 80,554 read as 80554",)),
        ('a,b\n"1,080,554.5",2\n950,3\n', [1080554.5, 950], ()),
        ('a,b\n"1,5",2\n950,3\n', [1.5, 950], ()),
        ("a;b\n80,554;2\n950;3\n", [80.554, 950], ("a: 80,554 read as 80.554",)),
        ("a;b\n80,554;2\n1,080,554;3\n", [80554, 1080554], ()),
        ("a,b\n98.4%,2\n7 %,3\n", [98.4, 7], ("a: percent signs left out",)),
        ("a;b\n98,4%;2\n7%;3\n", [98.4, 7], ("a: percent signs left out",)),
    ],
)
def test_numbers_as_people_write_them(write, content, values, notes):
    gaps = "median" if np.isnan(values).any() else None
    table = read_table(write(content), missing=gaps)
    found = table.X["a"].to_numpy()
    known = ~np.isnan(values)
    np.testing.assert_array_equal(found[known], np.array(values)[known])
    assert table.notes[: len(notes)] == notes
