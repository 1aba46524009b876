"""Plot of how many clusters: the criteria side by side, data beside draws from one Gaussian."""

from typing import TYPE_CHECKING

import numpy as np

from xcompare.plots.style import MUTED, color, panels

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from xcompare.comparison.choosing import KChoice

TITLES = {
    "stability": "Stability",
    "dunn": "Dunn",
    "silhouette": "Silhouette",
    "gap": "Gap",
}
LABELS = {
    "stability": "adjusted Rand index",
    "dunn": "Dunn index",
    "silhouette": "silhouette width",
    "gap": "log(total / within)",
}
TWO = 2  # standard errors the band of the draws is wide to either side


def choice_curves(choice: "KChoice") -> "list[Axes]":
    """A panel per criterion: the data, draws from one Gaussian, and the choice.

    Parameters
    ----------
    choice : KChoice

    Returns
    -------
    list of Axes
    """
    curves = {criterion: choice.curves.loc[[criterion]].droplevel(0) for criterion in TITLES}

    def draw(ax: "Axes", criterion: str) -> None:
        curve_panel(ax, curves[criterion])
        chosen = choice.choices[criterion]
        ax.set_title(f"{TITLES[criterion]}: {chosen}", fontsize=10)
        ax.set_ylabel(LABELS[criterion], fontsize=8)

    axes = panels(list(TITLES), draw, columns=2)
    axes[0].legend(fontsize=7)
    axes[0].figure.suptitle(f"{choice.name}: {choice.answer}", fontsize=9, parse_math=False)
    return axes


def curve_panel(ax: "Axes", curve: "pd.DataFrame") -> None:
    """One panel of `choice_curves`; the number chosen is marked, at the foot where it is 1."""
    ks = curve.index.to_numpy()
    middle, error = curve["one_gaussian"].to_numpy(), curve["error"].to_numpy()
    ax.fill_between(ks, middle - TWO * error, middle + TWO * error, color=MUTED, alpha=0.3, linewidth=0)
    ax.plot(ks, middle, color=MUTED, linestyle="--", linewidth=1.2, label="one Gaussian")
    ax.plot(ks, curve["value"], color=color(0), marker="o", markersize=4, label="data")
    at = curve.index[curve["chosen"]][0]
    value = curve["value"][at]
    ax.axvline(at, color=color(1), linewidth=1.0, alpha=0.6)
    if np.isfinite(value):
        ax.plot(
            [at], [value], marker="o", markersize=9, markerfacecolor="none", color=color(1), label="chosen"
        )
    ax.set(xlabel="clusters (K)", xticks=ks, xlim=(0.6, ks[-1] + 0.4))
    ax.spines[["top", "right"]].set_visible(False)
