"""Section on methods recommended by the benchmark for similar data."""

from typing import TYPE_CHECKING

import pandas as pd

from xcompare.results.recommendation import DESCRIPTION, nearest_scenarios
from xcompare.results.report.page import Section, Table, text

if TYPE_CHECKING:
    from xcompare.results.comparison import Comparison


def nearest_section(comparison: "Comparison") -> Section | None:
    """The nearest benchmark scenarios and the best methods there; None without the data."""
    hint = None if comparison.X is None else nearest_scenarios(comparison.X)
    if hint is None:
        return None
    shown = hint.scenarios[[*DESCRIPTION, *hint.methods.index[:5]]].rename_axis("scenario")
    here = pd.DataFrame([hint.description], [comparison.name])
    table = pd.concat([here, shown]).rename_axis("data").reset_index()
    table = table.astype({"n_samples": int, "n_features": int})
    caption = "These data, the nearest scenarios, and the mean AUC of the best methods there."
    return Section(
        "benchmark", "Which method for data like these?", (text(str(hint)), Table.of(table, caption))
    )
