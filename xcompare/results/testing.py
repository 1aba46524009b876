"""`significance`: are there clusters, and which features differ between them?"""

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
    """Are there clusters, and which features differ between them?

    - *p_clusters*: rejects that every projection of the data has a single mode. Rows are split into halves
      several times. One half finds clusters and the directions that separate them; the other is tested there.
    - *p_associated*: rejects that the feature is independent of the others. It is compared with a
      partition by the other features.
    - *p_modes*: rejects that the feature's own distribution has a single mode (Hartigan's dip test).

    If clusters are found (``p_clusters`` at most .05), features whose q-value of the last two is at most .05
    differ between the clusters; those that separate them, with at least .3 of the largest importance or more
    than one mode of their own, make the clusters. The rest is noise. docs/the-answer.md has the error
    rates.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features), or Dataset
        Of more than 1,000 rows, 1,000 are drawn for the tests.
    n_clusters : int or None, default=None
    n_jobs, random_state, store, timeout, progress, name, scheduler
        As for `compare`, which this runs with ``refined``.

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
        X, n_clusters, methods="refined", n_runs=1, n_jobs=n_jobs, random_state=random_state,
        store=store, timeout=timeout, progress=progress, name=name, scheduler=scheduler,
    )  # fmt: skip
    if found.significance is None:
        raise DataError(f"the tests must finish; got {found.failures['message'].iloc[0]}")
    return found.significance
