"""The benchmark scenarios: description, data generation and definition of relevant features."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from xcompare import rbridge
from xcompare.core.errors import DataError, UnknownNameError
from xcompare.core.names import listed
from xcompare.io.datasets import Dataset
from xcompare.studies.benchmark import measured, mixed, published, simulated
from xcompare.studies.benchmark.simulated import Parts

Tier = Literal[1, 2, 3]
TIERS: tuple[Tier, ...] = (1, 2, 3)
USUAL_TIERS: tuple[Tier, ...] = (1, 2)
NOISE, SIGNAL, UNCLEAR = "noise", "signal", "unclear"
IN_VIEW = ("pbmc68k",)  # tests of others that were in view while `refined` was developed: docs/refined.md
K_WITHOUT_CLUSTERS = 3  # number of clusters given to methods if there are none

MOVED = "The clusters have different means in it; noise is independent of the clusters."
TOGETHER = "It separates the clusters jointly with the other relevant feature."
DIFFERS = "It differs between the classes (Kruskal-Wallis, q <= .01); other original features do not count."
MARKER = "It is a known marker gene of one of the cell types."
NONE = "None: there are no clusters."


@dataclass(frozen=True)
class Scenario:
    """A benchmark scenario.

    Attributes
    ----------
    name : str
    tier : {1, 2, 3}
        1: simulated, the truth is known. 2: real data with labels and appended noise. 3: designed by others.
    make : callable
        ``make(rng, **parameters) -> Parts``.
    parameters : mapping
    about : str
        One-sentence description.
    relevant : str
        Definition of a relevant feature.
    quick : bool
        Whether it is part of a quick benchmark.
    n_draws : int or None
        Maximum number of draws, for slow data.
    r_packages, python_packages : tuple of str
        Packages that provide the data; without them the scenario is skipped.
    source : str
        Scenarios of one source are a family; the key of `published_results.SOURCES`.
    """

    name: str
    tier: Tier
    make: Callable[..., Parts] = field(repr=False)
    about: str
    relevant: str = MOVED
    parameters: Mapping[str, Any] = field(default_factory=dict)
    quick: bool = False
    n_draws: int | None = None
    r_packages: tuple[str, ...] = ()
    python_packages: tuple[str, ...] = ()
    source: str = ""

    @property
    def family(self) -> str:
        """Scenarios that results are summarised over: those of a source, all simulated or all real data."""
        return self.source or ("simulated" if self.tier == 1 else "real data")

    @property
    def role(self) -> Literal["development", "judgement"]:
        """Whether `refined` was developed with scenarios of this family in view, or is judged by it."""
        return "judgement" if self.tier == 3 and self.source not in IN_VIEW else "development"

    @property
    def empty(self) -> bool:
        """Whether it has no clusters."""
        return self.relevant == NONE

    @property
    def why_left_out(self) -> str | None:
        """Why the data are not available; None if they are."""
        missing = [name for name in self.python_packages if find_spec(name) is None]
        if missing:
            return f"the data need {' and '.join(missing)}: pip install {' '.join(self.python_packages)}"
        return rbridge.why_unavailable(self.r_packages) if self.r_packages else None

    def draw(self, seed: int) -> Dataset:
        """One draw, with columns in random order, so that their position gives no information.

        The ``groups`` of the dataset are "signal", "noise" or "unclear".
        """
        rng = np.random.default_rng(seed)
        parts = self.make(rng, **self.parameters)
        blocks = {SIGNAL: parts.signal, NOISE: parts.noise}
        if parts.unclear is not None:
            blocks[UNCLEAR] = parts.unclear
        groups = [group for group, block in blocks.items() for _ in range(block.shape[1])]
        names = [f"{group}{j + 1}" for group, block in blocks.items() for j in range(block.shape[1])]
        order = rng.permutation(len(groups))
        return Dataset(
            self.name,
            np.hstack(list(blocks.values()))[:, order],
            parts.labels,
            tuple(names[at] for at in order),
            K_WITHOUT_CLUSTERS if parts.labels is None else len(np.unique(parts.labels)),
            np.array(groups)[order] == SIGNAL,
            tuple(groups[at] for at in order),
            tuple(parts.kinds[at] for at in order) if parts.kinds else (),
        )


def _simulated(name: str, make: Callable[..., Parts], about: str, relevant: str = MOVED, *, quick=False,
               n_draws=None, r_packages=(), **parameters: Any) -> Scenario:  # fmt: skip
    return Scenario(name, 1, make, about, relevant, parameters, quick, n_draws, r_packages)


def _measured(name: str, make: Callable[..., Parts], about: str, *, quick=False, n_draws=None,
              **parameters: Any) -> Scenario:  # fmt: skip
    packages = (parameters["package"],) if "package" in parameters else ()
    return Scenario(name, 2, make, about, DIFFERS, parameters, quick, n_draws, packages)


def _published(name: str, source: str, make: Callable[..., Parts], about: str, relevant: str = MOVED, *,
               n_draws=None, python_packages=(), **parameters: Any) -> Scenario:  # fmt: skip
    return Scenario(
        name, 3, make, about, relevant, parameters, n_draws=n_draws, python_packages=python_packages,
        source=source,
    )  # fmt: skip


DESIGN = ("clusterGeneration",)

_ROWS = (
    _simulated("shared", simulated.shared,
        "3 of 10 features share three Gaussian clusters.", quick=True),
    _simulated("lone", simulated.lone,
        "1 of 10 features has two groups; no other is associated with them.", quick=True),
    _simulated("correlated_noise", simulated.correlated_noise,
        "7 noise features with correlation .8.", quick=True),
    _simulated("few_of_60", simulated.shared,
        "4 of 60 features, 100 rows, clusters close to each other.",
        n=100, n_signal=4, n_noise=56, apart=1.5, quick=True),
    _simulated("few_of_1000", simulated.shared,
        "10 of 1,000 features, 100 rows.", n=100, n_signal=10, n_noise=990, n_draws=3),
    _simulated("heavy_tails", simulated.heavy_tails,
        "Heavy-tailed noise (Student's t, 2 degrees of freedom).", quick=True),
    _simulated("skewed", simulated.skewed, "Log-normal noise."),
    _simulated("small_cluster", simulated.small_cluster,
        "One of two clusters has 5% of the rows.", quick=True),
    _simulated("diagonals", simulated.diagonals,
        "Two elongated parallel clusters; each single feature is unimodal.", TOGETHER, quick=True),
    _simulated("rings", simulated.rings, "Two concentric rings, with the same centre.", TOGETHER),
    _simulated("moons", simulated.moons, "Two interleaving half circles.", TOGETHER),
    _simulated("binary_noise", simulated.discrete_noise,
        "4 binary noise features: clear groups that no other feature shares.",
        quick=True),
    _simulated("categorical_noise", simulated.discrete_noise,
        "4 noise features take five values.", n_values=5),
    _simulated("copies", simulated.copies, "3 features redundant with one of 3 relevant ones: 6 of 12."),
    _simulated("one_cluster_each", simulated.one_cluster_each,
        "Each of 3 features separates one of 4 clusters from the rest."),
    _simulated("unequal", simulated.unequal,
        "Clusters of 60, 30 and 10% of the rows, with standard deviations of 0.5, 1 and 2."),
    _simulated("outliers", simulated.outliers,
        "2% of the values of noise features are outliers by ten standard deviations."),
    _simulated("n_50", simulated.shared, "As shared, 50 rows.", n=50),
    _simulated("n_1000", simulated.shared, "As shared, 1,000 rows.", n=1000, n_draws=3),
    _simulated("n_5000", simulated.shared, "As shared, 5,000 rows.", n=5000, n_draws=2),
    _simulated("close", simulated.shared, "As shared, with clusters closer to each other.", apart=1.0),
    _simulated("illustrative", simulated.paper,
        "The paper's example: 3 of 6, uniform noise.", dataset="illustrative", quick=True),
    _simulated("overlap", simulated.paper, "The paper's design of overlap: 15 of 21.", dataset="overlap"),
    _simulated("proportion", simulated.paper,
        "The paper's design of unequal sizes: 8 of 16.", dataset="proportion"),
    _simulated("correlation", simulated.paper,
        "The paper's design of correlated features: 12 of 18.", dataset="correlation"),
    _simulated("design_separated", simulated.cluster_design,
        "clusterGeneration: 3 separated clusters of any shape, 4 of 8.", r_packages=DESIGN, separation=0.21),
    _simulated("design_close", simulated.cluster_design,
        "clusterGeneration: 3 close clusters, 4 of 8.", r_packages=DESIGN, separation=0.01),
    _simulated("design_six", simulated.cluster_design,
        "clusterGeneration: 6 well separated clusters, 8 of 24.",
        r_packages=DESIGN, k=6, separation=0.342, n_signal=8, n_noise=16),
    _simulated("nothing_gaussian", simulated.nothing,
        "A correlated Gaussian distribution.", NONE, kind="correlated", quick=True),
    _simulated("nothing_uniform", simulated.nothing,
        "Uniform features.", NONE, kind="uniform", quick=True),
    _simulated("nothing_heavy", simulated.nothing,
        "Heavy-tailed features (Student's t, 3 degrees of freedom).", NONE, kind="heavy"),
    _simulated("nothing_skewed", simulated.nothing,
        "Exponential features.", NONE, kind="skewed"),
    _simulated("nothing_counts", simulated.nothing,
        "Counts (Poisson, mean 2).", NONE, kind="counts"),
    _simulated("nothing_log_counts", simulated.nothing,
        "log(1 + counts) with a common factor of each row.", NONE, kind="log_counts", n=200, p=15),
    _simulated("nothing_binary", simulated.nothing, "Binary features.", NONE, kind="binary", p=10),
    _simulated("nothing_grades", simulated.nothing,
        "Grades from 1 to 5 that share a factor.", NONE, kind="grades", n=200, p=8),
    _simulated("nothing_ball", simulated.nothing, "A uniform ball.", NONE, kind="ball", n=200, p=4),
    _simulated("nothing_mixed", simulated.nothing,
        "A Gaussian, a uniform, an exponential, a heavy-tailed, a count and a binary feature.",
        NONE, kind="mixed", n=200, quick=True),
    _simulated("nothing_wide", simulated.nothing, "100 Gaussian features, 100 rows.", NONE, kind="gaussian",
        p=100),
    _simulated("mixed_levels", mixed.table,
        "As shared: 2 relevant categories and a number, 4 random categories of up to 30 levels.",
        signal=("nominal", "nominal", "numeric"), noise=("nominal",) * 4 + ("numeric",) * 3, quick=True),
    _simulated("mixed_grades", mixed.table, "As shared: relevant and random features of five grades.",
        signal=("ordinal",) * 3, noise=("ordinal",) * 4 + ("numeric",) * 3),
    _simulated("mixed_scales", mixed.table,
        "As shared: a number, grades and a category are relevant; units from 0.001 to 10,000.",
        signal=("numeric", "ordinal", "nominal"), noise=("nominal", "ordinal") * 2 + ("numeric",) * 3,
        units=(-3, 4)),
    _simulated("missing_random", mixed.table, "As shared, 20% of the values missing at random.",
        gaps="random", quick=True),
    _simulated("missing_by_value", mixed.table, "As shared, 20% missing, more of the larger values.",
        gaps="by_value"),
    _simulated("mixed_missing", mixed.table, "As mixed_levels, 20% of the values missing at random.",
        signal=("nominal", "nominal", "numeric"), noise=("nominal",) * 4 + ("numeric",) * 3, gaps="random"),
    _measured("iris", measured.bundled, "Iris, 3 species (scikit-learn).", dataset="iris", quick=True),
    _measured("wine", measured.bundled, "Wine, 3 cultivars (scikit-learn).", dataset="wine", quick=True),
    _measured("breast", measured.bundled,
        "Breast cancer, original: features of ten values.", dataset="breast"),
    _measured("wdbc", measured.wdbc, "Breast cancer, diagnostic (scikit-learn): 30 correlated features."),
    _measured("digits", measured.digits,
        "Handwritten digits, 600 rows (scikit-learn): 10 classes.", n_draws=3),
    _measured("penguins", measured.from_r,
        "Penguins, 3 species.",
        package="palmerpenguins", table="penguins", label="species", drop=("year",), quick=True),
    _measured("banknote", measured.from_r,
        "Swiss bank notes, genuine or not.", package="mclust", table="banknote", label="Status"),
    _measured("thyroid", measured.from_r,
        "Thyroid, 3 diagnoses.", package="mclust", table="thyroid", label="Diagnosis"),
    _measured("diabetes", measured.from_r,
        "Diabetes, 3 diagnoses in 3 features.", package="mclust", table="diabetes", label="class"),
    _measured("crabs", measured.from_r,
        "Crabs, species and sex: 4 classes in 5 features that all measure size.",
        package="MASS", table="crabs", label=("sp", "sex"), drop=("index",)),
    _measured("vehicle", measured.from_r,
        "Silhouettes of 4 vehicles.", package="mlbench", table="Vehicle", label="Class", n_draws=3),
    _measured("glass", measured.from_r, "Glass, 6 types.", package="mlbench", table="Glass", label="Type"),
    _measured("zoo", measured.from_r,
        "Animals, 7 types: all features but one are binary.", package="mlbench", table="Zoo", label="type"),
    _measured("ionosphere", measured.from_r,
        "Radar returns, 2 classes that do not form clusters.",
        package="mlbench", table="Ionosphere", label="Class"),
    _measured("sonar", measured.from_r,
        "Sonar, 2 classes that do not form clusters.", package="mlbench", table="Sonar", label="Class"),
    _measured("golub_500", measured.from_r,
        "Leukaemia, 38 samples, the 500 most variable genes.",
        package="multtest", table="golub", label="golub.cl", most_variable=500, n_noise=100, n_draws=3),
    _measured("golub", measured.from_r,
        "Leukaemia, 38 samples, 3,051 genes.",
        package="multtest", table="golub", label="golub.cl", n_noise=500, n_draws=1),
    _published("pbmc68k", "pbmc68k", published.pbmc68k,
        "700 blood cells of 10 types, 765 genes (scanpy).", MARKER,
        python_packages=("scanpy", "h5py"), n_draws=3),
    *(_published(f"loco_{kind}_{p}", "cluster_loco", published.cluster_loco,
        f"Cluster LOCO: 7 clusters, {about}, 10 of {p:,} features.", kind=kind, p=p,
        n_draws=3 if p < 50 else 2)
        for kind, about in (("gaussian", "Gaussian"), ("moons", "rings and moons"), ("gamma", "gamma"))
        for p in (20, 50, 200, 1000)),
    *(_published(f"sparse_kmeans_{p}", "sparse_kmeans", published.sparse_kmeans_design,
        f"Sparse K-means: 3 classes of 20 rows, means 0 and ±0.7 in 50 of {p} features.", mu=0.7, p=p)
        for p in (200, 500)),
    _published("clustvarsel", "clustvarsel", published.clustvarsel_example,
        "clustvarsel: 2 clusters in 2 of 5 features; X3 is X1 with noise.",
        "The clusters have different means in it, also given the other features."),
)  # fmt: skip

SCENARIOS: dict[str, Scenario] = {row.name: row for row in _ROWS}


def chosen_scenarios(
    names: str | Iterable[str] = "all", tiers: Iterable[int] | None = None, *, quick: bool = False
) -> list[Scenario]:
    """Select scenarios by name and tier; a quick benchmark has a subset unless names are given.

    Without tiers: the first two, or any if names are given.
    """
    tiers = tuple(tiers) if tiers is not None else USUAL_TIERS if names == "all" else TIERS
    for tier in tiers:
        if tier not in TIERS:
            raise UnknownNameError(f"tiers must be among 1, 2, 3; got {tier!r}")
    quick = quick and names == "all"
    if isinstance(names, str):
        names = SCENARIOS if names == "all" else names.split(",")
    names = [name.strip() for name in names]
    for name in names:
        if name not in SCENARIOS:
            near = get_close_matches(name, SCENARIOS, n=1)
            hint = (
                f"did you mean {near[0]!r}?" if near else f"known: {listed(SCENARIOS)} (docs/leaderboard.md)"
            )
            raise UnknownNameError(f"no scenario named {name!r}; {hint}")
    chosen = [
        row
        for row in SCENARIOS.values()
        if row.name in names and row.tier in tiers and (row.quick or row.tier == 3 or not quick)
    ]
    if not chosen:
        raise DataError(
            f"no scenario is selected in tiers {tiers}; choose scenarios and tiers (1, 2, 3) that go together"
        )
    return chosen
