"""The paper's tables beside ours, and the reproduction as a Markdown document."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pandas as pd

from xcompare.results.export import frame_pipes
from xcompare.results.wording import DASH
from xcompare.studies.reproduction.protocol import ONE_DRAW

if TYPE_CHECKING:
    from xcompare.studies.reproduction import Reproduction

TITLE = "Reproduction of arXiv:2603.19840"
OUTSIDE = "*"  # marks a difference beyond the tolerance

RULE = (
    "A cell is within tolerance if |ours - paper| <= max(0.05, 2 sd), with sd the published standard"
    f" deviation. Larger differences are marked with {OUTSIDE}."
)
BY_GROUP = (
    "the paper uses one draw, which is not published. Features of a group have the same distribution, so"
    " cells are compared by the mean of their group, ours averaged over draws; all cells of a group share"
    " its verdict. Numbers that depend on that draw cannot be reproduced: the last column of the summary"
    " counts the cells whose published number is within two standard deviations over our draws."
)


def lay_out(cells: pd.DataFrame) -> pd.DataFrame:
    """One table of the paper, three lines per row: published, ours, difference.

    ``cells``: of one dataset and one table. Returns rows: method (with the subspace size) and line. Columns:
    features or groups of features; for partitions, measure and subspace size.
    """
    lines: dict[tuple[str, str], dict[str, str]] = {}
    several = cells["engine"].nunique() > 1
    for cell in cells.to_dict(orient="records"):
        size = "" if pd.isna(cell["m"]) else f" (m={cell['m']})"
        if cell["table"] == "importance":
            name, at = cell["method"] + size, cell["feature"] if pd.isna(cell["group"]) else cell["group"]
        else:
            name, at = cell["method"], cell["metric"] + size
        engine = f" ({cell['engine']})" if several else ""
        difference = cell["difference"]
        # The sd of a group is the mean sd of its features, as in its tolerance.
        lines.setdefault((name, "paper"), {})[at] = _pair(cell["published"], cell["published_sd"])
        lines.setdefault((name, f"ours{engine}"), {})[at] = _pair(cell["ours"], cell["ours_sd"])
        mark = "" if cell["within"] else OUTSIDE
        text = DASH if pd.isna(difference) else f"{difference:+.2f}".replace("-0.00", "+0.00")
        lines.setdefault((name, f"difference{engine}"), {})[at] = text + mark
    frame = pd.DataFrame.from_dict(lines, orient="index").rename_axis(["row", "line"])
    return frame[list(dict.fromkeys(at for line in lines.values() for at in line))].fillna(DASH)


def document(found: "Reproduction", figures: Mapping[str, str]) -> str:
    """The reproduction as Markdown: summary, tables, figures.

    ``figures``: file of each figure by its caption.
    """
    software = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    parts = [
        f"# {TITLE}",
        f"{found.protocol} {datetime.now(UTC):%Y-%m-%d}; {software}.",
        RULE,
        frame_pipes(summary_texts(found.summary), _cell),
    ]
    if any(dataset in ONE_DRAW for dataset in found.datasets):
        parts.append(f"For {', '.join(ONE_DRAW)} {BY_GROUP}")
    for (dataset, table), frame in found.tables.items():
        parts += [f"## {dataset}: {table}", frame_pipes(frame.reset_index(), _cell)]
    for caption, file in figures.items():
        parts += [f"## {caption}", f"![{caption}]({file})"]
    return "\n\n".join(parts) + "\n"


def summary_texts(summary: pd.DataFrame) -> pd.DataFrame:
    """The summary, formatted."""
    frame = summary.reset_index()
    printed = pd.DataFrame(
        {
            "dataset": frame["dataset"],
            "table": frame["table"],
            "engine": frame["engine"],
            "cells": frame["cells"].astype(str),
            "within": frame["within"].map("{:.1%}".format),
            "largest difference": frame["largest_difference"].map("{:.2f}".format)
            + ": "
            + frame["worst_cell"],
            "Spearman, mean (min)": [
                DASH if pd.isna(mean) else f"{mean:.2f} ({least:.2f})"
                for mean, least in zip(frame["spearman"], frame["spearman_min"], strict=True)
            ],
            "within spread of draws": frame["within_draws"].map("{:.1%}".format),
        }
    )
    return printed.drop(columns="engine") if frame["engine"].nunique() == 1 else printed


def _cell(text: str) -> str:
    """Escaped; a difference beyond the tolerance is bold."""
    safe = text.replace("|", r"\|")
    return f"**{safe.removesuffix(OUTSIDE)}** \\{OUTSIDE}" if safe.endswith(OUTSIDE) else safe


def _pair(mean: float, sd: float) -> str:
    return DASH if pd.isna(mean) else f"{mean:.2f} ± {sd:.2f}"
