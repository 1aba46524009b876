"""K-means for many bootstrap replicates at once."""
