"""A package, so that no other distribution's top-level `tests` (baycomp installs one) is found in its place."""
