"""What a method is: the table row that names it, and what one run of it returns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, Literal

import numpy as np

from xcompare import rbridge
from xcompare.core.checks import check_choice
from xcompare.methods.option import Option
from xcompare.version import __version__

Engine = Literal["python", "r"]
ENGINES: tuple[Engine, ...] = ("python", "r")
Kind = Literal["importance", "measure", "clustering", "tests", "choice"]
KINDS: tuple[Kind, ...] = ("importance", "measure", "clustering", "tests", "choice")
NORMALIZATIONS = ("max", "minmax", "none")
CONTROL = "control"  # the family of what knows nothing of the data
SOFTWARE = f"xcompare {__version__}"  # what computes a native engine
# Features above which few methods still rank those that make clusters first, and those that draw features
# take long. Chosen on three designs; judged on three others of 800 to 2,000 features (correlated noise, t
# noise, unequal clusters; two draws each), mean AUC: refined 0.89, spec 0.77, sparse_kmeans 0.73, all others
# tried at most 0.63. Seconds a run at 100 x 3,000: 4, 0.1 and 5; basic and efron 17 and 22.
WIDE = 500


@dataclass(frozen=True, eq=False)
class Scores:
    """One run of one method.

    Attributes
    ----------
    scores : ndarray of shape (n_features,)
        Raw scores, in the direction the literature gives them.
    software : str
        What computed them, with its version, e.g. ``"randomForest 4.7-1.1"``.
    labels : ndarray of shape (n_samples,) or None
        The partition the method found, where it finds one.
    warnings : tuple of str
        Warnings raised on the way, by Python or R.
    output : str
        What R printed.
    variants : dict of str to ndarray of shape (n_features,)
        Other readings of the same run, by name, e.g. ``"unweighted"``.
    numbers : dict of str to ndarray of any length
        What the run says of the data as a whole, by name, e.g. ``"p_clusters"``.
    details : mapping of str to object
        What else the method found, by name, e.g. ``{"tree": CubtTree}``.
    """

    scores: np.ndarray
    software: str
    labels: np.ndarray | None = None
    warnings: tuple[str, ...] = ()
    output: str = ""
    variants: dict[str, np.ndarray] = field(default_factory=dict)
    numbers: dict[str, np.ndarray] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)


def n_scores(kind: Kind, n_features: int) -> int:
    """Length of ``scores`` in one run of this kind, for data of so many features."""
    return 0 if kind in ("clustering", "choice") else n_features


def checked_p_values(values: np.ndarray) -> np.ndarray:
    """The values, if they are probabilities; else ``ValueError``."""
    if len(values) == 0 or values.min() < 0 or values.max() > 1:
        raise ValueError("p-values must lie between 0 and 1")
    return values


def labels_from_r(labels: np.ndarray) -> np.ndarray:
    """Clusters that R counts from 1, counted from 0.

    Raises
    ------
    ValueError
        Some are missing, or no whole numbers of at least 1.
    """
    with np.errstate(invalid="ignore"):
        whole = np.asarray(labels) >= 1
        whole &= np.asarray(labels) == np.floor(labels)
    if not whole.all():
        wrong = np.asarray(labels)[~whole]
        raise ValueError(
            f"labels from R must be whole numbers from 1; got {wrong[0]} in {len(wrong)} of {whole.size} rows"
        )
    return np.asarray(labels).astype(np.intp) - 1


@dataclass(frozen=True)
class Method:
    """A row of the registry: everything the rest of xcompare knows about a method.

    Attributes
    ----------
    name : str
        What users type, e.g. ``"urf_gini"``.
    title : str
        What tables and reports show.
    run : callable
        ``run(X, n_clusters, *, random_state, engine, **options) -> Scores`` on standardised ``X``.
    larger_is_better : bool
        Whether a larger raw score means a more important feature.
    normalization : {"max", "minmax", "none"}
        How the published row was normalised; "none" where raw scores are already between 0 and 1.
    reference : str
        Citation with DOI.
    family : str, default=name
        What it is built on: "bagging", "forest", "tree", "weighted K-means", "graph", "K-means", "mixture".
        Methods of one family tend to agree with each other whatever the data says. Default: a family of its
        own. "control" is no method, but what methods are compared with: it does not count in the answer.
    default : bool
        Whether `compare` runs it unless told otherwise: `refined`, the published methods and their baselines.
    options : dict of str to Option
        The extra keyword arguments of ``run`` by name, with what they may be: see `option_table`.
    wide : bool
        Whether it is one of those that `compare` runs unless told otherwise above `WIDE` features.
    stochastic : bool
        Whether the seed matters.
    engines : tuple of {"python", "r"}
        The languages it exists in, the one it runs in unless told otherwise first.
    kind : {"importance", "measure", "clustering", "tests", "choice"}
        What one run gives. "importance": a score per feature. "measure": the same for given labels, which
        ``run`` takes in place of ``n_clusters``. "clustering": labels alone. "tests": whether there are
        clusters, and p-values of the features. "choice": the number of clusters.
    read : callable or None
        Of tests and choices: what they found, from the `Scores` that they travel as. Raises ``KeyError`` or
        ``ValueError`` on numbers that no run gives.
    slow : callable or None
        ``slow(n_samples, n_features, n_clusters, **options)``: a sentence where one run of its first engine
        takes well over ten seconds, with what to do about it; else "". None: it never does, for its size.
    most_samples : int or None
        Rows above which it is left out, where it needs the distances between all of them. None: any number.
    r_required, r_preferred : tuple of str
        R packages the R engine cannot do without; packages it uses where installed
        (otherwise the reference implementation in ``r_scripts`` computes the same).
    r_optional : tuple of str
        R packages used only where an option names them, e.g. ``r_package="ranger"``.
    """

    name: str
    title: str
    run: Callable[..., Scores] = field(repr=False)
    larger_is_better: bool
    normalization: Literal["max", "minmax", "none"]
    reference: str
    family: str = ""
    default: bool = True
    options: Mapping[str, Option] = field(default_factory=dict, hash=False, compare=False)
    wide: bool = False
    stochastic: bool = True
    engines: tuple[Engine, ...] = ENGINES
    kind: Kind = "importance"
    read: "Callable[[Scores], Any] | None" = field(default=None, repr=False)
    slow: Callable[..., str] | None = field(default=None, repr=False)
    most_samples: int | None = None
    r_required: tuple[str, ...] = ()
    r_preferred: tuple[str, ...] = ()
    r_optional: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "family", self.family or self.name)
        check_choice(f"normalization of {self.name}", self.normalization, NORMALIZATIONS)

    def check_options(self, options: Mapping[str, Any]) -> None:
        """Raise ``DataError`` where an option has a value that the method does not take."""
        for name, value in options.items():
            if name in self.options:
                self.options[name].check(value)

    def default_of(self, option: str) -> Any:
        """What an option is unless it is given."""
        return signature(self.run).parameters[option].default

    @property
    def draws(self) -> bool:
        """Whether it draws some of the features at a time, as many as its option says."""
        return "max_features" in self.options

    def n_scores(self, n_features: int) -> int:
        """Length of ``scores`` for data of so many features."""
        return n_scores(self.kind, n_features)

    def why_slow(
        self, engine: Engine, shape: tuple[int, ...], n_clusters: int, options: Mapping[str, Any]
    ) -> str:
        """What `slow` says of a run on data of this shape; "" of engines other than the first."""
        if self.slow is None or engine != self.engines[0]:
            return ""
        return self.slow(*shape, n_clusters, **options)

    def why_unavailable(self, engine: Engine, n_samples: int = 0) -> str | None:
        """Reason this method cannot run here with this engine, on so many rows; None when it can."""
        if engine not in self.engines:
            return f"{self.name} has no {engine} engine"
        if self.most_samples is not None and n_samples > self.most_samples:
            return (
                f"{self.title} needs the distances between all rows and is left out above"
                f" {self.most_samples:,} of them; got {n_samples:,}: take a sample of the rows to have it"
            )
        if engine == "python":
            return None
        return rbridge.why_unavailable(self.r_required)
