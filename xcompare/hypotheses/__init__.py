"""What a feature's part in the clusters is held against: one module per hypothesis, with its test."""
