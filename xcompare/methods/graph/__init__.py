"""Methods on a graph of neighbouring points: Laplacian Score, MCFS, SPEC."""
