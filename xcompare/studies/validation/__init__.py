"""`validate`: compare Python and R on the same inputs."""

import platform
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version

from xcompare import rbridge
from xcompare.core.threads import one_blas_thread
from xcompare.io.datasets import DATASETS
from xcompare.studies.validation import deterministic, stochastic
from xcompare.studies.validation.inputs import Inputs
from xcompare.studies.validation.result import Check, Validation
from xcompare.version import __version__

__all__ = ["Check", "Validation", "validate"]

R_PACKAGES = ("randomForest", "wskm", "Rdimtools")  # used if installed
QUICK_DATASETS = ("iris", "overlap")  # for stochastic quantities in a quick run


def validate(
    datasets: Sequence[str] | None = None,
    *,
    quick: bool = False,
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
        Compare stochastic quantities only on iris and overlap (if among the datasets), and with fewer runs: 6
        of URF instead of 20, and 4 ensembles of each scheme instead of 10.
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
    start = time.perf_counter()
    checks = []
    inputs = [Inputs.draw(name, seed) for name in (DATASETS if datasets is None else datasets)]
    # One thread here: R uses another core, and nested thread limits would interfere.
    with one_blas_thread():
        for check in _checks(inputs, quick):
            checks.append(check)
            if on_check is not None:
                on_check(check)
    status = rbridge.status(R_PACKAGES)
    versions = {
        "xcompare": __version__,
        "Python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "scipy", "scikit-learn")},
        "R": status.r_version or "",
        "rpy2": status.rpy2_version or "",
        **{f"{name} (R)": installed or "not installed" for name, installed in status.packages.items()},
    }
    return Validation(tuple(checks), versions, time.perf_counter() - start)


def _checks(inputs: Sequence[Inputs], quick: bool) -> Iterator[Check]:
    """All checks, deterministic ones first."""
    for data in inputs:
        for family in deterministic.FAMILIES:
            try:
                yield from family(data)
            except Exception as error:  # reported in its row; the others continue
                quantity, why = family.__name__.replace("_", " "), f"{type(error).__name__}: {error}"
                yield Check.without(quantity, data.name, "error", why)
    n_seeds, n_bags = (6, 4) if quick else (20, 10)
    chosen = [data for data in inputs if not quick or data.name in QUICK_DATASETS]
    comparisons = stochastic.bag_comparisons(chosen, n_bags)
    no_forest = rbridge.why_unavailable(("randomForest",))
    if no_forest is None:
        comparisons = stochastic.urf_comparisons(chosen, n_seeds) + comparisons
    else:
        yield from (Check.without("URF", data.name, "not judged", no_forest) for data in chosen)
    yield from stochastic.compare(comparisons)
