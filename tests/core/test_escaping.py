"""Names made harmless: what comes out shows the name, and does nothing else."""

import unicodedata
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from xcompare.core.escaping import for_latex, for_markdown, for_spreadsheet, for_terminal, one_line


@given(st.text())
def test_terminals_get_no_control_characters(text):
    shown = for_terminal(text)
    assert not {c for c in shown if unicodedata.category(c) in ("Cc", "Cs")} - {"\n", "\t"}
    assert for_terminal(shown) == shown
    assert "\n" not in one_line(text)


@pytest.mark.parametrize(
    "text", ["\x1b[31mred", "\x1b]8;;http://x\x07link", "\x9b2J", "\r\x08", "\udc80", "\u202eabc", "\x7f"]
)
def test_escapes_are_seen(text):
    shown = for_terminal(text)
    assert shown.isprintable()
    assert "\\" in shown


def test_ordinary_names_stay():
    for name in ("Sepal length", "größe", "x₁ (µm)", "花びら", "عرض"):
        assert for_terminal(name) == for_spreadsheet(name) == for_markdown(name) == for_latex(name) == name


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\ufeff=", " =", "\u200b\n@"])
def test_formulas_are_text(start):
    assert for_spreadsheet(f"{start}cmd") == f"'{start}cmd"
    assert for_spreadsheet("\rcmd") == r"'\x0dcmd"


def test_orders_to_a_terminal_are_written_out_in_files():
    assert for_spreadsheet("\x1b[31mred") == r"\x1b[31mred"


class Words(HTMLParser):
    """Tags and text of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


@given(st.text(alphabet="<>&[]()!`*_|\\\n~ab:/javscript#", max_size=30))
def test_markdown_shows_the_name_and_nothing_else(text):
    renderer = MarkdownIt("commonmark", {"html": True}).enable("table")
    page = Words(renderer.render(f"| x{for_markdown(text)} |\n| --- |\n"))
    assert set(page.tags) == {"table", "thead", "tr", "th"}
    assert page.text.strip() == f"x{one_line(text)}"


def test_markdown_of_the_worst():
    assert "<script>" not in for_markdown("<script>alert(1)</script>")
    assert for_markdown("[x](javascript:alert(1))") == r"\[x\](javascript:alert(1))"


@given(st.text(alphabet="&%$#_{}\\~^<>|\n a1", max_size=30))
def test_latex_has_no_bare_specials(text):
    found = for_latex(text)
    assert "\n" not in found
    for word in ("backslash", "asciitilde", "asciicircum", "less", "greater", "bar"):
        found = found.replace(rf"\text{word}{{}}", "")
    for character in "&%$#_{}":
        found = found.replace(f"\\{character}", "")
    assert set(found) <= set(" a1")
