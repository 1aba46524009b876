"""`validate`: compare Python and R on the same inputs."""

import time
from collections.abc import Callable, Iterator, Sequence

from xcompare import rbridge
from xcompare.core.threads import one_blas_thread
from xcompare.io.datasets import DATASETS
from xcompare.studies.validation import deterministic, stochastic
from xcompare.studies.validation.inputs import Inputs
from xcompare.studies.validation.result import Check, Validation, versions_of

__all__ = ["Check", "Validation", "validate"]

R_PACKAGES = ("randomForest", "wskm", "Rdimtools")  # used if installed
QUICK_DATASETS = ("iris", "overlap")  # for stochastic quantities in a quick run


def validate(
    datasets: Sequence[str] | None = None,
    *,
    quick: bool = False,
    n_seeds: int | None = None,
    n_bags: int | None = None,
    seed: int = 0,
    on_check: Callable[[Check], None] | None = None,
) -> Validation:
    """Compare the results of Python and R on the same inputs.

    Random inputs that can be shared are drawn once for both languages: bootstrap rows, feature subsets,
    initial centres, permuted columns. Deterministic quantities must then agree to 1e-8: density entropy,
    mutual information, Dunn index, variation of information, consensus, K-means, bagging and refined
    clustering given their replicates, dip, Laplacian score, CUBT, FGKM and TWKM. Stochastic quantities
    must agree in distribution: URF over many seeds, and mean importances of bagging (see
    :mod:`xcompare.studies.validation.stochastic` for the rules).

    Parameters
    ----------
    datasets : sequence of str or None, default=None
        Names of bundled datasets. None: all.
    quick : bool, default=False
        Compare stochastic quantities only on iris and overlap (if among the datasets), and with
        fewer runs.
    n_seeds : int or None, default=None
        Runs of URF in each language, at least 2. None: 20, or 6 if quick.
    n_bags : int or None, default=None
        Ensembles of each scheme in each language, at least 2. None: 10, or 4 if quick.
    seed : int, default=0
        Random seed.
    on_check : callable or None, default=None
        Called with each finished `Check`.

    Returns
    -------
    Validation
        With ``table``, ``summary``, ``passed``, ``failures``, ``versions``, ``to_dict()``.

    Raises
    ------
    RUnavailableError
        R is not available; the message says what is missing.

    Examples
    --------
    >>> result = validate(["iris"], quick=True)  # doctest: +SKIP
    >>> result.passed  # doctest: +SKIP
    True
    """
    rbridge.require(caller="validate")
    n_seeds = (6 if quick else 20) if n_seeds is None else n_seeds
    n_bags = (4 if quick else 10) if n_bags is None else n_bags
    if min(n_seeds, n_bags) < 2:
        raise ValueError(f"n_seeds and n_bags must be at least 2; got {n_seeds} and {n_bags}")
    names = tuple(DATASETS if datasets is None else datasets)
    start = time.perf_counter()
    checks = []
    inputs = [Inputs.draw(name, seed) for name in names]
    # One thread here: R uses another core, and nested thread limits would interfere.
    with one_blas_thread():
        for check in _checks(inputs, quick, n_seeds, n_bags):
            checks.append(check)
            if on_check is not None:
                on_check(check)
    status = rbridge.status(R_PACKAGES)
    versions = versions_of(status.r_version or "", status.rpy2_version or "", status.packages)
    return Validation(tuple(checks), versions, time.perf_counter() - start)


def _checks(inputs: Sequence[Inputs], quick: bool, n_seeds: int, n_bags: int) -> Iterator[Check]:
    """All checks, deterministic ones first."""
    for data in inputs:
        for family in deterministic.FAMILIES:
            try:
                yield from family(data)
            except Exception as error:  # reported in its row; the others continue
                yield Check.failed(family.__name__.replace("_", " "), data.name, error)
    chosen = [data for data in inputs if not quick or data.name in QUICK_DATASETS]
    comparisons = stochastic.bag_comparisons(chosen, n_bags)
    no_forest = rbridge.why_unavailable(("randomForest",))
    if no_forest is None:
        comparisons = stochastic.urf_comparisons(chosen, n_seeds) + comparisons
    else:
        yield from (Check.unjudged("URF", data.name, no_forest) for data in chosen)
    yield from stochastic.compare(comparisons)
