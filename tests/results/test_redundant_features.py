"""Notes on redundant features: who says what they count for together."""

import pandas as pd

from xcompare.results.redundant_features import redundancy_notes


def test_the_engine_is_named_where_both_ran():
    index = pd.MultiIndex.from_tuples([("efron", "python"), ("efron", "r")], names=["method", "engine"])
    importances = pd.DataFrame({"a + b": [0.5, 0.6]}, index)
    [note] = redundancy_notes((("a", "b"),), importances)
    assert note.startswith("a and b are redundant (together 0.50 by efron (python)) and count")
    assert "spread" not in note  # the command line has no such option
