"""`sweep`: how much the result depends on the number of features a replica draws."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from xcompare.comparison import export
from xcompare.comparison.answer import Voice, answer, overall_ranks
from xcompare.comparison.compare import chosen_clusters, make_plan, run_comparisons, with_subspace
from xcompare.comparison.partition import ConsensusPartition, consensus_of
from xcompare.comparison.result import Comparison
from xcompare.comparison.table import Normalization, check_normalization
from xcompare.exceptions import DataError
from xcompare.harness.data import prepare
from xcompare.harness.execution import Execution
from xcompare.harness.hashing import as_text, digest
from xcompare.harness.plan import EngineChoice, Part, Plan, chosen_methods, seed_of, subspace_size
from xcompare.harness.progress import ProgressReport
from xcompare.harness.store import RunStore
from xcompare.methods import METHODS

if TYPE_CHECKING:
    from xcompare.plots import SweepPlots

OPTION = "max_features"


@dataclass(frozen=True, eq=False)
class Sweep:
    """Comparisons that differ in the number of features a replica draws. Made by `sweep`.

    Attributes
    ----------
    name : str
        Of the dataset.
    comparisons : dict of int to Comparison
        One per size of the subspace, in the order asked for.
    """

    name: str
    comparisons: dict[int, Comparison]

    @property
    def table(self) -> pd.DataFrame:
        """Mean of the normalised scores; rows are method (and engine, when both ran) and subspace size."""
        return self._joined(lambda comparison: comparison.table)

    @property
    def std(self) -> pd.DataFrame:
        """Standard deviation over the runs; rows as in `table`."""
        return self._joined(lambda comparison: comparison.std)

    @property
    def clustering(self) -> pd.DataFrame:
        """Agreement with the reference labels; rows as in `table`, the plain clusterings among them."""
        return self._joined(lambda comparison: comparison.clustering)

    @property
    def raw(self) -> pd.DataFrame:
        """Every score, one row per size, method, engine, run and feature."""
        return self._stacked(lambda comparison: comparison.raw)

    @property
    def failures(self) -> pd.DataFrame:
        """What did not run and why."""
        return self._stacked(lambda comparison: comparison.failures)

    @property
    def answer(self) -> str:
        """What matters most, and at how many sizes of the subspace, in one line."""
        return answer(self._voices, self._feature_names, kind="sizes of the subspace")

    @property
    def notes(self) -> list[str]:
        """What is suspicious about columns, as for a `Comparison`."""
        return next(iter(self.comparisons.values())).notes

    @property
    def overall_ranks(self) -> pd.Series:
        """Mean place of each feature over the sizes, the most important feature first."""
        return overall_ranks(self._voices, self._feature_names)

    @cached_property
    def consensus(self) -> ConsensusPartition | None:
        """The partition nearest to those of all methods, sizes and runs; None when there is none."""
        return consensus_of([one for found in self.comparisons.values() for one in found.partitions])

    @property
    def plot(self) -> "SweepPlots":
        """Plots that return matplotlib ``Axes``: ``plot()`` is scores against the size of the subspace."""
        from xcompare.plots import SweepPlots

        return SweepPlots(self)

    def to_latex(
        self,
        path: str | PathLike[str] | None = None,
        *,
        features: Sequence[str] | None = None,
        bold: bool = True,
        transpose: bool = False,
    ) -> str | None:
        """The table as LaTeX, a row per method and size; parameters as for `Comparison.to_latex`."""
        text = export.sweep_latex(self, features, bold=bold, transpose=transpose)
        return export.written(text, path)

    @property
    def _voices(self) -> list[Voice]:
        """What each method says at each size; a size has one vote."""
        return [
            replace(voice, title=f"{voice.title}, m={size}", family=f"m={size}")
            for size, found in self.comparisons.items()
            for voice in found.voices.values()
        ]

    @property
    def _feature_names(self) -> tuple[str, ...]:
        return next(iter(self.comparisons.values())).feature_names

    def _joined(self, part: Callable[[Comparison], pd.DataFrame]) -> pd.DataFrame:
        """One frame with the size as last level of the index, the sizes of a method side by side."""
        frames = {size: part(comparison) for size, comparison in self.comparisons.items()}
        joined = pd.concat(frames, names=[OPTION])
        who = list(range(1, joined.index.nlevels))
        joined = joined.reorder_levels([*who, 0])
        order = {row: at for at, row in enumerate(dict.fromkeys(row[:-1] for row in joined.index))}
        return joined.iloc[sorted(range(len(joined)), key=lambda at: order[joined.index[at][:-1]])]

    def _stacked(self, part: Callable[[Comparison], pd.DataFrame]) -> pd.DataFrame:
        """Long frames under each other, led by the size."""
        frames = [part(comparison).assign(**{OPTION: size}) for size, comparison in self.comparisons.items()]
        stacked = pd.concat(frames, ignore_index=True)
        return stacked[[OPTION, *(column for column in stacked if column != OPTION)]]


def sweep(
    X: Any,
    n_clusters: int | Literal["auto"] | None = None,
    max_features: Iterable[int | float] = (),
    *,
    methods: str | Iterable[str] = "default",
    engine: EngineChoice = "auto",
    n_runs: int = 20,
    y_true: Any = None,
    n_jobs: int | None = None,
    random_state: int | None = 0,
    store: str | PathLike[str] | None = None,
    timeout: float | None = None,
    progress: bool | Callable[[ProgressReport], None] = True,
    normalize: Normalization = "paper",
    name: str | None = None,
    scheduler: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Sweep:
    """Robustness to the number of features a replica draws.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features), or Dataset
    n_clusters : int, "auto" or None, default=None
        As for `compare`.
    max_features : iterable of int or float
        Sizes of the subspace to try: numbers of features, or shares of them.
    methods : "default", "all", str or iterable of str, default="default"
        Of the methods that draw features: the bagging schemes.
    engine, n_runs, y_true, n_jobs, random_state, store, timeout, progress, normalize, name
        As for `compare`. In a store, each size is a comparison of its own.
    scheduler, options
        As for `compare`.

    Returns
    -------
    Sweep

    Examples
    --------
    >>> import xcompare
    >>> iris = xcompare.load_dataset("iris")
    >>> found = xcompare.sweep(iris, max_features=[2, 3], methods="efron", n_runs=1, n_jobs=1)
    >>> found.table.loc["efron"].idxmin(axis=1).to_dict()
    {2: 'Sepal width', 3: 'Sepal width'}
    """
    execution = Execution(n_jobs, store, timeout, progress, scheduler)
    check_normalization(normalize)
    seed, chosen = seed_of(random_state), ""
    if n_clusters == "auto":
        n_clusters, chosen = chosen_clusters(X, execution, seed, name)
    data = prepare(X, n_clusters, y_true, name)
    sizes = [subspace_size(size, len(data.feature_names)) for size in max_features]
    if not sizes or None in sizes:
        raise DataError("max_features must list the sizes to try, e.g. [3, 5, 8]; got none")
    given = with_subspace(options, None, data)
    plan = replace(make_plan(data, _schemes(methods), engine, n_runs, given, seed), chosen=chosen)
    plans = {size: part_of_sweep(plan, data.name, size) for size in sizes if size is not None}
    found = run_comparisons([(data, one) for one in plans.values()], execution, normalize)
    return Sweep(data.name, dict(zip(plans, found, strict=True)))


def part_of_sweep(plan: Plan, name: str, size: int) -> Plan:
    """The plan with so many features drawn, as part of the sweep of data of this name."""
    alike = replace(plan, rows=tuple(replace(row, options=row.options | {OPTION: None}) for row in plan.rows))
    rows = tuple(replace(row, options=row.options | {OPTION: size}) for row in plan.rows)
    return replace(plan, rows=rows, part=Part("sweep", digest(as_text([name, alike.to_json()])), size))


def load_run(
    path: str | PathLike[str], run: str | None = None, *, normalize: Normalization = "paper"
) -> Comparison | Sweep:
    """Read a comparison or a sweep back from a run store; nothing is computed.

    Parameters
    ----------
    path : str or Path
    run : str or None, default=None
        First characters of the key of a comparison, or a name; None: the latest. Of a sweep, any of its
        comparisons will do.
    normalize
        As for `compare`.

    Raises
    ------
    StoreError, UnknownNameError
    """
    with RunStore(path, create=False) as store:
        stored = store.comparisons()
        found = store.find_comparison(run)
    part = found.plan.part
    if part is None or part.kind != "sweep":
        return Comparison.from_store(path, found.key, normalize=normalize)
    kin = {
        one.plan.part.at: one.key
        for one in reversed(stored)
        if one.plan.part is not None and one.plan.part.whole == part.whole
    }
    comparisons = {size: Comparison.from_store(path, kin[size], normalize=normalize) for size in sorted(kin)}
    return Sweep(found.name, comparisons)


def _schemes(methods: str | Iterable[str]) -> list[str]:
    """The methods asked for, all of which must draw features if they were named."""
    chosen = chosen_methods(methods)
    drawing = [method.name for method in chosen if OPTION in method.options]
    others = [method.name for method in chosen if method.name not in drawing]
    if others and methods not in ("default", "all"):
        do = ", ".join(name for name, method in METHODS.items() if OPTION in method.options)
        raise DataError(f"{others[0]} draws no features, so there is nothing to vary; {do} do")
    return drawing
