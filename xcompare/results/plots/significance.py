"""Plot of the importances by test verdict."""

from typing import TYPE_CHECKING, Any

from xcompare.results.plots.style import COLORS, MUTED, own_axes

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

VERDICT_COLORS = {"relevant": COLORS[0], "differs between clusters": COLORS[5], "noise": MUTED}


def verdict_bars(table: "pd.DataFrame", title: str, ax: Any = None, *, legend: bool = True) -> "Axes":
    """Importance of each feature, coloured by verdict.

    ``table``: as ``Significance.table``. ``legend``: whether to draw the legend.
    """
    from matplotlib.patches import Patch

    table = table.sort_values("importance", kind="stable")
    ax = ax or own_axes(5.0, 1.2 + 0.25 * len(table))
    places = range(len(table))
    ax.barh(places, table["importance"], color=[VERDICT_COLORS[verdict] for verdict in table["verdict"]])
    ax.set_yticks(places, table.index, parse_math=False)
    ax.set_xlabel("importance")
    ax.set_title(title, fontsize=9, parse_math=False)
    if not legend:
        return ax
    patches = [Patch(color=color, label=verdict) for verdict, color in VERDICT_COLORS.items()]
    ax.legend(handles=patches, fontsize=7, loc="lower right")
    return ax
