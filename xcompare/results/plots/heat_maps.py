"""Heat maps with the numbers written in."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from xcompare.results.plots.style import EQUAL_CONTRAST, SEQUENTIAL, luminance, own_axes
from xcompare.results.wording import DASH

if TYPE_CHECKING:
    from xcompare.results.table import TableRow


def heat_map(
    values: pd.DataFrame,
    title: str,
    ax: Any = None,
    *,
    written: pd.DataFrame | None = None,
    form: str = ".2f",
    cell: tuple[float, float] = (0.9, 0.3),
    margins: tuple[float, float] = (2.5, 1.5),
    colors: str = SEQUENTIAL,
    limits: tuple[float, float] = (0, 1),
) -> Axes:
    """Annotated heat map; text is black or white, whichever has more contrast.

    ``written``: the numbers to write, if not the values. ``form``: their format; "": none are written.
    ``cell``, ``margins``: width and height in inches.
    """
    n_rows, n_columns = values.shape
    ax = ax or own_axes(margins[0] + cell[0] * n_columns, margins[1] + cell[1] * n_rows)
    shown = np.ma.masked_invalid(values.to_numpy(dtype=float))
    image = ax.imshow(shown, cmap=colors, vmin=limits[0], vmax=limits[1], aspect="auto")
    dark = luminance(image.to_rgba(shown)) < EQUAL_CONTRAST
    for (i, j), number in np.ndenumerate((values if written is None else written).to_numpy(dtype=float)):
        text = "" if not form else DASH if np.isnan(number) else f"{number:{form}}"
        ink = "white" if dark[i, j] else "black"
        ax.text(j, i, text, ha="center", va="center", fontsize=8, color=ink)
    ax.set_xticks(range(n_columns), list(values.columns), rotation=45, ha="right", parse_math=False)
    ax.set_yticks(range(n_rows), list(values.index), parse_math=False)
    ax.set_title(title, fontsize=9, parse_math=False)
    return ax


def score_map(
    rows: "Sequence[tuple[str, TableRow]]",
    feature_names: Sequence[str],
    title: str,
    ax: Any = None,
    *,
    order: Sequence[str] | None = None,
) -> Axes:
    """Labelled rows by features, darker for more important, with the scores of the table written in."""
    labels, columns = [label for label, _ in rows], list(feature_names)
    shown = columns if order is None else list(order)
    importance = pd.DataFrame([row.importance for _, row in rows], labels, columns)[shown]
    scores = pd.DataFrame([row.mean for _, row in rows], labels, columns)[shown]
    return heat_map(importance, title, ax, written=scores, cell=(0.6, 0.35))
