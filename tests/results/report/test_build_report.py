"""The report as text: everything the reader is promised, from any kind of result."""

import base64
import hashlib
import re
from dataclasses import replace
from functools import partial
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba_array

import xcompare
from tests.results.report.broken_method import broken
from xcompare.core.errors import UnknownNameError
from xcompare.core.features import Feature
from xcompare.methods import METHODS
from xcompare.results.clustered_table import ClusteredTable
from xcompare.results.loading import load_run
from xcompare.results.plots.style import luminance
from xcompare.results.report import (
    Page,
    Section,
    Table,
    build_report,
    code,
    figure,
    render,
    text,
    write_report,
)
from xcompare.results.report.colors import shades
from xcompare.results.report.scores import agreement_section
from xcompare.results.report.summary import profiles_section
from xcompare.results.sweep import Sweep
from xcompare.results.table import TableRow

SECTIONS = [
    "significance", "bars", "redundancy", "agreement", "clusters", "profiles", "quality", "benchmark",
    "repeat",
]  # fmt: skip


class Outline(HTMLParser):
    """Sections in order, and every reference to something outside the page."""

    def __init__(self, page):
        super().__init__()
        self.sections, self.outside, self.ids, self.captions, self.tables = [], [], [], 0, 0
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "section":
            self.sections.append(attributes["id"])
        self.tables += tag == "table"
        self.captions += tag == "caption"
        if "id" in attributes:
            self.ids.append(attributes["id"])
        for name in ("src", "href"):
            value = attributes.get(name, "#")
            if not value.startswith(("#", "data:")):
                self.outside.append(value)


def words(page):
    """What a reader reads, outside drawings, styles and scripts."""
    page = re.sub(r"<(svg|style|script)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return unescape(" ".join(re.sub(r"<[^>]*>", " ", page).split()))


@pytest.fixture(scope="module")
def page(wine):
    return build_report(wine, command="xcompare compare wine --runs 2", notes=["2 rows left out"])


def expected(found):
    """Sections of a comparison in which all went well; warnings have one of their own."""
    opening = [] if found.X is None else ["summary", "deviations", "careful", "methods"]
    effects = [] if found.X is None else ["effects", "pictures"]
    return [
        *opening,
        "scores",
        *effects,
        *SECTIONS[:-1],
        *([] if found.warnings.empty else ["failures"]),
        "repeat",
    ]


@pytest.mark.slow
def test_all_sections_in_order(page, wine):
    assert Outline(page).sections == expected(wine)


@pytest.fixture(scope="module")
def segments():
    """Three segments, one of them small, with a category and a value far from all others."""
    rng = np.random.default_rng(0)
    segment = np.repeat(["old", "new", "lost"], [60, 50, 12])
    spend = rng.normal(np.repeat([900, 300, 50], [60, 50, 12]), 40).round()
    spend[0] = 1e6
    frame = pd.DataFrame({"spend": spend, "visits": rng.poisson(np.repeat([4, 12, 1], [60, 50, 12]))})
    frame = frame.assign(noise=rng.normal(size=122), segment=segment)
    return xcompare.explain(
        frame, "segment", reference="old", names={"lost": "Lost <customers>"}, measures="kruskal,information",
        n_runs=1, n_bootstraps=2, n_jobs=1, progress=False, name="shop",
    )  # fmt: skip


def test_clusters_in_plain_words_before_the_methods(segments):
    page = build_report(segments)
    assert Outline(page).sections[:8] == [
        "summary", "deviations", "careful", "methods", "scores", "effects", "contrasts", "pictures",
    ]  # fmt: skip
    shown = words(page)
    medians = segments.effects.set_index(["cluster", "reference", "feature"]).loc["new", "rest", "spend"]
    here, there = f"{medians['median']:.0f}", f"{medians['reference_median']:.0f}"
    assert f"new 50 rows, 41% spend {here} against {there} elsewhere; visits " in shown
    assert "Lost <customers> 12 rows, 10%" in shown
    assert "Most similar to old, but " in shown
    assert "Fewer than 30 rows, so numbers are uncertain: Lost <customers> (12)." in shown
    assert "Outlying values distort the mean, so medians are given: spend." in shown
    assert "a test of their differences would reject even in noise. With validate=," in shown
    assert "Lost <customers> against old" in shown


def test_a_summary_to_send_on(segments, tmp_path):
    [report, *_] = segments.write(tmp_path, audience="summary")
    page = report.read_text(encoding="utf-8")
    assert Outline(page).sections == ["summary", "deviations", "careful", "methods"]
    assert "<script" not in page
    assert "<nav" not in page
    assert "new 50 rows, 41%" in words(page)
    with pytest.raises(UnknownNameError, match="audience must be one of summary, full; got 'boss'"):
        segments.write(tmp_path, audience="boss")


def test_a_page_without_an_opening_has_one_audience():
    page = Page("Title", "subject", "answer", None, (Section("one", "One", (text("hello"),)),))
    assert page.for_audience("summary") is page


@pytest.mark.slow
def test_first_words_are_the_answer_and_the_subject(page, wine):
    shown = words(page)
    assert wine.answer == (
        "Clusters found (p = .02). Flavanoids matters most; 13 of 13 features differ between the clusters."
        " 4 of 5 families of methods agree; weighted K-means ranks Malicacid, Proline and 3 more first."
    )
    start = shown.index(wine.answer)
    assert start < 250
    assert "5 methods in Python, 2 runs of each stochastic one; data: wine, 178 rows, 13 features" in shown
    assert "2 rows left out" in shown


def test_one_file_small_and_whole(page):
    outline = Outline(page)
    assert outline.outside == []
    assert "url(http" not in page
    assert "@import" not in page
    assert len(page.encode()) < 1_500_000
    assert outline.tables == outline.captions >= 6


def test_names_within_the_page_are_unique(page):
    ids = Outline(page).ids
    assert set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', page)) <= {(i, "") for i in ids} | {
        ("", i) for i in ids
    }
    own = [
        i for i in ids if not re.fullmatch(r"[mpc][0-9a-f]{6,}", i)
    ]  # matplotlib names shapes after what they are
    assert len(own) == len(set(own))


def test_heat_map_has_every_score(page, wine):
    titles = re.findall(r'<td class="s\d+" data-mean="([\d.]+)" data-rank="([^"]+)" data-sd="([\d.]+)"', page)
    order = list(wine.overall_ranks.index)
    shown = wine.flipped().table[order].T.to_numpy().ravel().round(2).tolist()
    assert [float(mean) for mean, _, _ in titles] == shown
    assert [rank for _, rank, _ in titles] == wine.ranks[order].T.to_numpy().ravel().tolist()


def test_clusters_in_words_and_numbers(page, wine):
    shown = words(page)
    profile = wine.profiles[wine.profiles["cluster"] == 1]
    strongest = profile.loc[profile["difference"].abs().idxmax()]
    direction = "high" if strongest["difference"] > 0 else "low"
    assert f"Cluster 1 ({strongest['size']} rows): {direction} {strongest['feature']}" in shown
    assert "Entropy of the standardised feature, in nats" in shown
    assert (
        f"this one is the medoid (mean variation of information {wine.consensus.distance:.2f} nats)" in shown
    )


def test_quality_failures_versions_and_the_way_to_repeat_it(page, wine):
    shown = words(page)
    assert "complete_linkage" in shown
    assert "xcompare compare wine --runs 2" in shown
    assert f"numpy {np.__version__}" in shown
    for unit in wine.plan.units():
        assert str(unit.seed) in shown
    for method in ("efron", "cubt"):
        assert METHODS[method].reference.split(",")[0] in shown


@pytest.fixture
def run_call_shown(monkeypatch):
    """What the call that a page shows gives, here in one process; the call itself."""

    def run(page):
        monkeypatch.setattr(xcompare, "compare", partial(xcompare.compare, n_jobs=1))
        [call] = re.findall(r"<code>(import xcompare.*?)</code>", page, flags=re.DOTALL)
        scope = {}
        exec(call.replace("&#39;", "'"), scope)
        return scope["found"], call

    return run


@pytest.mark.slow
def test_the_call_shown_gives_the_same_numbers(page, wine, run_call_shown):
    found, call = run_call_shown(page)
    assert "n_runs=2," in call
    pd.testing.assert_frame_equal(found.table, wine.table)


@pytest.mark.slow
def test_runs_as_needed_are_told_and_asked_for_again(run_call_shown):
    iris = xcompare.load_dataset("iris")
    asked = {"methods": "efron, fgkm, cubt", "n_jobs": 1, "progress": False}
    found = xcompare.compare(iris, **asked)
    page = build_report(found)
    assert "3 to 20 runs of each stochastic one" in words(page)
    again, call = run_call_shown(page)
    assert "n_runs=&#39;auto&#39;," in call
    assert again.plan == found.plan


@pytest.mark.slow
def test_from_a_store_it_is_the_same(iris_compared, iris_store, tmp_path):
    written = write_report(iris_compared, tmp_path / "report.html")
    assert written.read_text(encoding="utf-8") == build_report(load_run(iris_store))


@pytest.mark.slow
def test_without_the_data_it_says_what_is_left_out(iris_compared):
    page = build_report(replace(iris_compared, data=None))
    opening = ("summary", "deviations", "careful", "methods", "effects", "pictures")
    left_out = (*opening, "redundancy", "profiles", "benchmark")
    assert Outline(page).sections == [key for key in expected(iris_compared) if key not in left_out]
    assert words(page).count("Not available: the run store did not keep the data") == 1
    assert "150 rows" in words(page)


@pytest.mark.slow
def test_without_labels_and_partitions(iris_compared):
    shown = words(build_report(replace(iris_compared, info=replace(iris_compared.info, labels=None))))
    assert "Without reference labels, partitions are compared" in shown
    assert "Agreement with the consensus." in shown
    X = np.random.default_rng(0).normal(size=(40, 3))
    found = xcompare.compare(X, 2, methods="ls", n_jobs=1, progress=False)
    page = build_report(found)
    assert found.answer in words(page)
    assert Outline(page).sections == ["scores", "bars", "benchmark", "repeat"]


@pytest.mark.slow
def test_failures_are_told(monkeypatch):
    monkeypatch.setitem(METHODS, "broken", broken)
    iris = xcompare.load_dataset("iris")
    found = xcompare.compare(iris, methods="broken,ls,cubt", n_runs=2, n_jobs=1, progress=False)
    page = build_report(found)
    assert "RuntimeError: it &lt;never&gt; works" in page
    assert "Broken: no scores, see failures" in page
    assert "Failures and warnings" in words(page)
    alone = xcompare.compare(iris, methods="broken", n_runs=1, n_jobs=1, progress=False)
    assert "None of the methods could rank the features." in words(build_report(alone))


@pytest.mark.slow
@pytest.mark.r
def test_engines_are_compared():
    iris = xcompare.load_dataset("iris")
    found = xcompare.compare(iris, methods="cubt,ls", engine="both", n_runs=1, n_jobs=1, progress=False)
    shown = words(build_report(found))
    assert "2 methods in Python and R" in shown
    assert "Python against R: rank correlations" in shown
    assert "CUBT (R)" in shown


@pytest.fixture(scope="module")
def sweep_page(sweep):
    return build_report(sweep)


@pytest.mark.slow
def test_sweep(sweep, sweep_page):
    page = sweep_page
    sections = ["sweep", "agreement", "clusters", "profiles", "quality", "repeat"]
    assert Outline(page).sections == ["scores", *sections]
    shown = words(page)
    assert sweep.answer in shown
    assert "2 and 3 features drawn (m)" in shown
    assert "Efron, m=3" in shown
    assert "Rank correlation of the scores at m=2 with those at m=3: Basic" in shown


@pytest.mark.slow
def test_sweep_from_a_store(tmp_path):
    store = tmp_path / "run.sqlite"
    iris = xcompare.load_dataset("iris")
    options = {"n_runs": 1, "n_jobs": 1, "options": {"n_replicas": 5}, "store": store, "progress": False}
    found = xcompare.sweep(iris, max_features=[3, 2], methods="efron", **options)
    xcompare.sweep(iris, max_features=[1, 2], methods="basic", **options)
    runs = xcompare.list_runs(store)
    [efron] = runs.run[(runs.max_features == 3) & (runs.methods == "efron")]
    again = load_run(store, efron)
    assert isinstance(again, Sweep)
    assert list(again.comparisons) == [2, 3]
    pd.testing.assert_frame_equal(again.table, found.table.sort_index())
    assert list(load_run(store).comparisons) == [1, 2]


@pytest.mark.slow
def test_hostile_names_are_text(hostile):
    page = build_report(hostile, command="xcompare compare '<script>'", notes=["<script>"])
    assert page.count("<script>") == 1  # the page's own
    assert "<img" not in page
    assert "<b>iris" not in page
    assert "&lt;script&gt;window.hacked = 1&lt;/script&gt;" in page


@pytest.mark.slow
def test_labels_go_by_their_own_names(hostile):
    iris = xcompare.load_dataset("iris")
    species = np.array(["setosa", "versicolor", "virginica <i>"])[iris.labels]
    found = xcompare.compare(iris, y_true=species, methods="cubt", n_jobs=1, progress=False)
    page = build_report(found)
    [table] = re.findall(
        r"<table>\s*<caption>Rows by reference label and cluster.*?</table>", page, re.DOTALL
    )
    lines = [re.findall(r">([^<>]+)</(?:span|td)>", line) for line in re.findall(r"<tr>.*?</tr>", table)]
    assert lines[0] == ["Label", "Cluster 1", "Cluster 2", "Cluster 3"]
    counts = pd.crosstab(species, found.consensus.labels)
    assert {line[0].replace("&lt;", "<").replace("&gt;", ">"): line[1:] for line in lines[1:]} == {
        name: [str(n) for n in row] for name, row in zip(counts.index, counts.to_numpy(), strict=True)
    }
    assert "label versicolor" in words(page)


def test_scores_that_read_the_other_way_are_turned_round(page):
    assert "Flipped: LS, whose original scores are smaller for more important features" in words(page)
    assert "↓" not in page


@pytest.mark.slow
def test_nothing_stands_in_the_page_that_its_policy_does_not_name(page, sweep_page):
    for html in (page, sweep_page):
        [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
        assert policy.startswith("default-src &#39;none&#39;; ")
        for tag in ("style", "script"):
            [content] = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
            named = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            assert f"{tag}-src &#39;sha256-{named}&#39;" in policy
        assert "unsafe" not in policy
        assert not re.findall(r"<[^>]*\sstyle=", html)
        assert not re.findall(r"<[^>]*\son\w+=", re.sub(r'="[^"]*"', "", html))


def test_small_numbers_keep_their_digits():
    drawn = figure(lambda ax: (ax.plot([0, 0.0001, 0.0002]), ax.set_yticks([0.0001])), "t", "d")
    assert ">0.0001<" in drawn.svg


def test_a_drawing_that_fails_is_said_in_its_place():
    def draw(ax):
        raise ValueError("array must not contain <infs>")

    drawn = figure(draw, "t", "d")
    assert (
        drawn.svg == "<p>This figure could not be drawn: ValueError: array must not contain &lt;infs&gt;</p>"
    )


def test_a_category_of_many_levels_has_a_legend_of_the_most_frequent():
    codes = np.repeat([0, 1], 40)
    feature = Feature("town", "nominal", tuple(f"town {i}" for i in range(60)))
    x = np.append(np.zeros(20), np.arange(60.0))[:, None]
    table = ClusteredTable(x, (feature,), codes, ("a", "b"))
    drawn = str(profiles_section(table, ["town"]))
    assert "could not be drawn" not in drawn
    assert "48 rarer levels not named" in drawn
    assert "town 0" in drawn


@pytest.mark.slow
def test_many_features_and_clusters_are_cut_and_it_is_said():
    X = np.random.default_rng(0).normal(size=(60, 130))
    found = xcompare.compare(X, 8, methods="cubt,ls", n_jobs=1, progress=False)
    page = build_report(found)
    assert "The 100 most important of 130 features" in words(page)
    assert "The first 15 of 130" in words(page)
    assert page.count("<figure") < 50


def test_cells_are_legible_on_every_colour():
    for _, *colors in shades():
        back, ink, dark_back, dark_ink = luminance(to_rgba_array(colors)) + 0.05  # WCAG 2
        assert max(back, ink) / min(back, ink) >= 4.5
        assert max(dark_back, dark_ink) / min(dark_back, dark_ink) >= 4.5


def test_pages_of_other_kinds():
    frame = pd.DataFrame({"cell": ["a"], "ours": [0.123], "n": [3], "none": [np.nan]})
    page = Page(
        "Title",
        "subject",
        "answer",
        None,
        (Section("one", "One", (text("hello"), code(["x"]), Table.of(frame, "c"))),),
    )
    html = render(page)
    assert '<td class=" number">0.12</td>' in html
    assert "–" in html
    assert "<script" not in html


def test_the_methods_that_agree_least_are_named():
    scores = {"A": [1, 2, 3, 4], "B": [1, 2, 4, 3], "C": [4, 3, 2, 1], "D": [1, 1, 1, 1]}
    rows = [
        (name, TableRow(name, name, "python", True, "none", np.arange(1), made, made, True, "fake 1.0"))
        for name, made in ((name, np.array([one], dtype=float)) for name, one in scores.items())
    ]
    said, _ = agreement_section(rows).blocks
    # Correlations .8 (A and B), -1 (A and C), -.8 (B and C), none with D.
    assert said.lines == ("Median rank correlation: -0.80. Lowest agreement: A and C (-1.00).",)
    assert agreement_section(rows[:1]) is None
    assert agreement_section(rows[2:]).blocks[0].lines == (
        "Agreement needs two methods that rank the features.",
    )
