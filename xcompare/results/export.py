"""Export of tables to CSV, Markdown, LaTeX and HTML, with the direction of each row."""

from collections.abc import Callable, Sequence
from html import escape
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from xcompare.core.errors import UnknownNameError
from xcompare.core.escaping import for_latex, for_markdown, for_spreadsheet
from xcompare.core.names import listed
from xcompare.core.writing import replacing, write_text
from xcompare.harness.hashing import digest
from xcompare.results.table import PRINTED
from xcompare.results.wording import DASH

if TYPE_CHECKING:
    from xcompare.results.scores import ComparedScores
    from xcompare.results.table import TableRow

SHADE = "46, 112, 182"  # red, green, blue of the most important feature
MOST_ROWS, MOST_FEATURES = 60, 50  # shown in a notebook


def written(text: str, path: str | PathLike[str] | None) -> str | None:
    """Write text to a file, or return it if ``path`` is None."""
    if path is None:
        return text
    write_text(path, text)
    return None


def write_parquet(frame: pd.DataFrame, path: str | PathLike[str]) -> None:
    """A frame as Parquet, without its index."""
    with replacing(path) as unfinished:
        frame.to_parquet(unfinished, index=False)


def with_named_index(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame with its named index as first columns."""
    return frame if frame.index.names[0] is None else frame.reset_index(allow_duplicates=True)


def frame_csv(frame: pd.DataFrame) -> str:
    """A frame as CSV, with strings escaped that a spreadsheet would read as formulas.

    The index is written if it has a name.

    Examples
    --------
    >>> frame_csv(pd.DataFrame({"=1+1": [-0.5], "feature": ["@x"]}))
    "'=1+1,feature\\n-0.5,'@x\\n"
    """

    def safe(value: object) -> object:
        return for_spreadsheet(value) if isinstance(value, str) else value

    flat = with_named_index(frame)
    cells = flat.apply(lambda column: column if is_numeric_dtype(column) else column.map(safe))
    return cells.set_axis([safe(name) for name in flat.columns], axis=1).to_csv(index=False)


def table(comparison: "ComparedScores") -> pd.DataFrame:
    """Mean scores, one row per method and engine, after columns of metadata."""
    frame = pd.DataFrame([row.mean for row in comparison.rows], columns=list(comparison.feature_names))
    heads = {
        "method": [row.name for row in comparison.rows],
        "engine": [row.engine for row in comparison.rows],
        "reads": [row.reads for row in comparison.rows],
        "software": [row.software for row in comparison.rows],
    }
    # Joined last: features may have the same names as these columns.
    return pd.concat([pd.DataFrame(heads), frame], axis=1)


def markdown(comparison: "ComparedScores") -> str:
    """The table as a Markdown pipe table with caption."""
    heads = ["Method", "Reads", *comparison.feature_names]
    body = [[comparison.label(row), row.reads, *_cells(row)] for row in comparison.rows]
    table = _pipe_table(
        [heads, *body], for_markdown, ["---", "---", *["---:"] * len(comparison.feature_names)]
    )
    footnote = f"\n{for_markdown(comparison.footnote)}\n" if comparison.footnote else ""
    return f"{for_markdown(comparison.caption)}\n\n{table}\n{footnote}"


def frame_pipes(frame: pd.DataFrame, escape: Callable[[str], str] = for_markdown) -> str:
    """A frame without its index as a Markdown table."""
    return _pipe_table([list(frame.columns), *frame.to_numpy().tolist()], escape)


def _pipe_table(
    lines: Sequence[Sequence[object]], escape: Callable[[str], str], rule: Sequence[str] | None = None
) -> str:
    heads, *body = [[escape(str(cell)) for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, rule or ["---"] * len(heads), *body))


def score_latex(
    rows: "Sequence[tuple[str, str, TableRow]]",
    second: str,
    feature_names: Sequence[str],
    caption: str,
    features: Sequence[str] | None,
    *,
    bold: bool,
    transpose: bool,
) -> str:
    """A booktabs table with caption: a row per method, or a column when transposed.

    ``rows``: label, cell of the column named ``second``, and scores. ``features``: None for all.
    """
    chosen = _chosen(features, feature_names)
    lines = [[for_latex(head) for head in ("Method", second, *(feature_names[at] for at in chosen))]]
    lines += [[for_latex(label), more, *_latex_cells(row, chosen, bold)] for label, more, row in rows]
    if transpose:  # the columns of names become header lines
        return latex_table([list(line) for line in zip(*lines, strict=True)], for_latex(caption), n_heads=2)
    return latex_table(lines, for_latex(caption), n_names=2)


def latex_table(lines: Sequence[Sequence[str]], caption: str, n_heads: int = 1, n_names: int = 1) -> str:
    """A booktabs table of these cells, with first lines of headings and first columns of names.

    The cells and the caption are LaTeX already.
    """
    body = [" & ".join(line) + r" \\" for line in lines]
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{caption}}}",
            rf"\begin{{tabular}}{{{'l' * n_names}{'r' * (len(lines[0]) - n_names)}}}",
            r"\toprule",
            *body[:n_heads],
            r"\midrule",
            *body[n_heads:],
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _latex_cells(row: "TableRow", chosen: Sequence[int], bold: bool) -> list[str]:
    """Cells of these features; the most important one is bold, with ties at printed precision."""
    printed = np.round(row.importance, PRINTED)
    best = (printed == printed.max()) & bold & ~np.isnan(row.mean).any()
    plain = r"${} \pm {}$", "{}"
    strong = r"$\mathbf{{{}}} \pm {}$", r"$\mathbf{{{}}}$"
    return [_cell(row.mean[at], row.std[at], *(strong if best[at] else plain)) for at in chosen]


def _chosen(features: Sequence[str] | None, names: Sequence[str]) -> list[int]:
    """Indices of the requested features, in order; None: all."""
    for name in features or ():
        if name not in names:
            raise UnknownNameError(f"features must be among {listed(names)}; got {name!r}")
    return [list(names).index(name) for name in (names if features is None else features)]


def frame_html(frame: pd.DataFrame, *said: str, digits: int = PRINTED) -> str:
    """Paragraphs, then a frame; large frames are truncated in the middle."""
    lines = "".join(f"<p>{escape(line)}</p>\n" for line in said)
    return lines + frame.round(digits).to_html(max_rows=MOST_ROWS, max_cols=MOST_FEATURES, na_rep=DASH)


def html(comparison: "ComparedScores", most: int | None = None) -> str:
    """A table shaded by importance, limited to the ``most`` top-ranked features."""
    chosen, cut = list(range(len(comparison.feature_names))), ""
    if most is not None and len(chosen) > most:
        cut = f"the first {most} of {len(chosen)} features by overall rank"
        chosen = _chosen(list(comparison.overall_ranks.index[:most]), comparison.feature_names)
    # Spaces make names unique, as pandas styles require.
    printed = pd.DataFrame(
        [[row.reads.split()[0], *_cells(row)] for row in comparison.rows],
        _unique([comparison.label(row) for row in comparison.rows]),
        _unique(["Reads", *comparison.feature_names]),
    ).iloc[:, [0, *(1 + at for at in chosen)]]
    shades = pd.DataFrame("", printed.index, printed.columns)
    shades.iloc[:, 1:] = [
        [f"background-color: rgba({SHADE}, {0.75 * value:.2f})" if value > 0 else "" for value in row]
        for row in (np.nan_to_num(np.clip(row.importance, 0, 1))[chosen] for row in comparison.rows)
    ]
    # A deterministic id, unique on a page.
    styler = printed.style.format(escape="html").set_uuid(digest(printed.to_csv()))
    # Do not wrap "0.11 ± 0.00" in a narrow notebook.
    styler = styler.set_table_styles([{"selector": "td", "props": "white-space: nowrap"}])
    styler = styler.set_caption(
        escape(". ".join(filter(None, [comparison.caption, cut, comparison.footnote])))
    )
    styler = styler.format_index(escape="html", axis=0).format_index(escape="html", axis=1)
    return styler.apply(lambda _: shades, axis=None).to_html()


def _cells(row: "TableRow") -> list[str]:
    """Mean and standard deviation of each feature at printed precision; a dash if it failed."""
    return [_cell(mean, std, "{} ± {}") for mean, std in zip(row.mean, row.std, strict=True)]


def _cell(mean: float, std: float, cell: str, alone: str = "{}") -> str:
    if np.isnan(mean):
        return DASH
    printed = f"{mean:.{PRINTED}f}"
    return alone.format(printed) if np.isnan(std) else cell.format(printed, f"{std:.{PRINTED}f}")


def _unique(names: list[str]) -> list[str]:
    unique: list[str] = []
    for name in names:
        while name in unique:
            name += " "
        unique.append(name)
    return unique
