"""How long an ensemble takes, approximately, so that it can be said before it starts."""

from xcompare.bagging.kmeans.lloyd import LARGE


def ensemble_seconds(n_samples: int, n_features: int, n_clusters: int, n_replicas: int, n_init: int) -> float:
    """Approximate time on one core, at most: less if clusters are well separated."""
    clustering = n_init * n_samples * (4e-8 if n_samples >= LARGE else 1e-8)
    describing = 1.2e-5  # the density of a feature in three clusters
    return n_replicas * n_features * n_clusters / 3 * (clustering + describing)


def progress_note(n_samples: int, n_features: int, n_clusters: int, n_replicas: int, n_init: int) -> str:
    """What is printed before the first replicate.

    Examples
    --------
    >>> progress_note(1_000_000, 20, 5, 100, 3)
    'BaggedClustering: 100 replicates of 1,000,000 x 20, roughly 400 s on one core'
    """
    seconds = ensemble_seconds(n_samples, n_features, n_clusters, n_replicas, n_init)
    return (
        f"BaggedClustering: {n_replicas} replicates of {n_samples:,} x {n_features:,},"
        f" roughly {max(seconds, 1):.0f} s on one core"
    )
