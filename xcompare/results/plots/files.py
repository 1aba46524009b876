"""Save figures as SVG, PDF or PNG: `save_figures`, and `Plots.save` for all plots of a result."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xcompare.core.writing import replacing
from xcompare.results.formats import FIGURES, check_formats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOTS_PER_INCH = 150
# Without a date, files are reproducible.
NO_DATE: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}


def save_figures(
    figures: "Mapping[str, Figure]", folder: str | PathLike[str], formats: Sequence[str]
) -> list[Path]:
    """Save each figure in each format and close it.

    ``formats`` ("svg", "pdf", "png"). ``figures``: by file name, without suffix.
    """
    import matplotlib
    from matplotlib import pyplot

    files = []
    try:
        for name, figure in figures.items():
            for extension in formats:
                files.append(Path(folder, f"{name}.{extension}"))
                with replacing(files[-1]) as unfinished, matplotlib.rc_context({"svg.hashsalt": "xcompare"}):
                    figure.savefig(unfinished, dpi=DOTS_PER_INCH, metadata=NO_DATE[extension])
                figure.set_layout_engine("none")  # it is laid out by now
    finally:
        for figure in figures.values():
            pyplot.close(figure)
    return files


class Plots(ABC):
    """Base class of the plots of a result."""

    def __init__(self, result: Any) -> None:
        self._result = result

    @abstractmethod
    def _figures(self) -> "dict[str, Axes | list[Axes]]":
        """The plots that `save` draws, by file name."""

    def figures(self) -> "dict[str, Figure]":
        """Every plot that can be drawn, by name."""
        drawn = self._figures().items()
        axes = {name: one[0] if isinstance(one, list) else one for name, one in drawn}
        return {name: one.get_figure(root=True) for name, one in axes.items()}  # type: ignore[misc]

    def save(self, folder: str | PathLike[str], formats: Sequence[str] = ("svg",)) -> list[Path]:
        """Save every plot that can be drawn to a file.

        Parameters
        ----------
        folder : str or Path
        formats : sequence of {"svg", "pdf", "png"}, default=("svg",)

        Returns
        -------
        list of Path

        Raises
        ------
        OutputError, UnknownNameError
        """
        chosen = check_formats(formats, FIGURES, "figures")
        return save_figures(self.figures(), folder, chosen)
