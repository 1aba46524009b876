"""Bootstrap samples of rows, drawn within each cluster, for statistics that are sums over rows."""

from dataclasses import dataclass

import numpy as np

from xcompare.core.seeds import derive_seed

MOST_ROWS = 50_000  # resampled; of more rows, a sample, and intervals are scaled


@dataclass(frozen=True, eq=False)
class ResampledRows:
    """Bootstrap samples stratified by cluster."""

    rows: np.ndarray  # (n_resampled,): the rows they are drawn from: all, or a sample of many
    codes: np.ndarray  # (n_resampled,): their clusters
    extra: np.ndarray  # (n_bootstraps, n_resampled): how many times each row is drawn, minus one
    n_samples: int  # number of rows of the data

    @classmethod
    def of(cls, codes: np.ndarray, n_bootstraps: int, seed: int) -> "ResampledRows":
        """Samples of rows with these clusters, the same for the same seed."""
        n = len(codes)
        rows = np.arange(n)
        if n > MOST_ROWS:
            rng = np.random.default_rng(derive_seed(seed, "rows"))
            every = -(-n // MOST_ROWS)
            rows = np.sort(
                np.concatenate(
                    [
                        rng.permutation(members)[: max(len(members) // every, min(len(members), 50))]
                        for members in (np.flatnonzero(codes == k) for k in np.unique(codes))
                    ]
                )
            )
        some = codes[rows]
        extra = np.empty((n_bootstraps, len(rows)), dtype=np.float32)
        for k in np.unique(some):
            members = np.flatnonzero(some == k)
            rng = np.random.default_rng(derive_seed(seed, "bootstrap", int(k)))
            for one in extra:
                drawn = rng.integers(len(members), size=len(members))
                one[members] = np.bincount(drawn, minlength=len(members)) - 1
        return cls(rows, some, extra, n)

    @property
    def shrinkage(self) -> float:
        """By how much a deviation of a mean shrinks from these rows to all of them."""
        return float(np.sqrt(len(self.rows) / self.n_samples))

    def deviates(self, influence: np.ndarray) -> np.ndarray:
        """Deviations of a linear statistic in the samples, shape (n_bootstraps, ...).

        ``influence`` of shape (n_resampled, ...) holds what each row adds to the statistic.
        """
        return (self.extra @ influence.astype(np.float32)) * (self.n_samples / len(self.rows))

    def sums_by_cluster(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sums within each cluster, in the samples and in the rows they are drawn from.

        ``values`` of shape (n_statistics, n_samples, n_features); the sums have the shapes (n_statistics,
        n_bootstraps, n_clusters, n_features) and (n_statistics, n_clusters, n_features).
        """
        some = values[:, self.rows]
        n_clusters = int(self.codes.max()) + 1
        masks = [self.codes == k for k in range(n_clusters)]
        own = np.stack([some[:, mask].sum(axis=1) for mask in masks], axis=1)
        extra = [self.extra[:, mask] @ some[:, mask].astype(np.float32) for mask in masks]
        return np.stack(extra, axis=2) + own[:, None], own
