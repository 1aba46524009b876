"""Mutual information of features of several kinds, each on the rows where it was observed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from xcompare.bagging.information.discrete import discrete_information, value_codes
from xcompare.bagging.information.mutual import BLOCK_LABELS, FeatureInformation, Information
from xcompare.core.blocks import slices
from xcompare.core.features import FeatureKind

FEWEST_ROWS = 2  # observed, below which a feature carries no information


class Counted(NamedTuple):
    """A feature with levels, for the plug-in estimate."""

    codes: np.ndarray  # (n_rows,)
    nominal: bool

    def mutual_information(self, labels: np.ndarray) -> np.ndarray:
        """Information about each partition, in nats; labels of shape (n_partitions, n_rows)."""
        step, k = max(1, BLOCK_LABELS // labels.shape[1]), int(labels.max()) + 1
        parts = (labels[some] for some in slices(len(labels), step))
        return np.concatenate(
            [discrete_information([self.codes], part, k, [self.nominal])[:, 0] for part in parts]
        )


@dataclass(frozen=True, eq=False)
class KindInformation:
    """Features prepared for mutual information with any partition, as `FeatureInformation`.

    Numeric features are estimated as there. Those with levels have the plug-in estimate: for nominal ones
    less its exact expectation under permutation, so that many levels gain nothing over two.
    """

    # Features, the rows where they are observed (None: all), and what is known of them. Numeric features
    # without gaps are one part, every other feature is its own.
    parts: list[tuple[np.ndarray, np.ndarray | None, FeatureInformation | Counted]]
    n_features: int

    @classmethod
    def of(
        cls, values: np.ndarray, kinds: Sequence[FeatureKind], information: Information
    ) -> "KindInformation":
        """Prepare features.

        ``kinds`` ("numeric", "ordinal", "binary", "nominal"). ``values`` of shape (n_features, n_samples):
        numbers, or codes of the levels; NaN where missing. ``information`` ("auto", "kde", "discrete"): of
        the numeric features.
        """
        observed = ~np.isnan(values)
        numeric = np.array([kind == "numeric" for kind in kinds], dtype=bool)
        whole = np.flatnonzero(numeric & observed.all(axis=1))
        parts: list[tuple[np.ndarray, np.ndarray | None, FeatureInformation | Counted]] = []
        if whole.size:
            parts.append((whole, None, FeatureInformation.of(values[whole], information)))
        for j in np.setdiff1d(np.arange(len(values)), whole):
            rows = np.flatnonzero(observed[j])
            if rows.size < FEWEST_ROWS:
                continue
            x = values[j, rows]
            known: FeatureInformation | Counted
            if kinds[j] == "numeric":
                known = FeatureInformation.of(x[None], information)
            elif kinds[j] == "nominal":
                known = Counted(np.unique(x, return_inverse=True)[1], True)
            else:
                known = Counted(value_codes(x)[0], False)
            parts.append((np.array([j]), rows, known))
        return cls(parts, len(values))

    def mutual_information(self, labels: np.ndarray, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mutual information of selected features with each of several partitions.

        Parameters and results are those of `FeatureInformation.mutual_information`; where a feature with
        levels has the plug-in estimate is not told, as it never has another.
        """
        information = np.where(features, 0.0, np.nan)
        counted = np.zeros_like(features)
        for which, rows, known in self.parts:
            chosen = np.flatnonzero(features[:, which].any(axis=1))
            if not chosen.size:
                continue
            some = labels[chosen] if rows is None else labels[np.ix_(chosen, rows)]
            drawn = features[np.ix_(chosen, which)]
            at = np.ix_(chosen, which)
            if isinstance(known, Counted):
                information[at] = known.mutual_information(some)[:, None]
            else:
                information[at], counted[at] = known.mutual_information(some, drawn)
        return information, counted
