"""The documentation as a site: it builds, needs nothing from elsewhere, and can be searched from a folder."""

import html
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from selenium.webdriver.support.ui import WebDriverWait

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The documentation site; a broken link or a page that is in no menu fails the build."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


class Loads(HTMLParser):
    """What a browser fetches to show a page: not where its links lead."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        fetched = ("href",) if tag == "link" else ("src", "srcset", "data", "poster")
        self.found += [values[key] for key in fetched if values.get(key) and values.get("rel") != "canonical"]


@pytest.mark.slow
def test_site_loads_nothing_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 10
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert 'class="mermaid"' not in text, "the theme would fetch mermaid"
        for target in Loads(text).found:
            assert not re.match(r"(?:\w+:)?//", target), f"{page.name} loads {target}"
            if page.name != "404.html":  # which a server shows at any address
                assert (page.parent / re.split("[?#]", target)[0]).exists(), f"{page.name} lacks {target}"
    for sheet in site.rglob("*.css"):
        assert not re.search(
            r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", sheet.read_text(encoding="utf-8")
        ), sheet


@pytest.mark.slow
def test_site_tells_defaults_as_the_docstrings_do(site):
    page = re.sub(r"<[^>]*>", "", (site / "api" / "xcompare.html").read_text(encoding="utf-8"))
    told = re.search(r"resampling\s+\((.*?)\)", page, re.DOTALL)[1]
    assert " ".join(html.unescape(told).split()) == 'basic or efron or bbc, default: "efron"'


@pytest.mark.slow
def test_site_can_be_searched_without_a_server(site, window):
    window.open(site / "index.html")
    box = window.one("input.md-search__input")
    box.click()  # the index is loaded only now
    box.send_keys("variation of information")
    WebDriverWait(window.driver, 60).until(lambda _: window.texts(".md-search-result__item h1"))
    assert "xcompare.bagging" in window.texts(".md-search-result__item h1")
    messages, urls = window.logs()
    assert messages == []
    assert {url.partition(":")[0] for url in urls} == {"file"}
