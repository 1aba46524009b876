"""`StoredResult`: the protocol of results that are read back from a run store."""

from abc import abstractmethod
from os import PathLike
from typing import ClassVar, Self

from xcompare.harness.plan import PartKind
from xcompare.harness.store import RunStore, StoredComparison
from xcompare.results.result import Result
from xcompare.results.table import Normalization


class StoredResult(Result):
    """Base class of results of runs: `Comparison`, `Sweep`, `Explanation` and `KChoice`."""

    kind: ClassVar[PartKind | None] = None
    """What the comparisons in a run store are part of; None: of nothing."""

    @classmethod
    def from_store(
        cls,
        path: str | PathLike[str],
        run: str | None = None,
        *,
        normalize: Normalization = "paper",
        flip: bool = False,
    ) -> Self:
        """Read a result back from a run store; nothing is computed.

        Parameters
        ----------
        path : str or Path
        run : str or None, default=None
            Prefix of the key of its comparison, or of any of them, or its name (the latest of that name);
            None: the latest. See `list_runs`.
        normalize, flip
            As for `compare`; only comparisons and sweeps are shown so.

        Raises
        ------
        StoreError, UnknownNameError, DataError
        """
        with RunStore(path, create=False) as store:
            return cls.read(store, store.find_comparison(run, cls.kind), normalize, flip)

    @classmethod
    @abstractmethod
    def read(
        cls, store: RunStore, found: StoredComparison, normalize: Normalization = "paper", flip: bool = False
    ) -> Self:
        """The result that a comparison in an open store is, or is part of."""
