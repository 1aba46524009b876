"""`load_run`: read any result from a run store."""

from os import PathLike

from xcompare.harness.store import RunStore
from xcompare.results.choosing_k import KChoice
from xcompare.results.comparison import Comparison
from xcompare.results.explanation import Explanation
from xcompare.results.result import StoredResult
from xcompare.results.sweep import Sweep
from xcompare.results.table import Normalization

RESULTS: dict[str | None, type[StoredResult]] = {
    one.kind: one for one in (Comparison, KChoice, Explanation, Sweep)
}


def load_run(
    path: str | PathLike[str], run: str | None = None, *, normalize: Normalization = "paper"
) -> StoredResult:
    """Read a result back from a run store; nothing is computed.

    ``run``: prefix of the key of a comparison, or a name; None: the latest. Any comparison of a sweep or an
    explanation identifies it. ``normalize``: as for `compare`; only comparisons and sweeps use it.
    """
    with RunStore(path, create=False) as store:
        found = store.find_comparison(run)
        part = found.plan.part
        return RESULTS[None if part is None else part.kind].read(store, found, normalize)
