"""Plot of a contrast: how far a cluster lies above or below its reference, by feature, with intervals."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from xcompare.results.effect_sizes import titles_of
from xcompare.results.plots.style import COLORS, name_axis, own_axes
from xcompare.results.wording import named

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def contrast_bars(effects: pd.DataFrame, ax: Any = None) -> "Axes":
    """Bars of one contrast, with 95% bootstrap intervals, in the order given.

    Cliff's delta: the probability that a row of the cluster has a larger value than one of the reference,
    minus the reverse. Of a category without an order, the difference of the shares of a level.

    ``effects``: rows of ``Explanation.effects`` with one cluster and reference.
    """
    ax = ax or own_axes(5.2, 1.2 + 0.27 * len(effects))
    contrast_panel(ax, effects)
    cluster, reference = effects["cluster"].iloc[0], effects["reference"].iloc[0]
    ax.set_title(f"{named(cluster)} against {named(reference)}", fontsize=9, parse_math=False)
    return ax


def contrast_panel(ax: "Axes", effects: pd.DataFrame) -> None:
    """The bars and intervals."""
    values, low, high = bar_values(effects)
    labels = [
        f"{name}: {level}" if kind in ("nominal", "binary") else name
        for name, level, kind in zip(titles_of(effects), effects["level"], effects["kind"], strict=True)
    ]
    y = np.arange(len(values))
    colors = [COLORS[1] if value > 0 else COLORS[0] for value in values]
    ax.barh(y, np.nan_to_num(values), color=colors, height=0.62, alpha=0.75)
    known = np.isfinite(low) & np.isfinite(high)
    ink = ax.xaxis.label.get_color()
    ax.hlines(y[known], low[known], high[known], color=ink, linewidth=1.2)
    ax.axvline(0, color=ink, linewidth=0.8)
    ax.set(xlim=(-1.03, 1.03), xlabel="lower   ← Cliff's delta →   higher")
    name_axis(ax, labels)


def bar_values(effects: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cliff's delta, or the difference of shares, with its interval."""
    ordered = effects["cliffs_delta"].notna().to_numpy()
    return tuple(
        np.where(ordered, effects[f"cliffs_delta{end}"], effects[f"difference{end}"]).astype(float)
        for end in ("", "_low", "_high")
    )  # type: ignore[return-value]
