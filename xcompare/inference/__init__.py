"""Statistical inference: are there clusters, which features differ between them, how many are there."""
