"""Model-based selection of features, greedily: does a feature belong to the mixture of the clusters?"""

from typing import Any

import numpy as np

from xcompare import rbridge
from xcompare.core.checks import check_choice, check_data, check_integer
from xcompare.methods.base import Engine, Method, Scores, labels_from_r

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
    """Evidence that a feature is part of the Gaussian mixture, and not explained by the selected features.

    The search starts with the feature that is the best mixture on its own, and then adds the one with most
    evidence or drops the one with least, until neither is for the better. The evidence for a feature is a
    difference of BICs: that of the mixture of the selected features with it, less that of the mixture
    without it and that of its linear regression on those of the selected that its BIC keeps (Maugis, Celeux
    and Martin-Magniette 2009). Fits that put a cluster on a single value do not count: their likelihood
    is as large as one likes.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, at least two rows. The scale of a column does not matter.
    n_clusters : int
        Number of clusters K, from 2 to n_samples.
    random_state : int, Generator or None, default=None
        Plays no part: nothing is drawn.
    engine : {"r"}, default="r"
        R's mclust fits the mixtures; there is no native engine.

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,): the evidence for each feature given the others that are selected.
        Above 0 for those that make the clusters; a feature that no mixture fits gets the lowest. ``labels``
        of the mixture of the selected features, and ``details["selected"]``, their numbers.

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
    return Scores(
        result.values["importance"],
        result.values["package"][0],
        labels_from_r(result.values["labels"]),
        result.warnings,
        result.output,
        details={"selected": np.asarray(result.values["selected"], dtype=np.intp) - 1},
    )


def slow(n_samples: int, n_features: int, n_clusters: int, **_: Any) -> str:
    """What to know before a run on many features or rows; where many matter, it takes a few times as long."""
    seconds = n_features * (n_features / 6 + 3) * (8e-3 + 3e-5 * n_samples)
    if seconds < 10:
        return ""
    return (
        f"fits a mixture for every feature in every step, at least {seconds:,.0f} s a run with {n_features:,}"
        f" features and {n_samples:,} rows; take fewer features, or a sample of the rows"
    )


CLUSTVARSEL = Method(
    name="clustvarsel",
    title="Clustvarsel",
    run=clustvarsel,
    larger_is_better=True,
    normalization="minmax",
    reference=REFERENCE,
    family="mixture",
    default=False,
    stochastic=False,
    engines=ENGINES,
    slow=slow,
    r_required=("mclust",),
)
