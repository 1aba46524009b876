"""Text made safe to store, and names escaped for terminals, spreadsheets, Markdown and LaTeX.

HTML is escaped by the templates.
"""

import re
import unicodedata
from typing import Any

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # bidirectional controls
MARKDOWN = str.maketrans(
    {character: "\\" + character for character in "\\`*_[]|"} | {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
)
LATEX = str.maketrans(
    {character: "\\" + character for character in "&%$#_{}"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
)


def for_terminal(text: str) -> str:
    """Escape control sequences for the terminal; line breaks and tabs are kept.

    Examples
    --------
    >>> print(for_terminal("\\x1b[31mred\\x07"))
    \\x1b[31mred\\x07
    """
    return "".join(character if _is_shown(character) else _code(character) for character in text)


def for_spreadsheet(text: str) -> str:
    """Precede text that a spreadsheet would evaluate as a formula with an apostrophe.

    Leading spaces and invisible characters, such as a byte order mark, are skipped to find the start of a
    formula. Terminal control sequences are escaped too, as such files are also viewed there.

    Examples
    --------
    >>> for_spreadsheet("=1+1"), for_spreadsheet("a=1")
    ("'=1+1", 'a=1')
    """
    start = next((at for at, character in enumerate(text) if not _is_unseen(character)), 0)
    formula = text.startswith(FORMULA_STARTS) or text.startswith(FORMULA_STARTS, start)
    return f"'{for_terminal(text)}" if formula else for_terminal(text)


def for_markdown(text: str) -> str:
    """Escape text for a cell of a Markdown table, on one line.

    Examples
    --------
    >>> print(for_markdown("[x](javascript:1) <b>"))
    \\[x\\](javascript:1) &lt;b&gt;
    """
    return one_line(text).translate(MARKDOWN)


def for_latex(text: str) -> str:
    """Escape text for LaTeX, on one line.

    Examples
    --------
    >>> print(for_latex("50% & x_1"))
    50\\% \\& x\\_1
    """
    return one_line(text).translate(LATEX)


def one_line(text: str) -> str:
    """Replace every run of whitespace by one space.

    Examples
    --------
    >>> one_line("a\\n\\n b")
    'a b'
    """
    return re.sub(r"\s+", " ", for_terminal(text)).strip()


def plain_text(value: Any) -> str:
    """Any object as UTF-8 text, even if its own ``str`` fails.

    Examples
    --------
    >>> plain_text("half a pair: \\ud800")
    'half a pair: \\\\ud800'
    """
    try:
        text = value if type(value) is str else str(value)
    except BaseException:  # __str__ of a third-party class may raise anything
        text = f"<{type(value).__name__} that has no text>"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def error_text(error: BaseException) -> str:
    """Type and message of an error.

    Examples
    --------
    >>> error_text(ValueError("not today"))
    'ValueError: not today'
    """
    message = plain_text(error)
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _is_shown(character: str) -> bool:
    if character in "\n\t":
        return True
    return character not in TURNING and unicodedata.category(character) not in ("Cc", "Cs")


def _is_unseen(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) == "Cf"


def _code(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"
