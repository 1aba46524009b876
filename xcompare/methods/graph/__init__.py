"""Methods based on a neighbour graph: Laplacian score, MCFS, SPEC."""
