"""Whatever a run store holds, read back: a comparison, a sweep, an explanation or a choice of K."""

from os import PathLike

from xcompare.harness.store import RunStore
from xcompare.results import sweeping
from xcompare.results.choosing_k import KChoice
from xcompare.results.comparison import Comparison
from xcompare.results.explanation import Explanation
from xcompare.results.table import Normalization


def load_run(
    path: str | PathLike[str],
    run: str | None = None,
    *,
    normalize: Normalization = "paper",
) -> Comparison | sweeping.Sweep | Explanation | KChoice:
    """Read a run back from a run store; nothing is computed.

    Parameters
    ----------
    path : str or Path
    run : str or None, default=None
        First characters of the key of a comparison, or a name; None: the latest. Of a sweep, an
        explanation or a choice of K, any of its comparisons will do.
    normalize
        As for `compare`; an explanation has its own way.

    Raises
    ------
    StoreError, UnknownNameError
    """
    with RunStore(path, create=False) as store:
        found = store.find_comparison(run)
    if found.plan.part is not None and found.plan.part.kind == "explanation":
        return Explanation.from_store(path, found.key)
    if found.plan.part is not None and found.plan.part.kind == "choice":
        return KChoice.from_store(path, found.key)
    return sweeping.load_run(path, run, normalize=normalize)
