"""`Method`, a row of the registry, and `Scores`, the result of one run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from inspect import signature
from typing import Any, Literal

import numpy as np

from xcompare import rbridge
from xcompare.core.checks import check_choice
from xcompare.core.errors import DataError
from xcompare.methods.option import Option
from xcompare.version import __version__

Engine = Literal["python", "r"]
ENGINES: tuple[Engine, ...] = ("python", "r")
PYTHON: tuple[Engine, ...] = ("python",)
Kind = Literal["importance", "measure", "clustering", "tests", "choice"]
TableForm = Literal["native", "codes", "columns"]
TABLE_FORMS: tuple[TableForm, ...] = ("native", "codes", "columns")
NORMALIZATIONS = ("max", "minmax", "none")
CONTROL = "control"  # the family of what knows nothing of the data
SOFTWARE = f"xcompare {__version__}"  # what computes a native engine
WITH_SKLEARN = f"{SOFTWARE}, scikit-learn {version('scikit-learn')}"
# Features above which few methods still rank those that make clusters first, and those that draw features
# take long. Chosen on three designs; judged on three others of 800 to 2,000 features (correlated noise, t
# noise, unequal clusters; two draws each), mean AUC: refined 0.89, spec 0.77, sparse_kmeans 0.73, all others
# tried at most 0.63. Seconds a run at 100 x 3,000: 4, 0.1 and 5; basic and efron 17 and 22.
WIDE = 500
LONG = 10.0  # seconds of a run from which it is said before it starts


@dataclass(frozen=True, eq=False)
class Scores:
    """Result of one run of a method.

    Attributes
    ----------
    scores : ndarray of shape (n_features,)
        Raw scores, in the direction used in the literature.
    software : str
        Implementation with its version, e.g. ``"randomForest 4.7-1.1"``.
    labels : ndarray of shape (n_samples,) or None
        Partition, if the method finds one.
    warnings : tuple of str
        Warnings raised by Python or R.
    output : str
        Printed output of R.
    variants : dict of str to ndarray of shape (n_features,)
        Alternative scores of the same run by name, e.g. ``"unweighted"``.
    numbers : dict of str to ndarray of any length
        Results for the data as a whole by name, e.g. ``"p_clusters"``.
    details : mapping of str to object
        Further results by name, e.g. ``{"tree": CubtTree}``.
    """

    scores: np.ndarray
    software: str
    labels: np.ndarray | None = None
    warnings: tuple[str, ...] = ()
    output: str = ""
    variants: dict[str, np.ndarray] = field(default_factory=dict)
    numbers: dict[str, np.ndarray] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)


def linear_seconds(per_value: float, n_samples: int, n_features: int, n_clusters: int, **_: Any) -> float:
    """Time that grows with values and clusters, for `Method.seconds` with ``functools.partial``."""
    return per_value * n_samples * n_features * n_clusters


def checked_p_values(values: np.ndarray) -> np.ndarray:
    """Return the values if they are probabilities, else raise ``ValueError``."""
    if len(values) == 0 or values.min() < 0 or values.max() > 1:
        raise ValueError("p-values must lie between 0 and 1")
    return values


def labels_from_r(labels: np.ndarray) -> np.ndarray:
    """Convert R's labels, which start at 1, to labels from 0.

    Raises
    ------
    ValueError
        Labels are missing, or not whole numbers of at least 1.
    """
    with np.errstate(invalid="ignore"):
        codes = labels.astype(np.intp)
    wrong = labels[(codes != labels) | (codes < 1)]
    if len(wrong):
        got = f"{wrong[0]} in {len(wrong)} of {len(labels)} rows"
        raise ValueError(f"labels from R must be whole numbers from 1; got {got}")
    return codes - 1


def scores_from_r(result: rbridge.RResult, *, with_version: bool = False, **more: Any) -> Scores:
    """What an R function returned, as `Scores`; ``with_version``: R computed it without a package."""
    values = result.values
    software = f"R {result.r_version}, {values['package'][0]}" if with_version else values["package"][0]
    labels = None if values.get("labels") is None else labels_from_r(values["labels"])
    scores = more.pop("scores", values.get("importance"))
    return Scores(scores, software, labels, result.warnings, result.output, **more)


@dataclass(frozen=True)
class Method:
    """A row of the registry: everything that the rest of xcompare needs to know about a method.

    Attributes
    ----------
    name : str
        Name for users to type, e.g. ``"urf_gini"``.
    title : str
        Name in tables and reports.
    run : callable
        ``run(X, n_clusters, *, random_state, engine, **options) -> Scores`` on standardised ``X``.
    reference : str
        Citation with DOI.
    larger_is_better : bool, default=True
        Whether a larger raw score means a more important feature.
    normalization : {"max", "minmax", "none"}, default="max"
        Normalisation in the paper; "none" if raw scores are between 0 and 1.
    family : str, default=name
        Approach: "bagging", "forest", "tree", "weighted K-means", "graph", "K-means", "mixture",
        "minipatch".
        Methods of one family tend to agree with each other on any data. Default: a family of its
        own. A "control" is a reference for other methods and does not count in the answer.
    default : bool
        Whether `compare` runs it by default, as for `refined`, the published methods and their baselines.
    options : dict of str to Option
        The extra keyword arguments of ``run`` by name, with what they may be: see `option_table`.
    wide : bool
        Whether it is one of those that `compare` runs unless told otherwise above `WIDE` features.
    stochastic : bool
        Whether the result depends on the seed.
    engines : tuple of {"python", "r"}
        Available languages, the default first.
    kind : {"importance", "measure", "clustering", "tests", "choice"}
        Result of a run. "importance": a score per feature. "measure": the same for given labels, which
        ``run`` takes in place of ``n_clusters``. "clustering": labels alone. "tests": whether there are
        clusters, and p-values of the features. "choice": the number of clusters.
    seconds : callable or None
        ``seconds(n_samples, n_features, n_clusters, **options)``: approximate time of one run of the first
        engine on one core; None or 0 if never long.
    faster : str
        What takes less time, for the warning before a run of ten seconds or more; "" for no warning.
    most_samples : int or None
        Largest number of rows, for methods that need all pairwise distances. None: no limit.
    tables : {"columns", "codes", "native"}, default="columns"
        What it gets of a table with several kinds of features, or missing values. "columns": complete
        numbers, one column per feature. "codes": the same, and ``nominal``, the columns that hold codes of
        levels. "native": the table, and ``features``, with the Python engine.
    takes_weights : bool, default=False
        Whether ``run`` takes weights of the rows, ``sample_weight``, with the Python engine.
    r_required, r_preferred : tuple of str
        R packages that the R engine needs; packages that it uses if installed
        (otherwise the reference implementation in ``r_scripts`` computes the same).
    r_optional : tuple of str
        R packages used only if an option names them, e.g. ``r_package="ranger"``.
    """

    name: str
    title: str
    run: Callable[..., Scores] = field(repr=False)
    reference: str
    larger_is_better: bool = True
    normalization: Literal["max", "minmax", "none"] = "max"
    family: str = ""
    default: bool = True
    options: Mapping[str, Option] = field(default_factory=dict, hash=False, compare=False)
    wide: bool = False
    stochastic: bool = True
    engines: tuple[Engine, ...] = ENGINES
    kind: Kind = "importance"
    seconds: Callable[..., float] | None = field(default=None, repr=False)
    faster: str = ""
    most_samples: int | None = None
    tables: TableForm = "columns"
    takes_weights: bool = False
    r_required: tuple[str, ...] = ()
    r_preferred: tuple[str, ...] = ()
    r_optional: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "family", self.family or self.name)
        check_choice(f"normalization of {self.name}", self.normalization, NORMALIZATIONS)
        check_choice(f"tables of {self.name}", self.tables, TABLE_FORMS)

    def check_options(self, options: Mapping[str, Any]) -> None:
        """Raise ``DataError`` if an option has an invalid value."""
        for name, value in options.items():
            if name in self.options:
                self.options[name].check(value)

    def default_of(self, option: str) -> Any:
        """Default value of an option."""
        return signature(self.run).parameters[option].default

    @property
    def draws(self) -> bool:
        """Whether it draws some of the features at a time, as many as its option says."""
        return "max_features" in self.options

    def n_scores(self, n_features: int) -> int:
        """Number of scores of one run."""
        return 0 if self.kind in ("clustering", "choice") else n_features

    def why_slow(
        self, engine: Engine, shape: tuple[int, ...], n_clusters: int, options: Mapping[str, Any]
    ) -> str:
        """Warning before a long run on data of this shape; "" for engines other than the first."""
        seconds = self.expected_seconds(engine, shape, n_clusters, options)
        if seconds < LONG or not self.faster:
            return ""
        size = f"{shape[0]:,} rows and {shape[1]:,} features"
        return f"takes about {seconds:,.0f} s per run on {size}; {self.faster}"

    def expected_seconds(
        self, engine: Engine, shape: tuple[int, ...], n_clusters: int, options: Mapping[str, Any]
    ) -> float:
        """Approximate time of one run on data of this shape; 0 for engines other than the first."""
        if self.seconds is None or engine != self.engines[0]:
            return 0.0
        try:
            self.check_options(options)
        except DataError:  # reported by the run itself
            return 0.0
        return self.seconds(*shape, n_clusters, **options)

    def why_unavailable(self, engine: Engine, n_samples: int = 0, weighted: bool = False) -> str | None:
        """Why this method cannot run with this engine on ``n_samples`` rows; None if it can."""
        if engine not in self.engines:
            return f"{self.name} has no {engine} engine"
        if weighted and not (self.takes_weights and engine == "python"):
            return (
                f"{self.title} takes no row weights{' in R' if engine == 'r' else ''}: it runs only without"
                " sample_weight (--weights)"
            )
        if self.most_samples is not None and n_samples > self.most_samples:
            return (
                f"{self.title} needs all pairwise distances and is limited to {self.most_samples:,} rows;"
                f" got {n_samples:,}: use a sample of the rows"
            )
        if engine == "python":
            return None
        return rbridge.why_unavailable(self.r_required)
