"""`significance`: tests for clusters and for features that differ between them."""

from collections.abc import Callable
from os import PathLike
from typing import Any

from xcompare.core.errors import DataError
from xcompare.harness.progress import ProgressReport
from xcompare.results.comparing import compare
from xcompare.results.significance import Significance


def significance(
    X: Any,
    n_clusters: int | None = None,
    *,
    n_jobs: int | None = None,
    random_state: int | None = 0,
    store: str | PathLike[str] | None = None,
    timeout: float | None = None,
    progress: bool | Callable[[ProgressReport], None] = True,
    name: str | None = None,
    scheduler: str | None = None,
) -> Significance:
    """Test whether there are clusters, and which features differ between them.

    - *p_clusters*: null hypothesis: every projection of the data is unimodal. Rows are split into halves
      repeatedly; clusters and the directions that separate them come from one half, the test from the other.
    - *p_associated*: null hypothesis: the feature is independent of the others. It is tested against a
      partition by the other features.
    - *p_modes*: null hypothesis: the feature is unimodal (Hartigan's dip test).

    If clusters are found (``p_clusters`` at most .05), features whose q-value (last two tests combined) is
    at most .05 differ between the clusters; those that also have at least .3 of the largest importance, or
    more than one mode, are *relevant*. The others are *noise*. docs/the-answer.md has the error rates.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features), or Dataset
        With more than 2,000 rows, the tests use a random sample of 2,000.
    n_clusters : int or None, default=None
    n_jobs, random_state, store, timeout, progress, name, scheduler
        As for `compare`, which this runs with ``refined``.

    Returns
    -------
    Significance

    Raises
    ------
    DataError
        Invalid data, or a test that failed.

    Examples
    --------
    >>> import numpy as np, xcompare
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> X[:40, :2] += 5
    >>> found = xcompare.significance(X, 2, n_jobs=1, name="two groups")
    >>> list(found.verdicts.values())
    ['relevant', 'relevant', 'noise', 'noise']
    """
    found = compare(
        X, n_clusters, methods="refined", n_runs=1, n_jobs=n_jobs, random_state=random_state,
        store=store, timeout=timeout, progress=progress, name=name, scheduler=scheduler,
    )  # fmt: skip
    if found.significance is None:
        raise DataError(f"the tests failed: {found.failures['message'].iloc[0]}")
    return found.significance
