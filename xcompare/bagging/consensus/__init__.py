"""One partition from an ensemble of partitions."""
