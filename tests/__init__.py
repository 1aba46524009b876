"""A package, so that no other `tests` (a dependency installs one) is found in its place."""
