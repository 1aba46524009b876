"""Selection of features for a Gaussian mixture model."""
