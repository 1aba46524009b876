"""The Dunn index: of one partition, and of the many of an ensemble."""
