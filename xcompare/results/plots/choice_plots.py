"""Plots of the criteria against the number of clusters."""

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from xcompare.inference.number_of_clusters import LEAST_GAP
from xcompare.results.plots.files import Plots
from xcompare.results.plots.style import MUTED, color, panels

if TYPE_CHECKING:
    import pandas as pd

    from xcompare.results.choosing_k import KChoice

TITLES = {"density_gap": "Density gap", "bic": "BIC of a Gaussian mixture"}
LABELS = {"density_gap": "standard errors", "bic": "BIC, smaller is better"}


class ChoicePlots(Plots):
    """The plots of a `KChoice`; calling it draws the curves."""

    _result: "KChoice"

    def curves(self) -> list[Axes]:
        """Density gap and BIC against the number of clusters, with the choice marked."""

        def draw(ax: Axes, criterion: str) -> None:
            curve_panel(ax, self._result.curves, criterion)
            ax.set_title(TITLES[criterion], fontsize=10)

        axes = panels(list(TITLES), draw, columns=2)
        title = f"{self._result.name}: {self._result.answer}"
        axes[0].figure.suptitle(title, fontsize=9, parse_math=False)
        return axes

    __call__ = curves

    names = ("curves",)


def curve_panel(ax: Axes, curves: "pd.DataFrame", criterion: str) -> None:
    """One panel of `ChoicePlots.curves`: filled points mark separated clusters."""
    ks, values = curves.index.to_numpy(), curves[criterion].to_numpy()
    separated = curves["separated"].to_numpy()
    ax.plot(ks, values, color=MUTED, linewidth=1.2)
    for mask, face in ((separated, color(0)), (~separated, "none")):
        ax.scatter(ks[mask], values[mask], s=24, facecolor=face, edgecolor=color(0), zorder=3)
    if criterion == "density_gap":
        ax.axhline(LEAST_GAP, color=MUTED, linestyle="--", linewidth=1.0)
    for at in curves.index[curves["chosen"]]:
        ax.axvline(at, color=color(1), linewidth=1.0, alpha=0.6)
    ax.set(xlabel="clusters (K)", xticks=ks, xlim=(ks[0] - 0.4, ks[-1] + 0.4))
    ax.set_ylabel(LABELS[criterion], fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
