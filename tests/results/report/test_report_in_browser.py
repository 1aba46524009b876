"""The report as people meet it: in Chromium, on a desk and on a phone, in light, dark and print."""

import base64
import re
from dataclasses import replace

import numpy as np
import pytest

from tests.browser import LOW_CONTRAST, SMALLEST_TEXT
from xcompare.results.report import write_report

pytestmark = pytest.mark.slow

SIZES = [pytest.param(390, 844, id="phone"), pytest.param(1440, 900, id="desk")]


@pytest.fixture(scope="module")
def report(wine, tmp_path_factory):
    return write_report(
        wine, tmp_path_factory.mktemp("report") / "report.html", command="xcompare compare wine"
    )


@pytest.fixture(scope="module")
def sweep_report(sweep, tmp_path_factory):
    return write_report(sweep, tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture(params=["report", "sweep_report"])
def either(request):
    return request.getfixturevalue(request.param)


def features(window):
    return window.texts("#heat tbody th")


def sorted_by(comparison, label):
    comparison = comparison.flipped()  # as the report shows it
    [row] = [row for row in comparison.rows if comparison.label(row) == label]
    order = np.argsort(-row.importance.round(6), kind="stable")
    return row.importance.round(6)[order].tolist(), [comparison.feature_names[j] for j in order]


def test_loads_alone_and_without_complaint(window, either):
    window.open(either)
    messages, urls = window.logs()
    assert messages == []
    assert urls == [either.as_uri()]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_fits_the_screen(window, either, width, height):
    window.open(either, width, height)
    assert window.run("return document.documentElement.scrollWidth") <= width
    assert window.run(SMALLEST_TEXT) >= 8.5
    assert window.one("h1").is_displayed()
    first = "document.querySelector('.cards article, #heat tbody')"
    top = window.run(f"return {first}.getBoundingClientRect().top")
    assert top < height  # the summary or the heat map starts on the first screen


def test_wide_tables_scroll_in_their_own_box(window, report):
    window.open(report, 280, 844)
    inside, outside = window.run(
        "const b = document.querySelector('.heat'); return [b.scrollWidth, b.clientWidth]"
    )
    assert inside > outside
    window.run("document.querySelector('.heat').scrollLeft = 200")
    left = window.run("return document.querySelector('#heat tbody th').getBoundingClientRect().left")
    assert left >= 0  # names of features stay in sight


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_stands_out(window, either, dark):
    window.open(either, dark=dark)
    window.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    background = window.run("return getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") is not dark
    assert window.run(LOW_CONTRAST) == []


def test_print_is_light_and_without_buttons(window, report):
    window.open(report, dark=True, media="print")
    assert window.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not any(button.is_displayed() for button in window.all("[data-view]"))
    assert window.one("#heat").is_displayed()


@pytest.mark.parametrize("audience", ["summary", "full"])
def test_printed_on_a4(window, wine, tmp_path, audience):
    window.open(write_report(wine, tmp_path / "report.html", audience=audience), media="print")
    options = {"preferCSSPageSize": True, "printBackground": False}
    pdf = base64.b64decode(window.driver.execute_cdp_cmd("Page.printToPDF", options)["data"])
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert {(round(float(width)), round(float(height))) for width, height in boxes} == {(595, 842)}
    assert len(boxes) <= (2 if audience == "summary" else 20)
    # A4 less the margins is 184 mm wide: nothing is cut off.
    window.open(tmp_path / "report.html", 695, 1000, media="print")
    assert window.run("return document.documentElement.scrollWidth") <= 695


def test_sorts_by_the_method_clicked(window, report, wine):
    window.open(report)
    assert features(window) == list(wine.overall_ranks.index)
    for label in ("CUBT", "LS"):
        [button] = [b for b in window.all("[data-column]") if b.get_attribute("title") == f"Sort by {label}"]
        keys, _ = sorted_by(wine, label)
        button.click()
        column = int(button.get_attribute("data-column"))
        shown = window.run(
            "const rows = [...document.querySelectorAll('#heat tbody tr')];"
            "return rows.map((row) => Number(row.cells[arguments[0]].dataset.key))",
            column + 1,
        )
        assert shown == keys
        assert button.find_element("xpath", "..").get_attribute("aria-sort") == "descending"
        button.click()
        assert button.find_element("xpath", "..").get_attribute("aria-sort") == "ascending"
        assert features(window)[-1] == sorted_by(wine, label)[1][0]
    window.one("[data-order=data]").click()
    assert features(window) == list(wine.feature_names)
    assert {th.get_attribute("aria-sort") for th in window.all("#heat thead th[aria-sort]")} == {"none"}
    window.one("[data-order=overall]").click()
    assert features(window) == list(wine.overall_ranks.index)


def test_switches_between_mean_rank_and_sd(window, report, wine):
    window.open(report)
    order, shown = list(wine.overall_ranks.index), wine.flipped()
    expected = {
        "rank": shown.ranks[order].T.to_numpy().ravel().tolist(),
        "sd": [f"{value:.2f}" for value in shown.std[order].T.to_numpy().ravel()],
        "mean": [f"{value:.2f}" for value in shown.table[order].T.to_numpy().ravel()],
    }
    for view, cells in expected.items():
        window.one(f"[data-view={view}]").click()
        assert window.texts("#heat tbody td") == cells
        pressed = [b.get_attribute("data-view") for b in window.all("[data-view][aria-pressed=true]")]
        assert pressed == [view]


def test_values_on_hover_and_on_tap(window, report, wine):
    window.open(report)
    cell = window.one("#heat tbody td")
    assert cell.get_attribute("title").startswith(f"Efron, {wine.overall_ranks.index[0]}: ")
    assert " in 2 runs, rank " in cell.get_attribute("title")
    cell.click()
    assert window.one("#readout").text == cell.get_attribute("title")


def test_works_from_the_keyboard(window, report):
    from selenium.webdriver.common.keys import Keys

    window.open(report)

    def tab_to(condition):
        for _ in range(60):
            window.driver.switch_to.active_element.send_keys(Keys.TAB)
            active = window.driver.switch_to.active_element
            if condition(active):
                return active
        raise AssertionError("cannot be reached with the tabulator key")

    tab_to(lambda e: e.get_attribute("data-view") == "rank").send_keys(Keys.SPACE)
    assert window.one("[data-view=rank]").get_attribute("aria-pressed") == "true"
    button = tab_to(lambda e: e.get_attribute("title") == "Sort by CUBT")
    assert window.run("return getComputedStyle(arguments[0]).outlineStyle", button) != "none"
    button.send_keys(Keys.ENTER)
    assert button.find_element("xpath", "..").get_attribute("aria-sort") == "descending"


def test_hostile_names_do_nothing(window, hostile, tmp_path):
    window.open(write_report(hostile, tmp_path / "report.html"))
    messages, urls = window.logs()
    assert messages == []
    assert len(urls) == 1
    assert window.run("return window.hacked === undefined")
    assert set(features(window)) == set(hostile.feature_names)


@pytest.fixture(scope="module")
def long_names(iris_compared, tmp_path_factory):
    names = tuple(f"{name}, in a unit whose name is long to say" for name in iris_compared.feature_names)
    path = tmp_path_factory.mktemp("report") / "report.html"
    return write_report(
        replace(iris_compared, info=replace(iris_compared.info, feature_names=names)), path
    ), names


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_long_names_are_cut_and_whole_in_the_tooltip(window, long_names, width, height):
    report, names = long_names
    window.open(report, width, height)
    assert window.run("return document.documentElement.scrollWidth") <= width
    name = window.one("#heat tbody .name")
    assert name.get_attribute("title") in names
    shown, whole, high = window.run(
        "const e = arguments[0]; return [e.clientWidth, e.scrollWidth, e.clientHeight]", name
    )
    phone = width < 640  # there a name has three lines, and this one fits
    assert phone or shown < whole  # cut
    assert shown <= width / 2.5
    assert high < (90 if phone else 40)
    name.click()
    assert window.one("#readout").text == name.get_attribute("title")


def test_the_policy_forbids_what_the_page_does_not_need(window, report, tmp_path):
    page = report.read_text(encoding="utf-8")
    injected = (
        "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"
        "<style>h1{color:red}</style><p style='color:red'>x</p>"
        "<link rel=stylesheet href='data:text/css,h1{color:red}'><iframe src='data:text/html,x'></iframe>"
    )
    file = tmp_path / "report.html"
    file.write_text(page.replace("<footer>", f"{injected}<footer>"), encoding="utf-8")
    window.open(file)
    refusals = [text for text in window.logs()[0] if "Content Security Policy" in text]
    assert len(refusals) >= 6
    for directive in ("script-src", "style-src", "img-src", "default-src"):
        assert any(directive in text for text in refusals)
    assert window.run("return window.hacked === undefined")
    red = "return getComputedStyle(document.querySelector(arguments[0])).color === 'rgb(255, 0, 0)'"
    assert not window.run(red, "h1")
    assert not window.run(red, "p[style]")
    window.one("[data-view=rank]").click()  # its own script runs
    assert window.one("[data-view=rank]").get_attribute("aria-pressed") == "true"


def test_drawings_take_on_the_colours_and_the_font_of_the_page(window, report):
    window.open(report, dark=True)
    ink, font, stroke, rule = window.run(
        "const svg = document.querySelector('figure svg');"
        "const of = (e) => getComputedStyle(e);"
        "const edge = svg.querySelector('[stroke=\"var(--rule)\"]');"
        "const text = of(svg.querySelector('text'));"
        "return [text.fill, text.fontFamily, of(edge).stroke, of(document.body).getPropertyValue('--rule')]"
    )
    assert ink == "rgb(232, 234, 237)"
    assert font.startswith("system-ui")
    assert stroke == "rgb({}, {}, {})".format(*bytes.fromhex(rule.strip().removeprefix("#")))
