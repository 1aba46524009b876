"""Studies of the methods: validation (Python against R), reproduction of the paper, and the benchmark."""
