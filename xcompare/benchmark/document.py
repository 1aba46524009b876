"""The benchmark as a page of the documentation, in Markdown, with its pictures beside it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from xcompare.benchmark import ranking
from xcompare.benchmark.page import ANSWER_RULE, MEANING
from xcompare.escaping import for_markdown
from xcompare.plots.files import save_figures
from xcompare.plots.style import DASH
from xcompare.writing import write_text

if TYPE_CHECKING:
    from xcompare.benchmark.leaderboard import Leaderboard

OWN = "bagging"  # the family this package is about, which is read most strictly
SHOWN = ["rank", "auc", "auc_1", "auc_2", "lowest", "at", "precision", "noise_above", "ari", "own_ari",
         "stability", "seconds", "memory",
         "no_result"]  # fmt: skip
CAPTIONS = {
    "scenarios": "Method by scenario",
    "ranks": "Average ranks; bars join methods that cannot be told apart",
    "time": "Accuracy against time",
}


def write_document(found: "Leaderboard", path: str | PathLike[str], command: str) -> list[Path]:
    """Write the page and its pictures, which take the name of the page before their own."""
    path = Path(path)
    drawn = found.figures()
    write_text(path, document(found, command, path.stem, list(drawn)))
    named = {f"{path.stem}-{name}": drawing for name, drawing in drawn.items()}
    return [path, *save_figures(named, path.parent, ("png",))]


def document(found: "Leaderboard", command: str, stem: str, pictures: Sequence[str]) -> str:
    """The page as Markdown, with these pictures of the leaderboard."""
    software = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    parts = [
        "# Leaderboard",
        "Which methods find the features that the clusters differ in? Every method is given data in which"
        " that is known, and the true number of clusters. A command makes this page: nothing in it is"
        " written by hand.",
        f"```sh\n{command}\n```",
        f"`make leaderboard`, {datetime.now(UTC):%Y-%m-%d}; {software}."
        f" {len(found.methods)} methods, {len(found.results)}"
        f" scenarios with clusters, up to {found.effort.n_draws} draws"
        f" each; {found.effort.n_empty_draws} draws of each scenario without.",
        f"**{for_markdown(found.answer)}**",
        _pipes(found.printed()[["method", *SHOWN]]),
        "\n".join(f"- `{name}`: {what}" for name, what in MEANING.items()),
        "## How to read it",
        *_reading(found),
        *(f"![{CAPTIONS[name]}]({stem}-{name}.png)" for name in CAPTIONS if name in pictures),
        "## Who is better, statistically",
        *_statistics(found),
        *_answers(found),
        "## What the scenarios are",
        _pipes(found.about),
        *(f"Left out here: `{name}`: {why}" for name, why in found.left_out.items()),
    ]
    if not found.failures.empty:
        parts += ["## What has no result, and why", _pipes(found.failures)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _reading(found: "Leaderboard") -> list[str]:
    """What the table says against each, the package's own methods first."""
    own = found.family(OWN)
    said = []
    if own and not found.results.empty:
        lost = found.lost(own)
        names = ", ".join(f"`{name}`" for name in own)
        if len(lost):
            where = ", ".join(f"`{name}` ({value:.2f})" for name, value in lost.items())
            said.append(
                f"**Where bagging loses** (the best of {names} below .7, another method well above): {where}."
            )
        else:
            said.append(f"The best of {names} is nowhere below .7 where another method is well above.")
    lines = []
    for name in found.ranks.index:
        lost = found.lost([name])
        where = ", ".join(f"{scenario} ({value:.2f})" for scenario, value in lost.items())
        lines.append(
            f"- `{name}` loses {len(lost)} of {len(found.results)}" + (f": {where}" if where else "") + "."
        )
    said.append("\n".join(lines))
    said.append(
        "A method loses a scenario if its mean AUC is below .7 and at least .05 below the best. A feature"
        " with two groups of its own and a random binary column look alike to any method that sees values"
        " only: winning both `lone` and `binary_noise` takes an assumption, that few values are no clusters"
        " or that lone features are. Measured data are judged by"
        " labels, and clusters need not follow them."
    )
    return said


def _statistics(found: "Leaderboard") -> list[str]:
    test, difference = found.friedman, found.critical_difference
    if test is None or difference is None:
        return ["Too few methods or scenarios."]
    said = [
        f"Friedman's test that all are alike: chi-square {test.chi_square:.1f}, p = {test.p_value:.2g}."
        f" Critical difference of average ranks (Nemenyi, .05): {difference:.2f}."
    ]
    best = found.against_best
    if best is None:
        return [*said, f"Tests of pairs need scikit-posthocs and baycomp: `{ranking.EXTRA}`."]
    return [
        *said,
        "The first against each other one: probability that it is better, equal (mean AUCs within"
        f" {ranking.ROPE}) or worse by the Bayesian signed rank test, and Wilcoxon's p-value after Holm.",
        _pipes(_texts(best, 3)),
    ]


def _answers(found: "Leaderboard") -> list[str]:
    if found.answers.empty:
        return []
    return [
        "## How often the answer is right",
        ANSWER_RULE,
        _pipes(_texts(found.answer_shares.reset_index(), 2)),
    ]


def _texts(frame: pd.DataFrame, digits: int) -> pd.DataFrame:
    """Numbers rounded, a dash where there is none."""
    return frame.map(lambda v: v if not isinstance(v, float) else DASH if pd.isna(v) else f"{v:.{digits}f}")


def _pipes(frame: pd.DataFrame) -> str:
    """A frame as a Markdown table."""
    lines = [list(frame.columns), ["---"] * frame.shape[1], *frame.to_numpy().tolist()]
    cells = [[str(cell) if cell == "---" else for_markdown(str(cell)) for cell in line] for line in lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in cells)
