"""Save figures as SVG, PDF or PNG: `save_figures`, and `Plots.save` for all plots of a result."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib import pyplot
from matplotlib.figure import Figure

from xcompare.core.writing import replacing
from xcompare.results.formats import FIGURES, check_formats

DOTS_PER_INCH = 150
# Without a date, files are reproducible.
NO_DATE: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}


def save_figures(
    figures: Mapping[str, Figure], folder: str | PathLike[str], formats: Sequence[str]
) -> list[Path]:
    """Save each figure in each format and close it.

    ``formats`` ("svg", "pdf", "png"). ``figures``: by file name, without suffix.
    """
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

    @property
    @abstractmethod
    def names(self) -> Sequence[str]:
        """The plots that can be drawn: methods that need no arguments."""

    def figures(self) -> dict[str, Figure]:
        """Every plot that can be drawn, by name."""
        drawn = {name: getattr(self, name)() for name in self.names}
        axes = {name: one[0] if isinstance(one, list) else one for name, one in drawn.items()}
        return {name: one.get_figure(root=True) for name, one in axes.items()}

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
