"""Feature selection for Gaussian mixture models."""
