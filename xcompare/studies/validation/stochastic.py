"""Quantities that chance enters beyond what can be injected: the two languages must agree in distribution.

**What is compared.** URF by both importances: the engines get the same permuted columns, run by run, and what
remains is the forest's own chance, so runs are compared in pairs. Bags of every scheme, from the data to the
importances: nothing is shared. R is told to use Lloyd's K-means as Python does. (Its default, by Hartigan and
Wong, finds other local optima: mean importances then differ by up to 0.04 on the bundled data, by design.)

**Means.** Per feature, the difference between mean scores is divided by its standard error. For one
feature 3 standard errors are rarely exceeded by chance, in 0.27% of cases (0.7% with 20 pairs). A full run
compares some 400 features, where a limit of 3 would cry wolf nearly every time. So the tolerance is the
quantile of Student's t that keeps the chance of *any* false alarm in the whole run at 0.27%, by Bonferroni's
bound. The note counts the features beyond 3, and how many chance gives: a small difference in many features
would show there.

**Ranks.** Spearman's correlation of URF's mean scores must be at least 0.95, over the features that are not
noise (all, for measured data). With fewer than 4 it says nothing and is not judged. Features that hardly
differ in importance change places by chance alone. How much, random signs of the pairs' differences about
their mean show. Where chance alone falls below 0.95, and the means agree, the tolerance is the level that
chance reaches with the probability of a false alarm above.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm, rankdata, t

from xcompare import rbridge
from xcompare.bagging.resampling import RESAMPLINGS, Resampling
from xcompare.core.seeds import derive_seed
from xcompare.methods import Engine, get_method, urf
from xcompare.methods.forest.urf import Importance
from xcompare.studies.validation.inputs import Inputs
from xcompare.studies.validation.result import PYTHON, Check

FALSE_ALARM = 2 * norm.sf(3)  # chance of one in a whole run: what 3 standard errors mean for one comparison
RANK_TOLERANCE = 0.05  # Spearman's correlation of at least 0.95
FEWEST_RANKS = 4
RANDOM_SIGNS = 20_000
BAG_REPLICAS = 20
R_WORKERS = 2


@dataclass(frozen=True, eq=False)
class EngineComparison:
    """A quantity on a dataset: how to compute it, how often, and how to compare.

    Attributes
    ----------
    quantity : str
    data : Inputs
    run : callable
        ``run(number, engine)`` gives the scores of one run, of shape (n_features,).
    n_runs : int
        Runs in each language.
    paired : bool
        Whether runs of the same number share injected randomness; then ranks are compared too.
    r : str
        What computes in R.
    """

    quantity: str
    data: Inputs
    run: Callable[[int, Engine], np.ndarray]
    n_runs: int
    paired: bool
    r: str


def urf_comparisons(inputs: Sequence[Inputs], n_seeds: int) -> list[EngineComparison]:
    """URF by both importances on these datasets."""
    status = rbridge.status(("randomForest",))
    r = f"R {status.r_version}, randomForest {status.packages['randomForest']}"
    kinds: tuple[Importance, ...] = ("gini", "permutation")
    return [
        EngineComparison(f"URF {kind}", data, _urf_run(data, kind), n_seeds, True, r)
        for data in inputs
        for kind in kinds
    ]


def bag_comparisons(inputs: Sequence[Inputs], n_bags: int) -> list[EngineComparison]:
    """Bags of every scheme on these datasets."""
    r = f"R {rbridge.status().r_version}, stats::kmeans"
    return [
        EngineComparison(f"bag, {scheme}", data, _bag_run(data, scheme), n_bags, False, r)
        for data in inputs
        for scheme in RESAMPLINGS
    ]


def compare(comparisons: Sequence[EngineComparison]) -> Iterator[Check]:
    """Run everything in both languages: R in threads that wait for its processes, Python meanwhile here."""
    n_features = sum(c.data.X.shape[1] for c in comparisons)
    n_rankings = sum(c.paired for c in comparisons)
    with ThreadPoolExecutor(R_WORKERS) as pool:
        try:
            in_r = [[pool.submit(c.run, number, "r") for number in range(c.n_runs)] for c in comparisons]
            for c, futures in zip(comparisons, in_r, strict=True):
                try:
                    ours = np.array([c.run(number, "python") for number in range(c.n_runs)])
                    theirs = np.array([future.result() for future in futures])
                    check = means(c, ours, theirs, n_features)
                    yield check
                    if c.paired:
                        yield ranks(c, ours, theirs, n_rankings, check.verdict == "agree")
                except Exception as error:  # a row says so; the others go on
                    yield Check.failed(c.quantity, c.data.name, error)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def means(c: EngineComparison, ours: np.ndarray, theirs: np.ndarray, n_compared: int) -> Check:
    """Whether the mean scores are the same, given that so many features are compared in the run.

    Parameters
    ----------
    c : EngineComparison
    ours, theirs : ndarray of shape (n_runs, n_features)
    n_compared : int
    """
    freedom = c.n_runs - 1 if c.paired else 2 * (c.n_runs - 1)
    errors = standard_errors_apart(ours, theirs, c.paired)
    by_chance = len(errors) * 2 * t.sf(3, freedom)
    note = (
        f"means of {c.n_runs} runs, in standard errors: {(errors > 3).sum()} of {len(errors)} features "
        f"beyond 3 ({by_chance:.1f} expected by chance); tolerance for {n_compared} features"
    )
    tolerance = float(t.isf(FALSE_ALARM / n_compared / 2, freedom))
    return Check.judge(f"{c.quantity}: means", c.data.name, errors.max(), c.r, tolerance, note)


def standard_errors_apart(ours: np.ndarray, theirs: np.ndarray, paired: bool) -> np.ndarray:
    """Per feature, the difference of means over its standard error; 0 where there is no difference."""
    difference = np.abs(ours.mean(axis=0) - theirs.mean(axis=0))
    if paired:
        variance = (ours - theirs).var(axis=0, ddof=1)
    else:
        variance = ours.var(axis=0, ddof=1) + theirs.var(axis=0, ddof=1)
    error = np.sqrt(variance / len(ours))
    # Means of equal numbers may differ by rounding.
    difference[difference < 1e-12] = 0.0
    return np.divide(difference, error, out=np.where(difference > 0, np.inf, 0.0), where=error > 0)


def ranks(
    c: EngineComparison, ours: np.ndarray, theirs: np.ndarray, n_compared: int, means_agree: bool
) -> Check:
    """Whether the mean scores put the features that are not noise in the same order."""
    relevant = c.data.dataset.relevant
    which = "features" if relevant is None else "features that are not noise"
    if relevant is not None:
        ours, theirs = ours[:, relevant], theirs[:, relevant]
    quantity = f"{c.quantity}: ranks"
    note = f"1 - Spearman's correlation of mean scores, {ours.shape[1]} {which}"
    distance = float(1 - spearman(ours.mean(axis=0), theirs.mean(axis=0)))
    if ours.shape[1] < FEWEST_RANKS:
        note += ": too few to judge"
        return Check(quantity, c.data.name, distance, np.nan, "not judged", PYTHON, c.r, note)
    tolerance = RANK_TOLERANCE
    if means_agree:
        chance = rank_distances_by_chance(ours, theirs)
        level = float(np.quantile(chance, 1 - FALSE_ALARM / n_compared, method="higher"))
        if level > RANK_TOLERANCE:
            tolerance, share = level, (chance > RANK_TOLERANCE).mean()
            note += f"; by chance alone beyond {RANK_TOLERANCE} in {share:.1%} of cases"
    return Check.judge(quantity, c.data.name, distance, c.r, tolerance, note)


def rank_distances_by_chance(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """1 - Spearman's correlation of means that differ by the pairs' chance only, over random signs."""
    common = (ours.mean(axis=0) + theirs.mean(axis=0)) / 2
    difference = ours - theirs
    difference = (difference - difference.mean(axis=0)) * np.sqrt(len(ours) / (len(ours) - 1))
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(RANDOM_SIGNS, len(ours)))
    half = signs @ difference / (2 * len(ours))
    return 1 - spearman(common + half, common - half)


def spearman(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Spearman's correlation along the last axis; NaN where one side is constant."""
    a, b = (rankdata(x, axis=-1) - (x.shape[-1] + 1) / 2 for x in (a, b))
    with np.errstate(invalid="ignore"):
        return (a * b).sum(axis=-1) / np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1))


def _urf_run(data: Inputs, importance: Importance) -> Callable[[int, Engine], np.ndarray]:
    """URF on columns permuted alike for both engines."""

    def run(number: int, engine: Engine) -> np.ndarray:
        seed = derive_seed(data.seed, "validate", "urf", data.name, importance, number)
        permuted = np.random.default_rng(seed).permuted(data.X, axis=0)
        return urf(data.X, importance=importance, permuted=permuted, random_state=seed, engine=engine).scores

    return run


def _bag_run(data: Inputs, scheme: Resampling) -> Callable[[int, Engine], np.ndarray]:
    """Importances of one small bag, by Lloyd's K-means in both languages."""

    def run(number: int, engine: Engine) -> np.ndarray:
        seed = derive_seed(data.seed, "validate", "bag", data.name, scheme, number)
        if engine == "python":
            run = get_method(scheme).run
            return run(data.X, data.n_clusters, n_replicas=BAG_REPLICAS, random_state=seed).scores
        arguments = {
            "x": data.X,
            "n_clusters": data.n_clusters,
            "resampling": scheme,
            "algorithm": "Lloyd",
            "n_replicas": BAG_REPLICAS,
        }
        return rbridge.call("xc_bagging", arguments, seed=seed).values["importance"]

    return run
