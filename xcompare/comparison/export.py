"""The table in the formats papers, wikis and spreadsheets take. Every format says how each row reads."""

from html import escape
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from xcompare.comparison.table import PRINTED
from xcompare.harness.hashing import digest
from xcompare.plots.style import DASH
from xcompare.writing import write_text

if TYPE_CHECKING:
    from xcompare.comparison.result import Comparison
    from xcompare.comparison.table_row import TableRow

SHADE = "46, 112, 182"  # red, green, blue of the most important feature
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
LATEX_SPECIALS = str.maketrans(
    {character: "\\" + character for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


def written(text: str, path: str | PathLike[str] | None) -> str | None:
    """Write a text to a file, or return it when there is none."""
    if path is None:
        return text
    write_text(path, text)
    return None


def frame_csv(frame: pd.DataFrame, *, index: bool = False) -> str:
    """Any frame as CSV in which no text is a formula to a spreadsheet.

    An apostrophe stands before texts that start with ``=``, ``+``, ``-`` or ``@``: spreadsheets compute
    these, and names come from whoever made the data. Numbers stay as they are.

    Examples
    --------
    >>> frame_csv(pd.DataFrame({"=1+1": [-0.5], "feature": ["@x"]}))
    "'=1+1,feature\\n-0.5,'@x\\n"
    """
    flat = frame.reset_index(allow_duplicates=True) if index else frame
    safe = flat.apply(lambda column: column if is_numeric_dtype(column) else column.map(_text))
    return safe.set_axis(list(map(_text, flat.columns)), axis=1).to_csv(index=False)


def _text(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value


def csv(comparison: "Comparison") -> str:
    """Means with all digits."""
    frame = pd.DataFrame([row.mean for row in comparison.rows], columns=list(comparison.feature_names))
    heads = {
        "method": [row.name for row in comparison.rows],
        "engine": [row.engine for row in comparison.rows],
        "reads": [row.reads for row in comparison.rows],
        "software": [row.software for row in comparison.rows],
    }
    # Apart from the features, which may have any name, these among them.
    return frame_csv(pd.concat([pd.DataFrame(heads), frame], axis=1))


def markdown(comparison: "Comparison") -> str:
    """A pipe table under its caption."""
    heads = ["Method", "Reads", *comparison.feature_names]
    body = [[comparison.label(row), row.reads, *_cells(row, "{} ± {}")] for row in comparison.rows]
    lines = [heads, ["---", "---", *["---:"] * len(comparison.feature_names)], *body]
    table = "\n".join("| " + " | ".join(_pipe_safe(cell) for cell in line) + " |" for line in lines)
    return f"{comparison.caption}\n\n{table}\n"


def latex(comparison: "Comparison") -> str:
    """A booktabs table with caption."""
    styler = _printed(comparison, r"${} \pm {}$").style
    styler = styler.format_index(escape="latex", axis=0).format_index(escape="latex", axis=1)
    caption = comparison.caption.translate(LATEX_SPECIALS)
    aligned = "ll" + "r" * len(comparison.feature_names)
    return styler.to_latex(hrules=True, caption=caption, column_format=aligned)


def html(comparison: "Comparison") -> str:
    """A table shaded by importance."""
    printed = _printed(comparison, "{} ± {}")
    shades = pd.DataFrame("", printed.index, printed.columns)
    shades.iloc[:, 1:] = [
        [f"background-color: rgba({SHADE}, {0.75 * value:.2f})" if value > 0 else "" for value in row]
        for row in (np.nan_to_num(np.clip(row.importance, 0, 1)) for row in comparison.rows)
    ]
    # The same table gives the same text, and no other table on a page shares its styles.
    styler = printed.style.format(escape="html").set_uuid(digest(printed.to_csv()))
    styler = styler.set_caption(escape(comparison.caption))
    styler = styler.format_index(escape="html", axis=0).format_index(escape="html", axis=1)
    return styler.apply(lambda _: shades, axis=None).to_html()


def _printed(comparison: "Comparison", cell: str) -> pd.DataFrame:
    """Cells as text, one row per method, led by how it reads."""
    body = [[row.reads.split()[0], *_cells(row, cell)] for row in comparison.rows]
    index = _unique([comparison.label(row) for row in comparison.rows])
    return pd.DataFrame(body, index, _unique(["Reads", *comparison.feature_names]))


def _cells(row: "TableRow", cell: str) -> list[str]:
    """Mean and standard deviation of each feature at printed precision; a dash when it failed."""
    return [_cell(mean, std, cell) for mean, std in zip(row.mean, row.std, strict=True)]


def _cell(mean: float, std: float, cell: str) -> str:
    if np.isnan(mean):
        return DASH
    printed = f"{mean:.{PRINTED}f}"
    return printed if np.isnan(std) else cell.format(printed, f"{std:.{PRINTED}f}")


def _pipe_safe(cell: str) -> str:
    """A cell that neither ends its column nor its row."""
    return cell.replace("|", r"\|").replace("\n", " ")


def _unique(names: list[str]) -> list[str]:
    """Names told apart by trailing spaces, since pandas styles only what has names of its own."""
    unique: list[str] = []
    for name in names:
        while name in unique:
            name += " "
        unique.append(name)
    return unique
