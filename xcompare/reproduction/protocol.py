"""The published protocol: what has to run for each row of the paper's tables, and how often."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from xcompare.datasets import DATASETS, load_dataset, paper_tables
from xcompare.harness.data import Data, prepare
from xcompare.harness.plan import Plan, Row, registered
from xcompare.methods import Engine

PAPER_DATASETS = ("illustrative", "overlap", "proportion", "correlation", "wine", "breast")

# The paper shows one draw of these, which it does not publish: only groups of features can be compared.
ONE_DRAW = ("overlap", "proportion", "correlation")

# Sizes of the subspace in the figures, besides those of the tables.
FIGURE_SIZES = {"illustrative": range(2, 7), "wine": range(2, 14), "breast": range(2, 10)}
QUICK_FIGURE_SIZES = {"illustrative": (2, 4), "wine": (3, 7), "breast": (3, 6)}

BAGGING = ("Basic", "Efron", "BBC")
CLUSTERINGS = ("K-means", "Hierarchical")
LITERATURE = ("URF_gini", "URF_perm", "CUBT", "TWKM", "LS")


@dataclass(frozen=True)
class Effort:
    """How often things are repeated.

    Attributes
    ----------
    n_runs : int
        Of the bagging rows; on simulated data each run has its own draw.
    n_literature_runs : int
        Of the other methods, and of K-means.
    n_replicas : int
        In a bag.
    figure_sizes : mapping of str to iterable of int
    """

    n_runs: int
    n_literature_runs: int
    n_replicas: int
    figure_sizes: Any = field(default_factory=lambda: FIGURE_SIZES)


FULL = Effort(n_runs=20, n_literature_runs=50, n_replicas=100)
QUICK = Effort(n_runs=4, n_literature_runs=8, n_replicas=40, figure_sizes=QUICK_FIGURE_SIZES)


@dataclass(frozen=True, eq=False)
class Job:
    """Everything that runs on one dataset, or on one draw of it.

    Attributes
    ----------
    dataset : str
    draw : int or None
        Seed of the draw; None for measured data.
    data : Data
    plan : Plan
        Its rows are the paper's, in the order of `rows`.
    rows : tuple of (str, int or None)
        Published name and subspace size of each row of the plan.
    """

    dataset: str
    draw: int | None
    data: Data
    plan: Plan
    rows: tuple[tuple[str, int | None], ...]


def paper_method(title: str, effort: Effort) -> tuple[str, dict[str, Any]]:
    """The method of the registry behind a published row, with the options that row needs.

    Examples
    --------
    >>> paper_method("TWKM", FULL)
    ('fgkm', {})
    >>> paper_method("Basic", FULL)
    ('basic', {'n_replicas': 100, 'quality_space': 'full'})
    """
    # Why these settings and no others: docs/REPRODUCTION.md.
    settings: dict[str, tuple[str, dict[str, Any]]] = {
        "Basic": ("basic", {"n_replicas": effort.n_replicas, "quality_space": "full"}),
        "Efron": ("efron", {"n_replicas": effort.n_replicas}),
        "BBC": ("bbc", {"n_replicas": effort.n_replicas}),
        "URF_gini": ("urf_gini", {"mtry": 5}),
        "URF_perm": ("urf_perm", {"mtry": 5, "protocol": "paper"}),
        "CUBT": ("cubt", {}),
        "TWKM": ("fgkm", {}),
        "LS": ("ls", {}),
        "K-means": ("kmeans", {}),
        "Hierarchical": ("complete_linkage", {}),
    }
    return settings[title]


def table_sizes(dataset: str) -> list[int]:
    """Subspace sizes that the tables of a dataset show."""
    cells = paper_tables()
    return sorted(int(m) for m in cells.loc[cells["dataset"] == dataset, "m"].dropna().unique())


def jobs(dataset: str, engines: tuple[Engine, ...], effort: Effort, random_state: int) -> Iterator[Job]:
    """What has to run for a dataset: one job for measured data, one per draw for simulated data."""
    if not DATASETS[dataset].drawn:
        yield _job(dataset, None, engines, effort, random_state)
        return
    for draw in range(max(effort.n_runs, effort.n_literature_runs)):
        yield _job(dataset, draw, engines, effort, random_state)


def _job(
    dataset: str,
    draw: int | None,
    engines: tuple[Engine, ...],
    effort: Effort,
    random_state: int,
) -> Job:
    """The rows of one dataset or draw; a draw stands for one run."""
    data = prepare(load_dataset(dataset, seed=draw or 0), None)
    rows: list[Row] = []
    names: list[tuple[str, int | None]] = []

    def add(title: str, m: int | None, n_runs: int, in_engines: tuple[Engine, ...]) -> None:
        if draw is not None:
            n_runs = int(draw < n_runs)
        if not n_runs:
            return
        method, options = paper_method(title, effort)
        if m is not None:
            options = {**options, "max_features": m}
        for engine in in_engines:
            rows.append(Row(method, engine, options, n_runs if registered(method).stochastic else 1))
            names.append((title, m))

    in_tables = table_sizes(dataset)
    for m in sorted({*in_tables, *effort.figure_sizes.get(dataset, ())}):
        for title in BAGGING:
            add(title, m, effort.n_runs, engines if m in in_tables else engines[:1])
    for title in LITERATURE:
        add(title, None, effort.n_literature_runs, engines)
    for title in CLUSTERINGS:
        add(title, None, effort.n_literature_runs, ("python",))
    plan = Plan(data.fingerprint, data.n_clusters, random_state, tuple(rows))
    return Job(dataset, draw, data, plan, tuple(names))
