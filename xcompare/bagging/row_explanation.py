"""Explain the cluster of a row: the votes of the replicates, and the contribution of each feature."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import pandas as pd

from xcompare.bagging.consensus.alignment import AlignedReplicas
from xcompare.bagging.uncertainty import weighted_mean

BORDERLINE = 0.8  # share of votes below which the cluster of a row is uncertain
NAMED = 3  # features named for and against in a sentence
MOST_ROWS, MOST_COLUMNS = 20, 50  # shown in a notebook
WORTH_NAMING = 0.05  # share of the sum of absolute pulls


@dataclass(frozen=True, eq=False)
class SampleExplanation:
    """Explanation of the clusters of rows.

    Attributes
    ----------
    rows : ndarray of int of shape (n_rows,)
        Indices in the data given, or in the training data if none was given.
    labels : ndarray of int of shape (n_rows,)
        Cluster of each row.
    rivals : ndarray of int of shape (n_rows,)
        The other cluster with the most votes; if there are no such votes, the nearest one.
    proba : ndarray of shape (n_rows, n_clusters)
        Weighted share of the replicates that assign the row to each cluster.
    pulls : ndarray of shape (n_rows, n_features)
        Squared standardised distance to the mean of the rival less that to the mean of its cluster, averaged
        over the replicates that drew the feature. Positive values favour its cluster, negative ones the
        rival. In a replicate they sum over features to the difference of the squared distances.
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
        """One line per row: cluster, rival, shares of votes for both, and the pull of each feature."""
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
        """One sentence per row, with the shares of the strongest pulls."""
        return tuple(self._sentence(at) for at in range(len(self.rows)))

    def _repr_html_(self) -> str:
        lines = "".join(f"<p>{escape(sentence)}</p>\n" for sentence in self.sentences[:MOST_ROWS])
        return lines + self.table.round(2).to_html(max_rows=MOST_ROWS, max_cols=MOST_COLUMNS)

    def _sentence(self, at: int) -> str:
        pulls = self.pulls[at] / max(np.abs(self.pulls[at]).sum(), np.finfo(float).tiny)
        cluster, rival = self.labels[at], self.rivals[at]
        parts = [f"row {self.rows[at]}: cluster {cluster} in {self.proba[at, cluster]:.0%} of the replicates"]
        if self.proba[at, rival] > 0:
            parts[0] += f", cluster {rival} in {self.proba[at, rival]:.0%}"
        for verb, strength in (("separated from", pulls), ("pulled to", -pulls)):
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
    block: np.ndarray | None = None,
) -> SampleExplanation:
    """Explain the clusters of points.

    ``points`` of shape (n_features, n_rows). ``replicas``: with at least two clusters. ``labels`` of shape
    (n_rows,): their consensus clusters. ``rows`` of shape (n_rows,): their indices. ``block`` of shape
    (n_dimensions,) or None: feature of each dimension of the points; None: each is its own.
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
    if block is not None:
        pulls = np.add.reduceat(pulls, np.unique(block, return_index=True)[1], axis=1)
    return SampleExplanation(rows, labels, rivals, proba, pulls, tuple(map(str, feature_names)))


def _rivals(
    points: np.ndarray, labels: np.ndarray, proba: np.ndarray, means: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """The other cluster with the most votes; of ties the nearest, by its mean over the replicates."""
    far = np.full(proba.shape, np.inf)  # for a cluster found by no replicate
    for k in np.flatnonzero(~np.isnan(means).all(axis=(0, 2))):
        center = weighted_mean(means[:, k], weights).mean
        far[:, k] = ((points.T - center) ** 2).sum(axis=1)
    votes = proba.round(12)
    votes[np.arange(len(labels)), labels] = -1.0
    return np.lexsort((far, -votes), axis=1)[:, 0]
