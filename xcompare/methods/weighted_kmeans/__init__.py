"""K-means with weights for features: FGKM, TWKM and sparse K-means."""
