"""Studies of the methods: Python against R, the published tables, and the benchmark."""
