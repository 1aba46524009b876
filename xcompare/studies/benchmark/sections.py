"""What the report and the page of the documentation say beside the leaderboard: titles, texts and tables."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from xcompare.inference.rankings import LEADER
from xcompare.results.wording import DASH
from xcompare.studies.benchmark.families import first_place_table
from xcompare.studies.benchmark.published_results import published_table, sources_of
from xcompare.studies.benchmark.scenarios import SCENARIOS

if TYPE_CHECKING:
    from xcompare.studies.benchmark.leaderboard import Leaderboard

TITLE = "Which methods find the relevant features?"
MEANING = {
    "rank": "average rank by AUC over the scenarios, 1 the best",
    "auc": "area under the ROC curve of the ranking, mean over scenarios; .5 is a random ranking",
    "auc_1": "the same for simulated data",
    "auc_2": "for real data with appended noise",
    "auc_3": "for tests that others designed",
    "development": "for scenarios on which `refined` was developed, with other draws",
    "judgement": "for scenarios that took no part in the development of `refined`",
    "min_auc": "smallest mean AUC of a scenario",
    "worst_scenario": "that scenario",
    "precision": "share of relevant features among the first k, where k is the number of relevant features",
    "false_positive_rate": "share of noise features ranked above the lowest-ranked relevant feature",
    "ari": "adjusted Rand index of K-means on the first k features with the true clusters",
    "own_ari": "adjusted Rand index of the method's own partition, if it finds one",
    "stability": "stability of the first k features over the draws: 1 for identical sets, 0 for random ones",
    "seconds": "median running time",
    "memory": "peak memory growth of a native run in MiB, median over draws, of the largest scenario",
    "n_failed": "runs that failed, exceeded the time limit or were skipped; they count as random rankings",
}
FIRST_PLACES = (
    "The method with the largest mean AUC of each family of scenarios, and its difference from the next. It"
    " is told apart from another if the interval of their paired differences is above 0 (Student's, 95% for"
    " all others of the family together): over the scenarios of a family of at least 5, for new scenarios of"
    " its kind; else over the draws, for new draws of the same scenarios; with fewer than 5 draws there is no"
    " interval."
)
PUBLISHED = (
    "Measured here, and in brackets what the authors of the test report for the method of that name."
    " precision is that of the first k (hits), where k is the number of relevant features."
)
FAILS = (
    "A method fails on a scenario if its mean AUC is below .7 and at least .05 below the best. A single"
    " bimodal feature and a random binary column cannot be distinguished without an assumption: a method that"
    " does well on `lone` and `binary_noise` assumes that discrete values are not clusters. On real data the"
    " relevant features are defined by labels, which clusters need not follow."
)
ANSWERS = (
    "The answer is evaluated on every draw: whether clusters are found, and whether the first feature and"
    " all features named are relevant. Recall and precision refer to the features that differ between the"
    " clusters, if clusters are found. Without clusters, at most 5% of the draws should be found. Listed are"
    " the scenarios where it is not right in every draw."
)
MOST_LOST = 5  # scenarios named on which a method fails


class LeaderboardPart(NamedTuple):
    """A section with a text and a table; its key is the HTML anchor."""

    key: str
    title: str
    text: str
    table: pd.DataFrame


def parts(found: "Leaderboard") -> list[LeaderboardPart]:
    """The sections that have something to say."""
    published = published_table(found.scores, LEADER) if len(found.published) else found.published
    every = [
        LeaderboardPart("first", "First places", FIRST_PLACES, first_place_table(found.first_places)),
        LeaderboardPart("published", "Beside published results", PUBLISHED, published),
        LeaderboardPart("fails", "Where each method fails", FAILS, _lost(found)),
        LeaderboardPart("answers", "How often the answer is right", ANSWERS, _answers(found)),
        _scenarios(found),
        LeaderboardPart("sources", "Sources of tier 3", "", sources_of(found.scores["scenario"].unique())),
        LeaderboardPart("failures", "Failed and skipped runs", "With the first message.", _failures(found)),
    ]
    return [part for part in every if len(part.table)]


def _lost(found: "Leaderboard") -> pd.DataFrame:
    """How many scenarios each method fails on, and the worst of them."""
    rows = []
    for name in found.ranks.index if len(found.results) else ():
        lost = found.lost(name)
        worst = ", ".join(f"{scenario} ({value:.2f})" for scenario, value in lost.head(MOST_LOST).items())
        rows.append((name, len(lost), worst or DASH))
    columns = ["method", f"fails, of {len(found.results)}", f"worst {MOST_LOST} of them (AUC)"]
    return pd.DataFrame(rows, columns=columns)


def _answers(found: "Leaderboard") -> pd.DataFrame:
    """Shares over all scenarios, and of those where the answer is sometimes not right."""
    shares = found.answer_shares
    if shares.empty:
        return shares
    total = shares.index.str.startswith("all ")
    empty = np.array([name in SCENARIOS and SCENARIOS[name].empty for name in shares.index])
    right = np.where(empty, shares["found"] == 0, (shares["found"] == 1) & (shares["all_named"] == 1))
    return pd.concat([shares[total], shares[~right & ~total]]).reset_index()


def _scenarios(found: "Leaderboard") -> LeaderboardPart:
    """The data, with each definition of a relevant feature once, in the text."""
    runs = pd.concat([frame[["scenario", "draw"]] for frame in (found.scores, found.answers)])
    draws = runs.groupby("scenario")["draw"].nunique()
    chosen = [SCENARIOS[str(name)] for name in found.described.index]
    marks = {
        kind: chr(ord("a") + at) for at, kind in enumerate(dict.fromkeys(row.relevant for row in chosen))
    }
    sizes = found.described[["n_samples", "n_features"]].astype(int).itertuples(index=False)
    lines = [
        (row.name, row.tier, *size, int(draws.get(row.name, 0)), row.about, marks[row.relevant])
        for row, size in zip(chosen, sizes, strict=True)
    ]
    columns = ["scenario", "tier", "rows", "features", "draws", "about", "relevant"]
    text = "Tier 1 is simulated, tier 2 real data with appended noise, and tier 3 what others designed."
    judging = dict.fromkeys(f"`{row.family}`" for row in chosen if row.role == "judgement")
    if judging:
        text += (
            f" For judgement: {', '.join(judging)}; all others were in view while `{LEADER}` was developed."
        )
    text += " Column `relevant`: " + " ".join(f"({mark}) {kind}" for kind, mark in marks.items())
    return LeaderboardPart("about", "Scenarios", text, pd.DataFrame(lines, columns=columns))


def _failures(found: "Leaderboard") -> pd.DataFrame:
    """Runs without a result by method and status."""
    grouped = found.failures.groupby(["method", "status"], sort=False)
    return grouped.agg(
        runs=("runs", "sum"), scenarios=("scenarios", ", ".join), first_message=("message", "first")
    ).reset_index()
