"""The benchmark as a page of the documentation, in Markdown, with its figures.

First what was found and what it assumes, one table and the figures; then the details.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from xcompare.core.escaping import for_markdown
from xcompare.core.writing import write_text
from xcompare.inference.rankings import LEADER
from xcompare.results.export import frame_pipes
from xcompare.results.plots.files import save_figures
from xcompare.results.report.page import cell
from xcompare.studies.benchmark.development import gap_sentences
from xcompare.studies.benchmark.exchange import write_results
from xcompare.studies.benchmark.sections import MEANING, TITLE, parts

if TYPE_CHECKING:
    from xcompare.studies.benchmark.leaderboard import Leaderboard

COLUMNS = [
    "rank", "auc", "development", "judgement", "min_auc", "worst_scenario", "precision", "ari", "stability",
    "seconds", "memory", "n_failed",
]  # fmt: skip
CAPTIONS = {
    "cost": "Mean AUC, seconds a run (median) and peak memory; a method without a point runs in R",
    "scenarios": "Mean AUC by method and scenario",
}
ASSUMED = (
    "Every method is given the true number of clusters, and a relevant feature is one in which the clusters"
    " differ. `refined` assumes that clusters have centers with gaps between them, and that neither discrete"
    " values nor variation common to many features are clusters by themselves:"
    " [where that is wrong](refined.md#assumptions-and-where-it-fails), it fails."
)


def write_document(found: "Leaderboard", path: str | PathLike[str], command: str) -> list[Path]:
    """Write the page, its figures and all results, in files whose names start with that of the page."""
    path = Path(path)
    drawn = found.figures()
    write_text(path, document(found, command, path.stem, list(drawn)))
    results = path.with_suffix(".parquet")
    write_results(found, results)
    named = {f"{path.stem}-{name}": drawing for name, drawing in drawn.items()}
    return [path, results, *save_figures(named, path.parent, ("png",))]


def document(found: "Leaderboard", command: str, stem: str, pictures: Sequence[str]) -> str:
    """The page as Markdown, with these figures."""
    shown = [name for name in COLUMNS if name in found.table]
    software = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    lines = [
        "# Leaderboard",
        TITLE,
        f"**{for_markdown(found.answer)}**",
        ASSUMED if LEADER in found.methods else "",
        " ".join(for_markdown(line) for line in gap_sentences(found.results, LEADER)),
        frame_pipes(found.printed()[["method", *shown]]),
        "\n".join(f"- `{name}`: {MEANING[name]}" for name in shown),
        *(f"![{caption}]({stem}-{name}.png)" for name, caption in CAPTIONS.items() if name in pictures),
        *(line for part in parts(found) for line in (f"## {part.title}", part.text, _pipes(part.table))),
        *(f"Not available: `{name}`: {why}" for name, why in found.left_out.items()),
        "## Reproduce this page",
        f"```sh\n{command}\n```",
        f"`make leaderboard`, {datetime.now(UTC):%Y-%m-%d}; {software}. {len(found.methods)} methods,"
        f" {len(found.results)} scenarios with clusters, up to {found.effort.n_draws} draws each;"
        f" {found.effort.n_empty_draws} draws of each scenario without clusters.",
        f"[{stem}.parquet]({stem}.parquet) has the result of every run, to put beside those of"
        " [your own method](benchmark-your-method.md) without running these again.",
    ]
    return "\n\n".join(line for line in lines if line) + "\n"


def _pipes(frame: pd.DataFrame) -> str:
    """A table with two decimals, and a dash for missing values."""
    return frame_pipes(frame.map(lambda value: cell(value).text))
