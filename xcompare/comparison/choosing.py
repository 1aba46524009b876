"""`choose_k`: how many clusters, by four criteria held against one Gaussian; one cluster is an answer too."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from html import escape
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from xcompare.bagging.choice import Choice, choose, tried
from xcompare.bagging.criteria import CRITERIA
from xcompare.comparison import runs
from xcompare.exceptions import DataError
from xcompare.harness.data import prepare
from xcompare.harness.execution import Execution
from xcompare.harness.hashing import as_text, digest
from xcompare.harness.plan import Part, Plan, Row, seed_of
from xcompare.harness.progress import ProgressReport
from xcompare.harness.run import run_plans
from xcompare.harness.store import RunStore
from xcompare.harness.unit import UnitResult
from xcompare.methods._criteria import HOW_MANY

if TYPE_CHECKING:
    from xcompare.plots import ChoicePlots


@dataclass(frozen=True, eq=False)
class KChoice:
    """How many clusters there are, by each criterion and by most. Made by `choose_k` and from a run store.

    Attributes
    ----------
    name : str
        Of the dataset.
    n_samples : int
    feature_names : tuple of str
    plans : dict of int to Plan
        What was asked for, by number of clusters.
    results : dict of str to UnitResult
        Every unit's result by its key.
    """

    name: str
    n_samples: int
    feature_names: tuple[str, ...]
    plans: dict[int, Plan]
    results: dict[str, UnitResult]

    @classmethod
    def from_store(cls, path: str | PathLike[str], run: str | None = None) -> "KChoice":
        """Read a choice back from a run store; nothing is computed.

        Parameters
        ----------
        path : str or Path
        run : str or None, default=None
            First characters of the key of any of its comparisons, or its name; None: the latest.

        Raises
        ------
        StoreError, UnknownNameError, DataError
        """
        with RunStore(path, create=False) as store:
            found = store.find_comparison(run)
            part = found.plan.part
            if part is None or part.kind != "choice":
                raise DataError(f"run must be a choice of K; got {found.key[:8]} ({found.name})")
            kin = [
                one.plan for one in store.comparisons() if one.plan.part and one.plan.part.whole == part.whole
            ]
            plans = {plan.n_clusters: plan for plan in sorted(kin, key=lambda plan: plan.n_clusters)}
            units = [unit for plan in plans.values() for unit in plan.units()]
            results = store.results(units, found.shape)
        return cls(found.name, found.n_samples, found.feature_names, plans, results)

    @property
    def best(self) -> int:
        """The number of clusters most criteria choose; 1 when not more than half find more than one.

        Of numbers that equally many choose, the smallest.
        """
        return self._choice.best

    @property
    def note(self) -> str:
        """What is said where the number of clusters was left to the criteria."""
        return self._choice.note

    @property
    def choices(self) -> pd.Series:
        """The number of clusters each criterion chooses; 1 where one Gaussian does as well."""
        return pd.Series(self._choice.choices, pd.Index(CRITERIA, name="criterion"), name="n_clusters")

    @property
    def curves(self) -> pd.DataFrame:
        """Each criterion for each K, from 1: one row per criterion and number of clusters.

        ``value`` is that of the data, ``one_gaussian`` the mean of the draws, ``excess`` their difference and
        ``error`` its standard error; ``chosen`` marks the choice. One cluster has no value, except for the
        gap statistic, where it is 0.
        """
        choice, (ks, observed, draws) = self._choice, self._found
        parts = []
        for at, criterion in enumerate(CRITERIA):
            alone = 0.0 if criterion == "gap" else np.nan
            columns = {
                "criterion": criterion,
                "n_clusters": [1, *ks],
                "value": np.r_[alone, observed[:, at]],
                "one_gaussian": np.r_[alone, draws.mean(axis=0)[:, at]],
                "excess": np.r_[alone, choice.excess[:, at]],
                "error": np.r_[alone, choice.error[:, at]],
                "chosen": [k == choice.choices[at] for k in (1, *ks)],
            }
            parts.append(pd.DataFrame(columns))
        return pd.concat(parts).set_index(["criterion", "n_clusters"])

    @property
    def table(self) -> pd.DataFrame:
        """One row per criterion: the number it chooses, and the p-value of one Gaussian doing as well.

        The gap statistic has a rule of its own, and no p-value.
        """
        index = pd.Index(CRITERIA, name="criterion")
        columns = ["n_clusters", "p_value"]
        if not self._found[0]:
            return pd.DataFrame(np.nan, index, columns)
        p_values = np.where(index == "gap", np.nan, self._choice.p_values)
        return pd.DataFrame({"n_clusters": self._choice.choices, "p_value": p_values}, index)

    @property
    def answer(self) -> str:
        """How many clusters, and how many criteria say so; all numbers chosen, where none has a majority."""
        return self._choice.answer

    @property
    def failures(self) -> pd.DataFrame:
        """What did not run and why, with the number of clusters."""
        frames = [runs.failures(plan, self.results).assign(n_clusters=k) for k, plan in self.plans.items()]
        return pd.concat(frames, ignore_index=True)

    @property
    def plot(self) -> "ChoicePlots":
        """``plot()`` draws the curves side by side, each with its choice."""
        from xcompare.plots import ChoicePlots

        return ChoicePlots(self)

    def __repr__(self) -> str:
        return f"<KChoice {self.name}>\n{self.answer}\n{self._wide().to_string(na_rep='–')}"

    def _repr_html_(self) -> str:
        return f"<p><strong>{escape(self.answer)}</strong></p>\n{self._wide().to_html(na_rep='–')}"

    def _wide(self) -> pd.DataFrame:
        """Excess by number of clusters, a column for each criterion."""
        return self.curves["excess"].unstack("criterion")[list(CRITERIA)].round(3)

    @cached_property
    def _choice(self) -> Choice:
        ks, observed, draws = self._found
        if not ks:
            raise DataError(
                f"the criteria must be computed for some K; got {self.failures['message'].iloc[0]}"
            )
        return choose(ks, observed, draws)

    @cached_property
    def _found(self) -> tuple[list[int], np.ndarray, np.ndarray]:
        """The numbers of clusters that went well, their criteria, and those of the draws."""
        ks, observed, draws = [], [], []
        for k, plan in self.plans.items():
            for result in runs.finished(plan, self.results, plan.rows[0]):
                assert result.scores is not None
                ks.append(k)
                observed.append(result.scores.scores)
                draws.append(list(result.scores.variants.values()))
        return ks, np.array(observed), np.array(draws).swapaxes(0, 1) if ks else np.array([])


def choose_k(
    X: Any,
    ks: Iterable[int] | None = None,
    *,
    sample: int | None = None,
    n_jobs: int | None = None,
    random_state: int | None = 0,
    store: str | PathLike[str] | None = None,
    timeout: float | None = None,
    progress: bool | Callable[[ProgressReport], None] = True,
    name: str | None = None,
    scheduler: str | None = None,
) -> KChoice:
    """How many clusters: stability, Dunn index, silhouette and gap statistic side by side.

    Each criterion of the data is held against that of 20 draws from one Gaussian with the data's mean and
    covariance, which K-means cuts into clusters too. Stability, Dunn index and silhouette
    choose 1 unless they are larger than in the draws for some K (p <= .05 over all K together), else the K
    with the largest excess over the draws; the gap statistic chooses by its own rule. `KChoice.best` is what
    most choose.
    docs/how-many-clusters.md has the error rates, and says where it is wrong.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features), or Dataset
        Of more than 500 rows, 500 drawn at random are looked at.
    ks : iterable of int or None, default=None
        Numbers of clusters to try, of at least 2; one cluster is always among the answers. None: 2 to 10, or
        to one less than there are rows.
    sample, n_jobs, random_state, store, timeout, progress, name, scheduler
        As for `compare`. In a store, each K is a comparison of its own.

    Returns
    -------
    KChoice

    Raises
    ------
    DataError

    References
    ----------
    Tibshirani, Walther, Hastie (2001), the gap statistic, doi:10.1111/1467-9868.00293

    Examples
    --------
    >>> import numpy as np, xcompare
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 4)) + 6 * np.repeat([[0], [1], [2]], 20, axis=0)
    >>> xcompare.choose_k(X, range(2, 6), n_jobs=1).best
    3
    """
    execution = Execution(n_jobs, store, timeout, progress, scheduler)
    numbers = None if ks is None else numbers_of_clusters("ks", ks)
    seed = seed_of(random_state)
    data = prepare(X, 2 if numbers is None else numbers[-1], None, name, sample=sample, seed=seed)
    numbers = numbers or list(tried(data.n_samples))
    if numbers[-1] >= data.n_samples:
        raise DataError(f"ks must be below the number of rows, {data.n_samples}; got {numbers[-1]}")
    row = Row.of(HOW_MANY, "python", {}, 1)
    plain = Plan(data.fingerprint, 1, seed, (row,))
    whole = digest(as_text([data.name, numbers, plain.to_json()]))
    plans = {k: Plan(data.fingerprint, k, seed, (row,), part=Part("choice", whole, k)) for k in numbers}
    found = run_plans([(data, plan) for plan in plans.values()], execution)
    results = {key: result for one in found for key, result in one.items()}
    return KChoice(data.name, data.n_samples, data.feature_names, plans, results)


def numbers_of_clusters(name: str, ks: Iterable[int]) -> list[int]:
    """The numbers of clusters that the parameter of this name lists, ascending, each once."""
    try:
        numbers = sorted(set(ks))
    except TypeError:
        numbers = []
    if not numbers or any(not isinstance(k, Integral) or isinstance(k, bool) or k < 2 for k in numbers):
        raise DataError(f"{name} must be whole numbers of at least 2, e.g. range(2, 11); got {ks!r}")
    return [int(k) for k in numbers]
