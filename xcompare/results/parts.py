"""Read the comparisons of a sweep or explanation from a run store."""

from os import PathLike

from xcompare.harness.plan import PartKind
from xcompare.harness.store import RunStore
from xcompare.results.comparison import Comparison
from xcompare.results.table import Normalization


def parts_from_store(
    path: str | PathLike[str], run: str | None, kind: PartKind, *, normalize: Normalization = "paper"
) -> dict[int, Comparison]:
    """The parts of the sweep or explanation that a run belongs to, in order."""
    with RunStore(path, create=False) as store:
        parts = store.siblings(store.find_comparison(run, kind))
        return {at: Comparison.of_stored(store, stored, normalize) for at, stored in parts.items()}
