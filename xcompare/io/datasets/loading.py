"""Registry of bundled datasets, and `load_dataset`."""

from collections.abc import Callable
from dataclasses import dataclass

from xcompare.core.errors import UnknownNameError
from xcompare.core.names import hint
from xcompare.io.datasets import measured, simulated
from xcompare.io.datasets.dataset import Dataset


@dataclass(frozen=True)
class DatasetRow:
    """How a bundled dataset is loaded; ``drawn`` ones take a seed."""

    make: Callable[..., Dataset]
    drawn: bool

    @property
    def summary(self) -> str:
        """One-line description."""
        return (self.make.__doc__ or "").splitlines()[0]


DATASETS: dict[str, DatasetRow] = {
    "wine": DatasetRow(measured.wine, drawn=False),
    "breast": DatasetRow(measured.breast, drawn=False),
    "iris": DatasetRow(measured.iris, drawn=False),
    "illustrative": DatasetRow(simulated.illustrative, drawn=True),
    "overlap": DatasetRow(simulated.overlap, drawn=True),
    "proportion": DatasetRow(simulated.proportion, drawn=True),
    "correlation": DatasetRow(simulated.correlation, drawn=True),
}


def load_dataset(name: str, *, seed: int = 0) -> Dataset:
    """Load a bundled dataset.

    Parameters
    ----------
    name : {"wine", "breast", "iris", "illustrative", "overlap", "proportion", "correlation"}
        The first three are real data; the others are simulated as described in the paper.
    seed : int, default=0
        Random seed of a simulated dataset; ignored for real data.

    Returns
    -------
    Dataset
        Frozen, with read-only arrays.

    Examples
    --------
    >>> load_dataset("overlap", seed=1).relevant.sum()
    np.int64(15)
    """
    if name not in DATASETS:
        near = hint(name, list(DATASETS)).strip() or f"known: {', '.join(DATASETS)}"
        raise UnknownNameError(f"no dataset named {name!r}; {near}")
    row = DATASETS[name]
    return row.make(seed) if row.drawn else row.make()
