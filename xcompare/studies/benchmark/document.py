"""The benchmark as a page of the documentation, in Markdown, with its figures.

First what was found and what it assumes, one table and the figures; then the details.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from xcompare.core.escaping import for_markdown
from xcompare.core.writing import write_text
from xcompare.inference.rankings import LEADER
from xcompare.results.export import frame_pipes
from xcompare.results.plots.files import save_figures
from xcompare.results.wording import DASH
from xcompare.studies.benchmark import ranking
from xcompare.studies.benchmark.development import gap_sentences
from xcompare.studies.benchmark.exchange import write_results
from xcompare.studies.benchmark.families import first_place_table
from xcompare.studies.benchmark.page import ANSWER_RULE, FIRST_PLACES, MEANING, PUBLISHED
from xcompare.studies.benchmark.published_results import published_table
from xcompare.studies.benchmark.scenarios import SCENARIOS

if TYPE_CHECKING:
    from xcompare.studies.benchmark.leaderboard import Leaderboard

COLUMNS = [
    "method", "rank", "auc", "development", "judgement", "min_auc", "worst_scenario", "precision", "ari",
    "stability", "seconds", "memory", "n_failed",
]  # fmt: skip
MOST_LOST = 5  # scenarios named on which a method fails
CLEAR = 0.99  # probability above which a method is better than another beyond doubt
CAPTIONS = {
    "cost": "Mean AUC, seconds a run (median) and peak memory; a method without a point runs in R",
    "scenarios": "Mean AUC by method and scenario",
    "ranks": "Average ranks; bars connect methods that do not differ significantly",
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
    parts = [
        "# Leaderboard",
        "Which methods find the relevant features?",
        f"**{for_markdown(found.answer)}**",
        *_assumed(found),
        " ".join(for_markdown(line) for line in gap_sentences(found.results, LEADER)),
        _table(found),
        *_meaning(found),
        *(f"![{CAPTIONS[name]}]({stem}-{name}.png)" for name in CAPTIONS if name in pictures),
        *_first_places(found),
        *_published(found),
        *_lost(found),
        *_statistics(found),
        *_answers(found),
        *_scenarios(found),
        *_failures(found),
        *_repeat(found, command, stem),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _assumed(found: "Leaderboard") -> list[str]:
    return [ASSUMED] if LEADER in found.methods else []


def _table(found: "Leaderboard") -> str:
    shown = found.printed()
    return frame_pipes(shown[[name for name in COLUMNS if name in shown]])


def _meaning(found: "Leaderboard") -> list[str]:
    shown = found.table.columns
    return ["\n".join(f"- `{name}`: {MEANING[name]}" for name in COLUMNS if name in shown)]


def _first_places(found: "Leaderboard") -> list[str]:
    if found.first_places.empty:
        return []
    return ["## First places", FIRST_PLACES, frame_pipes(first_place_table(found.first_places))]


def _published(found: "Leaderboard") -> list[str]:
    if found.published.empty:
        return []
    return ["## Beside published results", PUBLISHED, frame_pipes(published_table(found.scores, LEADER))]


def _lost(found: "Leaderboard") -> list[str]:
    """Scenarios on which each method fails: how many, and the worst."""
    if found.results.empty:
        return []
    rows = []
    for name in found.ranks.index:
        lost = found.lost(name)
        worst = ", ".join(f"{scenario} ({value:.2f})" for scenario, value in lost.head(MOST_LOST).items())
        rows.append((name, len(lost), worst or DASH))
    columns = ["method", f"fails, of {len(found.results)}", f"worst {MOST_LOST} of them (AUC)"]
    return [
        "## Where each method fails",
        "A method fails on a scenario if its mean AUC is below .7 and at least .05 below the best.",
        frame_pipes(pd.DataFrame(rows, columns=columns)),
        "A single bimodal feature and a random binary column cannot be distinguished without an assumption: a"
        " method that does well on `lone` and `binary_noise` assumes that discrete values are not clusters."
        " On real data the relevant features are defined by labels, which clusters need not follow.",
    ]


def _statistics(found: "Leaderboard") -> list[str]:
    test, difference = found.friedman, found.critical_difference
    if test is None or difference is None:
        return []
    said = [
        "## Tests of ranks",
        f"Friedman's test of equal methods: chi-square {test.chi_square:.1f}, p = {test.p_value:.2g}."
        f" Critical difference of average ranks (Nemenyi, .05): {difference:.2f}.",
    ]
    best = found.against_best
    if best is None:
        return [*said, f"Tests of pairs need scikit-posthocs and baycomp: `{ranking.EXTRA}`."]
    close = best[best["p_better"] <= CLEAR]
    clear = len(best) - len(close)
    return [
        *said,
        f"`{best['method'].iloc[0]}`, first by average rank, against every other: probability that it is"
        f" better, equal (mean AUCs within {ranking.ROPE}) or worse by the Bayesian signed rank test, and"
        " Wilcoxon's p-value after Holm."
        + (f" Left out are {clear} methods with `p_better` above {CLEAR}." if clear else ""),
        frame_pipes(_texts(close.drop(columns="method"), 3)) if len(close) else "",
    ]


def _answers(found: "Leaderboard") -> list[str]:
    """How often the answer is right: totals, and scenarios where it sometimes is not."""
    shares = found.answer_shares
    if shares.empty:
        return []
    total = shares.index.str.startswith("all ")
    empty = np.array([name in SCENARIOS and SCENARIOS[name].empty for name in shares.index])
    right = np.where(empty, shares["found"] == 0, (shares["found"] == 1) & (shares["all_named"] == 1))
    shown = pd.concat([shares[total], shares[~right & ~total]])
    return [
        "## How often the answer is right",
        f"{ANSWER_RULE} Listed are the scenarios where it is not right in every draw.",
        frame_pipes(_texts(shown.reset_index(), 2)),
    ]


def _scenarios(found: "Leaderboard") -> list[str]:
    """The data by tier, with the definitions of a relevant feature once."""
    about = found.about
    kinds = about["a feature is relevant"]
    marks = {kind: chr(ord("a") + at) for at, kind in enumerate(dict.fromkeys(kinds))}
    listed = about.drop(columns="a feature is relevant").assign(relevant=kinds.map(marks))
    judging = dict.fromkeys(SCENARIOS[name].family for name in about["scenario"]
                            if SCENARIOS[name].role == "judgement")  # fmt: skip
    unseen = ", ".join(f"`{family}`" for family in judging)
    return [
        "## Scenarios",
        "Tier 1 is simulated, tier 2 real data with appended noise, and tier 3 what others designed."
        + (
            f" For judgement: {unseen}; all others were in view while `{LEADER}` was developed."
            if unseen
            else ""
        )
        + " Column `relevant`: "
        + " ".join(f"({mark}) {for_markdown(kind)}" for kind, mark in marks.items()),
        frame_pipes(found.sources) if len(found.sources) else "",
        frame_pipes(listed),
        *(f"Not available: `{name}`: {why}" for name, why in found.left_out.items()),
    ]


def _failures(found: "Leaderboard") -> list[str]:
    """Runs without a result by method and status, with the first message."""
    failed = found.failures
    if failed.empty:
        return []
    grouped = failed.groupby(["method", "status"], sort=False)
    table = grouped.agg(
        runs=("runs", "sum"), scenarios=("scenarios", ", ".join), first_message=("message", "first")
    )
    return ["## Failed and skipped runs", frame_pipes(table.reset_index())]


def _repeat(found: "Leaderboard", command: str, stem: str) -> list[str]:
    software = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    return [
        "## Reproduce this page",
        f"```sh\n{command}\n```",
        f"`make leaderboard`, {datetime.now(UTC):%Y-%m-%d}; {software}. {len(found.methods)} methods,"
        f" {len(found.results)} scenarios with clusters, up to {found.effort.n_draws} draws each;"
        f" {found.effort.n_empty_draws} draws of each scenario without clusters.",
        f"[{stem}.parquet]({stem}.parquet) has the result of every run, to put beside those of"
        " [your own method](benchmark-your-method.md) without running these again.",
    ]


def _texts(frame: pd.DataFrame, digits: int) -> pd.DataFrame:
    """Numbers rounded, with a dash for missing values."""
    return frame.map(lambda v: v if not isinstance(v, float) else DASH if pd.isna(v) else f"{v:.{digits}f}")
