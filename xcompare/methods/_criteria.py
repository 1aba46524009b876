"""The criteria for a number of clusters as a row that the harness runs: no method."""

import numpy as np

from xcompare.bagging.criteria import CRITERIA, criteria_and_draws
from xcompare.methods._base import SOFTWARE, Engine, Method, Scores


def _criteria(
    X: np.ndarray, n_clusters: int, *, random_state: int | None = None, engine: Engine = "python"
) -> Scores:
    """The criteria of the data, and those of each draw from one Gaussian as a variant."""
    observed, draws = criteria_and_draws(X, n_clusters, random_state or 0)
    return Scores(observed, SOFTWARE, variants={f"draw {i}": draw for i, draw in enumerate(draws)})


HOW_MANY = Method(
    name="how_many",
    title="How many clusters",
    run=_criteria,
    larger_is_better=True,
    normalization="none",
    reference="stability, Dunn, silhouette and gap statistic against one Gaussian; xcompare",
    engines=("python",),
    scores_of=CRITERIA,
)

COUNTS: dict[str, Method] = {HOW_MANY.name: HOW_MANY}
