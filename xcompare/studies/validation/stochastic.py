"""Stochastic quantities, for which Python and R must agree in distribution.

**Quantities.** URF with both importances: both engines get the same permuted columns in each run, so only the
randomness of the forest remains, and runs are compared in pairs. Bagging with every resampling scheme, from
the data to the importances, without shared randomness. R uses Lloyd's K-means like Python. (Its default, by
Hartigan and Wong, finds other local optima: mean importances would differ by up to 0.04 on the bundled data.)

**Means.** Per feature, the difference between mean scores is divided by its standard error. For one
feature, 3 standard errors are exceeded by chance in 0.27% of cases (0.7% with 20 pairs). A full run
compares some 400 features, so a limit of 3 would give a false alarm nearly every time. The tolerance is the
quantile of Student's t that bounds the probability of *any* false alarm in the whole run by 0.27%
(Bonferroni). The note reports the number of features beyond 3 and its expected value by chance, which would
reveal a small difference in many features.

**Ranks.** Spearman's correlation of URF's mean scores must be at least 0.95 over the features that are not
noise (all features for real data). With fewer than 4 features it is not judged. Features of similar
importance change ranks by chance. A null distribution is obtained from random signs of the centred
differences of the pairs. If it falls below 0.95 and the means agree, the tolerance is its quantile at the
probability of a false alarm above.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.stats import norm, rankdata, t

from xcompare import rbridge
from xcompare.bagging.resampling import RESAMPLINGS, Resampling
from xcompare.core.seeds import derive_seed
from xcompare.methods import Engine, get_method
from xcompare.methods.forest.urf import Importance, urf
from xcompare.studies.validation.inputs import Inputs
from xcompare.studies.validation.result import PYTHON, Check

FALSE_ALARM = 2 * norm.sf(3)  # probability in a whole run; that of 3 standard errors for one comparison
RANK_TOLERANCE = 0.05  # Spearman's correlation of at least 0.95
FEWEST_RANKS = 4
RANDOM_SIGNS = 20_000
BAG_REPLICAS = 20
R_WORKERS = 2


@dataclass(frozen=True, eq=False)
class EngineComparison:
    """A stochastic quantity on a dataset, and how to compare it."""

    quantity: str
    data: Inputs
    # ``run(number, engine)`` returns the scores of one run, of shape (n_features,)
    run: Callable[[int, Engine], np.ndarray]
    n_runs: int  # runs in each language
    paired: bool  # whether runs with the same number share randomness; then ranks are compared too
    r: str  # R implementation


def urf_comparisons(inputs: Sequence[Inputs], n_seeds: int) -> list[EngineComparison]:
    """URF with both importances on these datasets."""
    status = rbridge.status(("randomForest",))
    r = f"R {status.r_version}, randomForest {status.packages['randomForest']}"
    kinds: tuple[Importance, ...] = ("gini", "permutation")
    return [
        EngineComparison(f"URF {kind}", data, partial(_urf_scores, data, kind), n_seeds, True, r)
        for data in inputs
        for kind in kinds
    ]


def bag_comparisons(inputs: Sequence[Inputs], n_bags: int) -> list[EngineComparison]:
    """Bagging with every resampling scheme on these datasets."""
    r = f"R {rbridge.status().r_version}, stats::kmeans"
    return [
        EngineComparison(f"bag, {scheme}", data, partial(_bag_scores, data, scheme), n_bags, False, r)
        for data in inputs
        for scheme in RESAMPLINGS
    ]


def compare(comparisons: Sequence[EngineComparison]) -> Iterator[Check]:
    """Run everything in both languages; R runs in its own processes at the same time."""
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
                except Exception as error:  # reported in its row; the others continue
                    yield Check.without(c.quantity, c.data.name, "error", f"{type(error).__name__}: {error}")
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def means(c: EngineComparison, ours: np.ndarray, theirs: np.ndarray, n_compared: int) -> Check:
    """Compare the mean scores, with a tolerance for ``n_compared`` features in the whole run.

    ``ours``, ``theirs`` of shape (n_runs, n_features).
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
    """Difference of means divided by its standard error, per feature; 0 if there is no difference."""
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
    """Compare the ranks of the features that are not noise by their mean scores."""
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
    """Null distribution of 1 - Spearman's correlation, from random signs of the pairs' differences."""
    common = (ours.mean(axis=0) + theirs.mean(axis=0)) / 2
    difference = ours - theirs
    difference = (difference - difference.mean(axis=0)) * np.sqrt(len(ours) / (len(ours) - 1))
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(RANDOM_SIGNS, len(ours)))
    half = signs @ difference / (2 * len(ours))
    return 1 - spearman(common + half, common - half)


def spearman(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Spearman's correlation along the last axis; NaN if one side is constant."""
    a, b = (rankdata(x, axis=-1) - (x.shape[-1] + 1) / 2 for x in (a, b))
    with np.errstate(invalid="ignore"):
        return (a * b).sum(axis=-1) / np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1))


def _urf_scores(data: Inputs, importance: Importance, number: int, engine: Engine) -> np.ndarray:
    """URF with the same permuted columns for both engines."""
    seed = derive_seed(data.seed, "validate", "urf", data.name, importance, number)
    permuted = np.random.default_rng(seed).permuted(data.X, axis=0)
    return urf(data.X, importance=importance, permuted=permuted, random_state=seed, engine=engine).scores


def _bag_scores(data: Inputs, scheme: Resampling, number: int, engine: Engine) -> np.ndarray:
    """Importances of a small ensemble, with Lloyd's K-means in both languages."""
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
