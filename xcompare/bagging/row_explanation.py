"""Why a row is where it is: what the replicas say about it, and which features hold it there."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import pandas as pd

from xcompare.bagging.consensus.alignment import AlignedReplicas
from xcompare.bagging.uncertainty import weighted_mean

BORDERLINE = 0.8  # share of replicas below which it is not clear where a row belongs
NAMED = 3  # features a sentence names for and against
MOST_ROWS, MOST_COLUMNS = 20, 50  # that a notebook shows
WORTH_NAMING = 0.05  # share of all pulls


@dataclass(frozen=True, eq=False)
class SampleExplanation:
    """Why rows are where they are.

    Attributes
    ----------
    rows : ndarray of int of shape (n_rows,)
        Their numbers in the data given; in the training data where none was given.
    labels : ndarray of int of shape (n_rows,)
        The cluster of each.
    rivals : ndarray of int of shape (n_rows,)
        The cluster it would be in otherwise: the one that most of the other replicas put it in; where there
        are none, the nearest one.
    proba : ndarray of shape (n_rows, n_clusters)
        Weighted share of the replicas that put it in each cluster.
    pulls : ndarray of shape (n_rows, n_features)
        How much nearer the row is to its cluster than to the rival in this feature: the difference of the
        squared standardised distances to the means of the two clusters in a replica, averaged over the
        replicas that drew it. Above 0 the feature holds the row in its cluster, below 0 it pulls it to
        the rival. Over the features of a replica they add up to the difference of the squared distances.
    feature_names : tuple of str
    """

    rows: np.ndarray
    labels: np.ndarray
    rivals: np.ndarray
    proba: np.ndarray
    pulls: np.ndarray
    feature_names: tuple[str, ...]

    @property
    def table(self) -> pd.DataFrame:
        """A line per row: cluster, rival, the shares of replicas for both, and the pull of each feature."""
        at = np.arange(len(self.rows))
        who = {
            "cluster": self.labels,
            "rival": self.rivals,
            "share": self.proba[at, self.labels],
            "rival_share": self.proba[at, self.rivals],
        }
        pulls = pd.DataFrame(self.pulls, columns=list(self.feature_names))
        return pd.concat([pd.DataFrame(who), pulls], axis=1).set_axis(self.rows)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The same in words, with the shares of the strongest pulls, one sentence per row."""
        return tuple(self._sentence(at) for at in range(len(self.rows)))

    def _repr_html_(self) -> str:
        lines = "".join(f"<p>{escape(sentence)}</p>\n" for sentence in self.sentences[:MOST_ROWS])
        return lines + self.table.round(2).to_html(max_rows=MOST_ROWS, max_cols=MOST_COLUMNS)

    def _sentence(self, at: int) -> str:
        pulls = self.pulls[at] / max(np.abs(self.pulls[at]).sum(), np.finfo(float).tiny)
        cluster, rival = self.labels[at], self.rivals[at]
        parts = [f"row {self.rows[at]}: cluster {cluster} in {self.proba[at, cluster]:.0%} of the replicas"]
        if self.proba[at, rival] > 0:
            parts[0] += f", cluster {rival} in {self.proba[at, rival]:.0%}"
        for verb, strength in (("held against", pulls), ("pulled to", -pulls)):
            strongest = [
                j for j in np.argsort(-strength, kind="stable")[:NAMED] if strength[j] >= WORTH_NAMING
            ]
            names = ", ".join(f"{self.feature_names[j]} ({strength[j]:.0%})" for j in strongest)
            parts += [f"{verb} cluster {rival} by {names}"] if names else []
        return "; ".join(parts)


def explain_rows(
    replicas: AlignedReplicas,
    points: np.ndarray,
    labels: np.ndarray,
    rows: np.ndarray,
    feature_names: Sequence[str],
) -> SampleExplanation:
    """Why points are in their clusters.

    Parameters
    ----------
    replicas : AlignedReplicas
        Of two clusters or more.
    points : ndarray of shape (n_features, n_rows)
    labels : ndarray of int of shape (n_rows,)
        Their clusters in the consensus.
    rows : ndarray of int of shape (n_rows,)
        Their numbers.
    feature_names : sequence of str
    """
    if replicas.n_clusters < 2:
        raise ValueError("explain_sample needs a model of at least two clusters; got one")
    proba = replicas.shares(replicas.votes(points))
    means = replicas.means()
    rivals = _rivals(points, labels, proba, means, replicas.weights)
    total, mass = np.zeros(points.T.shape), np.zeros(points.T.shape)
    for mean, weight in zip(means, replicas.weights, strict=True):
        pull = (points.T - mean[rivals]) ** 2 - (points.T - mean[labels]) ** 2
        known = ~np.isnan(pull)
        total[known] += weight * pull[known]
        mass += weight * known
    pulls = np.divide(total, mass, out=np.zeros_like(total), where=mass > 0)
    return SampleExplanation(rows, labels, rivals, proba, pulls, tuple(map(str, feature_names)))


def _rivals(
    points: np.ndarray, labels: np.ndarray, proba: np.ndarray, means: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """The other cluster with the most votes; of equals the nearest, by its mean over the replicas."""
    far = np.full(proba.shape, np.inf)  # for a cluster that no replica has
    for k in np.flatnonzero(~np.isnan(means).all(axis=(0, 2))):
        center = weighted_mean(means[:, k], weights).mean
        far[:, k] = ((points.T - center) ** 2).sum(axis=1)
    votes = proba.round(12)
    votes[np.arange(len(labels)), labels] = -1.0
    return np.lexsort((far, -votes), axis=1)[:, 0]
