"""`significance`: which features have anything to do with clusters, by three tests of three hypotheses."""

from collections.abc import Callable
from os import PathLike
from typing import Any

from xcompare.comparison.compare import compare
from xcompare.comparison.tested import Significance
from xcompare.exceptions import DataError
from xcompare.harness.progress import ProgressReport


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
    """Which features have anything to do with clusters, and what.

    Three tests, each of its own hypothesis, with Benjamini and Hochberg's q-values:

    - *shares its structure with others* rejects that the feature is independent of all others. It is scored
      on the partitions of replicas that did not draw it, and permuted; exact for any data.
    - *has groups of its own* rejects that its distribution has one peak (Hartigan's dip).
    - *more than K-means finds in one Gaussian* rejects that the rows are one Gaussian cloud. What the feature
      knows of the partitions it took part in is held against clouds with the data's mean and covariance.

    A feature whose second or third q-value is at most .05 "makes clusters"; another whose first is "goes
    along with others"; the rest is "noise". docs/significance.md has the error rates.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features), or Dataset
        Tests that refit or permute take 1,000 rows of it at most.
    n_clusters : int or None, default=None
    n_jobs, random_state, store, timeout, progress, name, scheduler
        As for `compare`, which this runs, with ``significance=True`` and one run of ``efron``.

    Returns
    -------
    Significance

    Raises
    ------
    DataError
        Data that cannot be used, or a test that could not be finished.

    Examples
    --------
    >>> import numpy as np, xcompare
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> X[:40, :2] += 5
    >>> found = xcompare.significance(X, 2, n_jobs=1, name="two groups")
    >>> list(found.verdicts.values())
    ['makes clusters', 'makes clusters', 'noise', 'noise']
    """
    found = compare(
        X, n_clusters, methods="efron", n_runs=1, significance=True, n_jobs=n_jobs, random_state=random_state,
        store=store, timeout=timeout, progress=progress, name=name, scheduler=scheduler,
    )  # fmt: skip
    if found.significance is None:
        raise DataError(f"the tests must all finish; got {found.failures['message'].iloc[0]}")
    return found.significance
