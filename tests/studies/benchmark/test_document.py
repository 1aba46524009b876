"""The page of the documentation and the LaTeX table: what they say, from given results."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from xcompare.results.recommendation import DESCRIPTION
from xcompare.studies.benchmark.collect import ANSWER_COLUMNS, COLUMNS, MEASURES
from xcompare.studies.benchmark.document import document
from xcompare.studies.benchmark.leaderboard import Leaderboard
from xcompare.studies.benchmark.protocol import FULL
from xcompare.studies.benchmark.published_results import SOURCES, bibtex
from xcompare.studies.benchmark.scenarios import SCENARIOS
from xcompare.version import __version__

CHOSEN = [
    "shared", "lone", "copies", "moons", "rings", "iris", "wine", "nothing_gaussian", "loco_gaussian_1000",
    "loco_moons_1000", "loco_gamma_1000", "sparse_kmeans_200", "clustvarsel",
]  # fmt: skip
AUC = {"truth": 1.0, "refined": 0.95, "pbfi": 0.9, "ls": 0.75, "random": 0.5}


@pytest.fixture(scope="module")
def board():
    rng = np.random.default_rng(0)
    full = [name for name in CHOSEN if not SCENARIOS[name].empty]
    runs = [
        dict.fromkeys(MEASURES, auc + (method != "truth") * 0.01 * rng.normal())
        | {"scenario": name, "tier": SCENARIOS[name].tier, "draw": draw, "method": method, "data": "0",
           "engine": "python", "n_features": 10, "n_relevant": 3, "status": "ok", "message": "",
           "seconds": np.nan if method == "truth" else auc, "memory": np.nan, "selected": ("x1",)}
        for name in full for draw in range(5) for method, auc in AUC.items()
    ]  # fmt: skip
    scores = pd.DataFrame(runs, columns=COLUMNS)
    failed = (scores["method"] == "ls") & scores["scenario"].isin(["rings", "wine"])
    scores.loc[failed, [*MEASURES, "seconds"]] = np.nan
    scores.loc[failed, "status"] = "failed"
    scores.loc[failed, "message"] = "no " + scores.loc[failed, "scenario"]
    answers = pd.DataFrame(
        [
            (name, SCENARIOS[name].empty, 0, "no evidence" if SCENARIOS[name].empty else "found", 0.1, 1.0,
             float(name != "rings"), 1.0, 1.0)
            for name in CHOSEN
        ],
        columns=ANSWER_COLUMNS,
    )  # fmt: skip
    described = pd.DataFrame(1.0, index=pd.Index(CHOSEN, name="scenario"), columns=DESCRIPTION)
    return Leaderboard(FULL, 0, scores, answers, described, {}, {"xcompare": "1"})


def test_memory_is_the_median_of_the_draws_in_the_largest_scenario(board):
    scores = board.scores.assign(memory=1.0)
    scores.loc[scores["scenario"] == "iris", "memory"] = 50.0
    scores.loc[(scores["scenario"] == "wine") & (scores["draw"] == 0), "memory"] = 900.0
    assert replace(board, scores=scores).table["memory"].tolist() == [50.0] * 5


def test_recall_and_precision_are_those_of_the_draws_where_clusters_are_found(board):
    rows = [
        ("shared", False, draw, outcome, 0.1, 1.0, 1.0, share, share)
        for draw, (outcome, share) in enumerate([("found", 0.5), ("found", 1.0), ("cannot tell", 0.0)])
    ]
    shares = replace(board, answers=pd.DataFrame(rows, columns=ANSWER_COLUMNS)).answer_shares
    for name in ("shared", "all with clusters"):
        assert shares.loc[name, ["draws", "recall", "precision"]].tolist() == [3, 0.75, 0.75]
        assert shares.loc[name, "found"] == pytest.approx(2 / 3)


@pytest.fixture(scope="module")
def page(board):
    return document(board, "xcompare bench", "leaderboard", ["scenarios", "cost"])


def section(page, title):
    """Text below a title, up to the next."""
    return page.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def rows(text):
    """Cells of a Markdown table in a text, without its two lines of head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_page_starts_with_what_was_found_and_what_it_assumes(page):
    start = page.index("**Over 12 scenarios refined finds the relevant features best: its mean AUC, 0.9")
    places = [start] + [
        page.index(text)
        for text in (
            "Every method is given the true number of clusters",
            "refined was developed on 7 of these scenarios, with other draws; 5 took no part in it",
            "| method | rank | auc | development | judgement |",
            "![Mean AUC, seconds a run",
            "## First places",
            "## Beside published results",
            "## Where each method fails",
            "## How often the answer is right",
            "## Scenarios",
            "## Failed and skipped runs",
            "## Reproduce this page",
        )
    ]
    assert places == sorted(places)


def test_every_column_of_the_table_is_explained(page):
    head = next(line for line in page.splitlines() if line.startswith("| method | rank"))
    names = [name.strip().replace("\\", "") for name in head.strip("|").split("|")][1:]
    assert re.findall(r"^- `(\w+)`:", page, re.MULTILINE) == names


def test_methods_that_tie_share_their_mean_rank(board):
    aucs = {"truth": 1.0, "refined": 0.9, "pbfi": 0.9, "ls": 0.7, "random": 0.2}
    tied = replace(board, scores=board.scores.assign(auc=board.scores["method"].map(aucs)))
    assert tied.ranks.to_dict() == {"refined": 1.5, "pbfi": 1.5, "ls": 3, "random": 4}


def test_of_the_scenarios_on_which_a_method_fails_five_are_named(page):
    lines = rows(section(page, "Where each method fails"))
    found = {name: (int(n), worst.count("(")) for name, n, worst in lines}
    assert found == {"refined": (0, 0), "pbfi": (0, 0), "ls": (2, 2), "random": (12, 5)}


def test_families_have_their_first_places_with_intervals(page):
    found = {cells[0]: cells for cells in rows(section(page, "First places"))}
    assert list(found) == [
        "all scenarios", "simulated", "real data", "cluster\\_loco", "sparse\\_kmeans", "clustvarsel",
    ]  # fmt: skip
    assert found["all scenarios"][1:5] == ["12", "refined", found["all scenarios"][3], "pbfi"]
    assert re.fullmatch(r"0\.0\d\d \(0\.\d{3} to 0\.\d{3}\)", found["all scenarios"][5])
    assert {cells[6] for cells in found.values()} == {"scenarios", "draws"}
    assert {cells[7] for cells in found.values()} == {"none"}


def test_published_results_stand_in_brackets(page):
    text = section(page, "Beside published results")
    head = next(line for line in text.splitlines() if line.startswith("| scenario"))
    names = [name.strip() for name in head.strip("|").split("|")]
    assert names[:3] == ["scenario", "measure", "refined"]
    assert names[-1] == "best here"
    found = {cells[0].replace("\\", ""): dict(zip(names, cells, strict=True)) for cells in rows(text)}
    assert list(found) == ["loco_gaussian_1000", "loco_moons_1000", "loco_gamma_1000", "clustvarsel"]
    line = found["loco_gaussian_1000"]
    assert line["refined"].startswith("0.9")
    assert re.fullmatch(r"0\.\d\d \(1\.00\)", line["pbfi"])
    assert line["rampart"] == "– (0.92)"
    assert line["best here"].startswith("refined: 0.9")
    assert found["clustvarsel"]["clustvarsel"] == "– (1.00)"
    assert found["clustvarsel"]["rampart"] == "–"


def test_answers_that_are_right_in_every_draw_are_only_counted(page):
    names = [cells[0] for cells in rows(section(page, "How often the answer is right"))]
    assert names == ["all with clusters", "all without clusters", "rings"]


def test_definitions_of_relevant_features_stand_once(page):
    text = section(page, "Scenarios")
    assert text.count("The clusters have different means in it; noise is independent") == 1
    assert "For judgement: `cluster_loco`, `sparse_kmeans`, `clustvarsel`;" in text
    assert {cells[0]: cells[-1] for cells in rows(text)}["shared"] == "a"


def test_failures_are_counted_by_method_with_their_first_message(page):
    assert rows(section(page, "Failed and skipped runs")) == [
        ["ls", "failed", "10", "rings, wine", "no rings"]
    ]


def test_the_best_of_each_column_is_bold_in_latex(board, tmp_path):
    board.to_latex(tmp_path / "table.tex")
    lines = (tmp_path / "table.tex").read_text().splitlines()
    head = next(line for line in lines if line.startswith("Method &"))
    assert head == (
        r"Method & Rank & AUC & AUC 1 & AUC 2 & AUC 3 & Precision & ARI & Stability & Time (s) & Failed \\"
    )  # without memory, which was not measured
    cells = {
        line.split(" & ")[0]: line.removesuffix(r" \\").split(" & ")[1:]
        for line in lines
        if line.startswith(("truth", "refined", "random"))
    }
    assert "textbf" not in "".join(cells["truth"])
    assert [cell.startswith(r"\textbf{") for cell in cells["refined"]] == [True] * 8 + [False] * 2
    assert cells["random"][8:] == [r"\textbf{0.5}", "0"]  # the fastest


def test_what_to_cite_has_the_version_and_the_sources_of_the_tests(board, tmp_path):
    board.to_bibtex(tmp_path / "citation.bib")
    text = (tmp_path / "citation.bib").read_text()
    assert re.findall(r"^@\w+\{(\w+),", text, re.MULTILINE) == [
        "xcompare_benchmark", "he2026", "witten2010", "scrucca2018",
    ]  # fmt: skip
    assert f"version = {{{__version__}}}" in text
    assert "note = {Benchmark: tiers 1, 2, 3; 12 scenarios; seed 0}" in text
    cited = " ".join(bibtex(SCENARIOS, 0).split())
    for work in (work for source in SOURCES.values() for work in source.works):
        assert f"doi = {{{work.doi}}}" in cited
    assert text.count("{") == text.count("}")
