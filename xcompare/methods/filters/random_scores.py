"""Random scores: the control that every method should beat."""

import numpy as np

from xcompare.core.checks import check_choice, check_data
from xcompare.core.seeds import as_seed
from xcompare.methods.base import CONTROL, PYTHON, SOFTWARE, Engine, Method, Scores


def random_scores(
    X: np.ndarray,
    n_clusters: int | None = None,
    *,
    sample_weight: np.ndarray | None = None,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Random scores, independent of the data.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data; only the number of its features matters.
    n_clusters : int or None, default=None
        Ignored.
    sample_weight : ndarray of shape (n_samples,) or None, default=None
        Ignored.
    random_state : int, Generator or None, default=None
        Random seed or generator.
    engine : {"python"}, default="python"

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,): uniform between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> random_scores(np.eye(3), random_state=0).scores.round(2)
    array([0.64, 0.27, 0.04])
    """
    check_choice("engine", engine, PYTHON)
    X = check_data(X)
    return Scores(np.random.default_rng(as_seed(random_state)).random(X.shape[1:]), SOFTWARE)


RANDOM = Method(
    name="random",
    title="Random",
    run=random_scores,
    normalization="none",
    reference="control: scores drawn at random",
    family=CONTROL,
    default=False,
    takes_weights=True,
    engines=PYTHON,
)
