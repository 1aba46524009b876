"""Methods that explain the centers of one good K-means: PBFI, relevance propagation."""
