"""Statistical inference: existence of clusters, features that differ, number of clusters, the answer."""
