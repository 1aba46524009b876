"""`choose_k`: the number of clusters, which may be one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any

import pandas as pd

from xcompare.core.errors import DataError
from xcompare.core.seeds import as_seed
from xcompare.harness.execution import Execution
from xcompare.harness.plan import Part, Plan, Row
from xcompare.harness.preparation import Missing, prepare
from xcompare.harness.progress import ProgressReport
from xcompare.harness.roles import FeatureGroups
from xcompare.harness.run import run_plans
from xcompare.harness.store import RunStore, StoredComparison
from xcompare.inference.number_of_clusters import LEAST_GAP, Choice, tried
from xcompare.methods.number_of_clusters import HOW_MANY, choice_in
from xcompare.results.export import frame_html
from xcompare.results.result import records
from xcompare.results.runs import PlannedRuns

if TYPE_CHECKING:
    from xcompare.results.plots import ChoicePlots
    from xcompare.results.report import Page

WEIGHTED_CHOICE = (
    "row weights: the criteria and the test use rows kept with probabilities proportional to their weights"
)
WHOLE = "how many"  # `Part.whole`, the same for every choice


@dataclass(frozen=True, eq=False)
class KChoice(PlannedRuns):
    """The number of clusters. Made by `choose_k` and from a run store.

    Attributes
    ----------
    info : DataInfo
        Description of the data: ``name``, ``n_samples`` and ``feature_names``, each also an attribute.
    plan : Plan
        The planned computation.
    results : dict of str to UnitResult
        Result of each unit, by key.
    """

    kind = "choice"

    @classmethod
    def read(cls, store: RunStore, found: StoredComparison, *_: Any) -> "KChoice":
        """The choice in an open store."""
        return cls(found.info, found.plan, store.results(found.plan.units(), found.n_samples))

    @property
    def best(self) -> int:
        """The number of clusters; 1 without evidence of more."""
        return self._choice.best

    @property
    def p_clusters(self) -> float:
        """p-value of the null hypothesis of no clusters."""
        return self._choice.p_clusters

    @property
    def features(self) -> tuple[str, ...]:
        """The features that separate clusters; the criteria are computed on these."""
        return tuple(self.feature_names[j] for j in self._choice.features)

    @property
    def curves(self) -> pd.DataFrame:
        """The criteria for each K: ``density_gap`` (standard errors), ``bic``, ``separated``, ``chosen``."""
        choice = self._choice
        return pd.DataFrame(
            {
                "density_gap": choice.density_gap,
                "bic": choice.bic,
                "separated": choice.density_gap >= LEAST_GAP,
                "chosen": choice.ks == choice.best,
            },
            pd.Index(choice.ks, name="n_clusters"),
        )

    @property
    def answer(self) -> str:
        """The number of clusters and the reason for it."""
        return self._choice.answer

    @property
    def notes(self) -> list[str]:
        """Notes: what row weights are used for."""
        return [WEIGHTED_CHOICE] if self.plan.weighted else []

    def to_dict(self) -> dict[str, Any]:
        """The choice as plain dicts, lists, strings and numbers."""
        return {
            "dataset": self.name,
            "n_samples": self.n_samples,
            "best": self.best,
            "answer": self.answer,
            "p_clusters": self.p_clusters,
            "features": list(self.features),
            "curves": records(self.curves),
            "failures": records(self.failures),
            "notes": self.notes,
        }

    def csv_tables(self) -> dict[str, pd.DataFrame]:
        """The tables that `write` saves as CSV, by name."""
        return {"curves": self.curves, "failures": self.failures}

    def page(self, *, command: str | None = None, notes: Sequence[str] = ()) -> "Page":
        """The report: see `Result.page`."""
        from xcompare.results.report.gather import choice_page

        return choice_page(self, command, tuple(notes))

    @property
    def plot(self) -> "ChoicePlots":
        """``plot()`` draws the criteria against the number of clusters."""
        from xcompare.results.plots import ChoicePlots

        return ChoicePlots(self)

    def __repr__(self) -> str:
        return f"<KChoice {self.name}>\n{self.answer}\n{self.curves.round(2).to_string()}"

    def _repr_html_(self) -> str:
        return frame_html(self.curves, self.answer)

    @cached_property
    def _choice(self) -> Choice:
        for result in self.finished(self.plan.rows[0]):
            if result.scores is not None:
                return choice_in(result.scores)
        raise DataError(f"the number of clusters could not be chosen: {self.failures['message'].iloc[0]}")


def choose_k(
    X: Any,
    ks: Iterable[int] | None = None,
    *,
    columns: Mapping[str, Any] | None = None,
    missing: Missing = "resample",
    sample_weight: Any = None,
    cluster_on: Sequence[str] | None = None,
    describe: Sequence[str] | None = None,
    feature_groups: FeatureGroups | None = None,
    sample: int | None = None,
    n_jobs: int | None = None,
    random_state: int | None = 0,
    store: str | PathLike[str] | None = None,
    timeout: float | None = None,
    progress: bool | Callable[[ProgressReport], None] = True,
    name: str | None = None,
    scheduler: str | None = None,
) -> KChoice:
    """Choose the number of clusters: the best Gaussian mixture (BIC) among those with separated clusters.

    Uses only the features that separate clusters, as found by `RefinedClustering`. The answer is one cluster
    unless the test of `significance` rejects it. docs/how-many-clusters.md compares the error rates with
    those of the silhouette, the gap statistic and mclust.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features), or Dataset
        With more than 2,000 rows, a random sample of 2,000 is used.
    ks : iterable of int or None, default=None
        Numbers of clusters to try, each at least 2; one cluster is always considered. None: 2 to 10, or to
        n_samples - 1 if that is smaller.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the rows: criteria and test are computed on rows kept with probabilities proportional to
        them, the heaviest for certain.
    columns, missing, cluster_on, describe, feature_groups, sample
        As for `compare`; described columns have no part.
    n_jobs, random_state, store, timeout, progress, name, scheduler
        As for `compare`.

    Returns
    -------
    KChoice

    Raises
    ------
    DataError

    References
    ----------
    Schwarz (1978), Estimating the dimension of a model. doi:10.1214/aos/1176344136

    Examples
    --------
    >>> import numpy as np, xcompare
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(90, 4)) + 6 * np.repeat([[0], [1], [2]], 30, axis=0)
    >>> xcompare.choose_k(X, range(2, 6), n_jobs=1).best
    3
    """
    execution = Execution(n_jobs, store, timeout, progress, scheduler)
    numbers = None if ks is None else numbers_of_clusters("ks", ks)
    seed = as_seed(random_state)
    data = prepare(
        X, 2 if numbers is None else numbers[-1], None, name, sample=sample, seed=seed, columns=columns,
        missing=missing, sample_weight=sample_weight, cluster_on=cluster_on, describe=describe,
        feature_groups=feature_groups,
    )  # fmt: skip
    numbers = numbers or list(tried(data.n_samples))
    if numbers[-1] >= data.n_samples:
        raise DataError(f"ks must be below the number of rows, {data.n_samples}; got {numbers[-1]}")
    row = Row.of(HOW_MANY, "python", {"ks": numbers}, 1)
    part = Part("choice", WHOLE, numbers[-1])
    plan = Plan(
        data.fingerprint, numbers[-1], seed, (row,), part=part,
        weighted=data.weights is not None, described=data.described,
    )  # fmt: skip
    [results] = run_plans([(data, plan)], execution)
    return KChoice(data.info, plan, results)


def numbers_of_clusters(name: str, ks: Iterable[int]) -> list[int]:
    """Validate numbers of clusters; return them sorted and unique."""
    try:
        numbers = sorted(set(ks))
    except TypeError:
        numbers = []
    if not numbers or any(not isinstance(k, Integral) or isinstance(k, bool) or k < 2 for k in numbers):
        raise DataError(f"{name} must be whole numbers of at least 2, e.g. range(2, 11); got {ks!r}")
    return [int(k) for k in numbers]
