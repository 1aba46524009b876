"""Greedy feature selection for model-based clustering (Raftery and Dean, 2006)."""

from typing import Any

import numpy as np

from xcompare import rbridge
from xcompare.core.checks import check_choice, check_data, check_integer
from xcompare.methods.base import Engine, Method, Scores, scores_from_r

ENGINES: tuple[Engine, ...] = ("r",)
REFERENCE = (
    "Raftery, Dean (2006), Variable selection for model-based clustering, doi:10.1198/016214506000000113"
)


def clustvarsel(
    X: np.ndarray,
    n_clusters: int,
    *,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "r",
) -> Scores:
    """Evidence that a feature belongs to the Gaussian mixture and is not explained by the selected features.

    Stepwise selection starts with the feature that a mixture fits best on its own, then adds the feature with
    the most evidence or drops the one with the least, until neither improves the model. The evidence for a
    feature is a difference of BICs: the mixture of the selected features with it, minus the mixture
    without it and its linear regression on a subset of the selected features, chosen by BIC (Maugis, Celeux
    and Martin-Magniette 2009). Degenerate fits, with a cluster on a single value, are excluded, as their
    likelihood is unbounded.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, at least two rows. The scale of a column does not matter.
    n_clusters : int
        Number of clusters K, from 2 to n_samples.
    random_state : int, Generator or None, default=None
        Ignored: deterministic.
    engine : {"r"}, default="r"
        R's mclust fits the mixtures; there is no native engine.

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,): evidence for each feature given the other selected ones, positive
        for features that separate clusters; a feature that no mixture fits gets the lowest. ``labels``
        of the mixture of the selected features, and ``details["selected"]``, their indices.

    References
    ----------
    Raftery, A. E., Dean, N. (2006). Variable selection for model-based clustering. Journal of the American
    Statistical Association 101(473), 168-178. doi:10.1198/016214506000000113
    Maugis, C., Celeux, G., Martin-Magniette, M.-L. (2009). Variable selection for clustering with Gaussian
    mixture models. Biometrics 65(3), 701-709. doi:10.1111/j.1541-0420.2008.01160.x

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 4))
    >>> X[:, 1] += np.repeat([-4, 4], 50)
    >>> int(clustvarsel(X, 2).scores.argmax())  # doctest: +SKIP
    1
    """
    check_choice("engine", engine, ENGINES)
    X = check_data(X, min_samples=2, squares=True)
    check_integer("n_clusters", n_clusters, 2, len(X))
    rbridge.require(("mclust",), caller="clustvarsel")
    result = rbridge.call("xc_clustvarsel", {"x": X, "n_clusters": n_clusters})
    selected = np.asarray(result.values["selected"], dtype=np.intp) - 1
    return scores_from_r(result, details={"selected": selected})


def _seconds(n_samples: int, n_features: int, n_clusters: int, **_: Any) -> float:
    """Approximate time of one run, at least: a few times as long if many features are relevant."""
    return n_features * (n_features / 6 + 3) * (8e-3 + 3e-5 * n_samples)


CLUSTVARSEL = Method(
    name="clustvarsel",
    title="Clustvarsel",
    run=clustvarsel,
    normalization="minmax",
    reference=REFERENCE,
    family="mixture",
    default=False,
    stochastic=False,
    engines=ENGINES,
    seconds=_seconds,
    faster="fewer features or a sample of the rows is faster",
    r_required=("mclust",),
)
