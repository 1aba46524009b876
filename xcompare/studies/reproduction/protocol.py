"""The published protocol: the runs for each row of the paper's tables."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from xcompare.harness.data import Data
from xcompare.harness.plan import Plan, Row, registered
from xcompare.harness.preparation import prepare
from xcompare.io.datasets import DATASETS, load_dataset, paper_tables
from xcompare.methods import Engine
from xcompare.results.sweeping import part_of_sweep

PAPER_DATASETS = ("illustrative", "overlap", "proportion", "correlation", "wine", "breast")

# The paper uses one unpublished draw of these: only groups of features can be compared.
ONE_DRAW = ("overlap", "proportion", "correlation")

# Subspace sizes in the figures, in addition to those of the tables.
FIGURE_SIZES = {"illustrative": range(2, 7), "wine": range(2, 14), "breast": range(2, 10)}
QUICK_FIGURE_SIZES = {"illustrative": (2, 4), "wine": (3, 7), "breast": (3, 6)}

BAGGING = ("Basic", "Efron", "BBC")
CLUSTERINGS = ("K-means", "Hierarchical")
LITERATURE = ("URF_gini", "URF_perm", "CUBT", "TWKM", "LS")

# Registered method of each published row, and its options: all are explicit, independent of the defaults.
# docs/REPRODUCTION.md explains them.
_BAG = {"information": "kde", "cap": 1.0, "consensus": "medoid", "redundancy": "ignore"}
ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    "Basic": ("basic", {**_BAG, "n_init": 1, "quality_space": "full"}),
    "Efron": ("efron", {**_BAG, "n_init": 1, "quality_space": "subspace"}),
    "BBC": ("bbc", {**_BAG, "n_init": 20, "quality_space": "subspace"}),
    "URF_gini": ("urf_gini", {"mtry": 5, "n_forests": 1}),
    "URF_perm": ("urf_perm", {"mtry": 5, "n_forests": 1, "protocol": "paper"}),
    "CUBT": ("cubt", {}),
    "TWKM": ("fgkm", {}),
    "LS": ("ls", {}),
    "K-means": ("kmeans", {}),
    "Hierarchical": ("complete_linkage", {}),
}
TITLES = {name: title for title, (name, _) in ROWS.items()}


@dataclass(frozen=True)
class ReproductionEffort:
    """Numbers of runs and replicates."""

    n_runs: int  # runs of the bagging rows; on simulated data each run has its own draw
    n_literature_runs: int  # runs of the other methods, and of K-means
    n_replicas: int  # replicates per ensemble
    figure_sizes: Any = field(default_factory=lambda: FIGURE_SIZES)


FULL = ReproductionEffort(n_runs=20, n_literature_runs=50, n_replicas=100)
QUICK = ReproductionEffort(n_runs=4, n_literature_runs=8, n_replicas=40, figure_sizes=QUICK_FIGURE_SIZES)


@dataclass(frozen=True, eq=False)
class TableJob:
    """One comparison on a dataset or on one draw of it: the bagging rows at one size, or all others."""

    dataset: str
    draw: int | None  # seed of the draw; None for real data
    size: int | None  # features drawn per replicate; None for methods that draw none
    data: Data
    plan: Plan

    @property
    def rows(self) -> list[tuple[str, Row]]:
        """Rows of the plan, each with its published name."""
        return [(TITLES[row.method], row) for row in (*self.plan.rows, *self.plan.clusterings)]


def paper_method(title: str, effort: ReproductionEffort) -> tuple[str, dict[str, Any]]:
    """Registered method of a published row, with its options.

    Examples
    --------
    >>> paper_method("TWKM", FULL)
    ('fgkm', {})
    >>> paper_method("Basic", FULL)[1]["quality_space"]
    'full'
    """
    name, options = ROWS[title]
    return name, options | ({"n_replicas": effort.n_replicas} if title in BAGGING else {})


def jobs(
    dataset: str, engines: tuple[Engine, ...], effort: ReproductionEffort, random_state: int
) -> Iterator[TableJob]:
    """Comparisons for a dataset; for simulated data, for each draw."""
    n_draws = max(effort.n_runs, effort.n_literature_runs)
    for draw in range(n_draws) if DATASETS[dataset].drawn else (None,):
        yield from _jobs(dataset, draw, engines, effort, random_state)


def _jobs(
    dataset: str, draw: int | None, engines: tuple[Engine, ...], effort: ReproductionEffort, random_state: int
) -> Iterator[TableJob]:
    """Comparisons on one dataset or draw; a draw is one run."""
    name = dataset if draw is None else f"{dataset}, draw {draw}"
    data = prepare(load_dataset(dataset, seed=draw or 0), None, name=name, how="sd")

    def rows(titles: Iterable[str], n_runs: int, in_engines: tuple[Engine, ...]) -> tuple[Row, ...]:
        if draw is not None:
            n_runs = int(draw < n_runs)
        settings = [paper_method(title, effort) for title in titles if n_runs]
        return tuple(
            Row.of(registered(method), engine, options, n_runs)
            for method, options in settings
            for engine in in_engines
        )

    cells = paper_tables()
    in_tables = set(cells.loc[cells["dataset"] == dataset, "m"].dropna().astype(int))
    for size in sorted({*in_tables, *effort.figure_sizes.get(dataset, ())}):
        bagging = rows(BAGGING, effort.n_runs, engines if size in in_tables else engines[:1])
        if bagging:
            plan = Plan(data.fingerprint, data.n_clusters, random_state, bagging)
            yield TableJob(dataset, draw, size, data, part_of_sweep(plan, data.name, size))
    literature = rows(LITERATURE, effort.n_literature_runs, engines)
    if literature:
        clusterings = rows(CLUSTERINGS, effort.n_literature_runs, ("python",))
        plan = Plan(data.fingerprint, data.n_clusters, random_state, literature, clusterings)
        yield TableJob(dataset, draw, None, data, plan)
