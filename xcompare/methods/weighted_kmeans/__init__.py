"""K-means with feature weights: FGKM, TWKM and sparse K-means."""
