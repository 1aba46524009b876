"""Read the comparisons of a sweep or explanation from a run store."""

from os import PathLike

from xcompare.core.errors import DataError
from xcompare.harness.plan import PartKind
from xcompare.harness.store import RunStore
from xcompare.results.comparison import Comparison
from xcompare.results.table import Normalization


def parts_from_store(
    path: str | PathLike[str], run: str | None, kind: PartKind, *, normalize: Normalization = "paper"
) -> dict[int, Comparison]:
    """The parts of the sweep or explanation that a run belongs to, in order.

    Raises
    ------
    DataError
        If the run does not belong to a result of this kind.
    """
    with RunStore(path, create=False) as store:
        found = store.find_comparison(run)
        if found.plan.part is None or found.plan.part.kind != kind:
            raise DataError(
                f"run must belong to a result of kind {kind!r}; got {found.key[:8]} ({found.name})"
            )
        stored = store.siblings(found)
    return {at: Comparison.from_store(path, one.key, normalize=normalize) for at, one in stored.items()}
