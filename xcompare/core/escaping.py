"""Names are data: what a feature or a file is called, made harmless for where it is shown.

HTML is not here: templates escape everything themselves.
"""

import re
import unicodedata

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # the direction of writing
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
    """Text in which nothing is an order to the terminal: no colours, titles, links, bells or cursor moves.

    Line ends and tabs stay.

    Examples
    --------
    >>> print(for_terminal("\\x1b[31mred\\x07"))
    \\x1b[31mred\\x07
    """
    return "".join(character if _is_shown(character) else _code(character) for character in text)


def for_spreadsheet(text: str) -> str:
    """Text that a spreadsheet does not compute: before what starts like a formula stands an apostrophe.

    Blanks and marks that are not seen, as a byte order mark, do not count as its start. Orders to a terminal
    are written out: people look at such files there too.

    Examples
    --------
    >>> for_spreadsheet("=1+1"), for_spreadsheet("a=1")
    ("'=1+1", 'a=1')
    """
    start = next((at for at, character in enumerate(text) if not _is_unseen(character)), 0)
    formula = text.startswith(FORMULA_STARTS) or text.startswith(FORMULA_STARTS, start)
    return f"'{for_terminal(text)}" if formula else for_terminal(text)


def for_markdown(text: str) -> str:
    """Text that Markdown shows as it is: no tags, links or ends of cells; on one line.

    Examples
    --------
    >>> print(for_markdown("[x](javascript:1) <b>"))
    \\[x\\](javascript:1) &lt;b&gt;
    """
    return one_line(text).translate(MARKDOWN)


def for_latex(text: str) -> str:
    """Text that LaTeX prints as it is, on one line.

    Examples
    --------
    >>> print(for_latex("50% & x_1"))
    50\\% \\& x\\_1
    """
    return one_line(text).translate(LATEX)


def one_line(text: str) -> str:
    """Text with a blank for every run of line ends, tabs and blanks.

    Examples
    --------
    >>> one_line("a\\n\\n b")
    'a b'
    """
    return re.sub(r"\s+", " ", for_terminal(text)).strip()


def _is_shown(character: str) -> bool:
    if character in "\n\t":
        return True
    return character not in TURNING and unicodedata.category(character) not in ("Cc", "Cs")


def _is_unseen(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) == "Cf"


def _code(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"
