"""The choice of the number of clusters as a registry row, for the harness; not an importance method."""

from collections.abc import Sequence

import numpy as np

from xcompare.core.features import Feature
from xcompare.inference.number_of_clusters import Choice, count_clusters
from xcompare.methods.base import PYTHON, SOFTWARE, Engine, Method, Scores, checked_p_values
from xcompare.methods.option import Option, option_table


def _how_many(
    X: np.ndarray,
    n_clusters: int,
    *,
    ks: Sequence[int] | None = None,
    features: Sequence[Feature] | None = None,
    random_state: int | None = None,
    engine: Engine = "python",
) -> Scores:
    """Criteria for each number of clusters, and the p-value of no clusters."""
    found = count_clusters(X, random_state or 0, ks, features)
    numbers = {name: np.atleast_1d(np.asarray(value, dtype=float)) for name, value in found._asdict().items()}
    return Scores(np.empty(0), SOFTWARE, numbers=numbers)


def choice_in(scores: Scores) -> Choice:
    """The choice, from the result of a run."""
    found = scores.numbers
    ks, gap, bic = found["ks"], found["density_gap"], found["bic"]
    if not len(ks) == len(gap) == len(bic) > 0:
        raise ValueError("every number of clusters needs its criteria")
    [p_clusters] = checked_p_values(found["p_clusters"])
    return Choice(ks.astype(int), gap, bic, float(p_clusters), found["features"].astype(int))


HOW_MANY = Method(
    name="how_many",
    tables="native",
    takes_weights=True,
    title="How many clusters",
    run=_how_many,
    normalization="none",
    reference="BIC of Gaussian mixtures, Schwarz (1978), doi:10.1214/aos/1176344136; xcompare",
    engines=PYTHON,
    options=option_table(Option("ks", "numbers of clusters to try", "list", or_none=True)),
    kind="choice",
)
