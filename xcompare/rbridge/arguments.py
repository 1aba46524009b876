"""Convert the arguments of an R call to a small set of types, before they are sent to the worker."""

from collections.abc import Mapping
from typing import Any

import numpy as np

# R's integers have 32 bits, and the smallest represents NA.
LARGEST_INTEGER = 2**31 - 1


def plain(value: Any, name: str) -> Any:
    """Convert ``value`` for the R session.

    None, a list of str (None for NA), a dict of such values, or an array of float64, int32 or bool
    in R's column-major order. Scalars become vectors of length 1: R has no others.
    """
    if value is None:
        return None
    if isinstance(value, Mapping):
        return {str(key): plain(item, f"{name}[{key!r}]") for key, item in value.items()}
    if isinstance(value, str):
        return [value]
    if isinstance(value, list | tuple) and value and all(v is None or isinstance(v, str) for v in value):
        return list(value)
    array = np.atleast_1d(np.asarray(value))
    if array.dtype.kind == "b":
        return np.asfortranarray(array)
    if array.dtype.kind == "f":
        return np.asfortranarray(array, dtype=np.float64)
    if array.dtype.kind in "iu":
        if array.size and max(abs(int(array.min())), abs(int(array.max()))) > LARGEST_INTEGER:
            raise ValueError(
                f"{name} holds integers beyond R's range of ±{LARGEST_INTEGER}; pass floats instead"
            )
        return np.asfortranarray(array, dtype=np.int32)
    if array.dtype.kind in "UO" and array.ndim == 1 and all(isinstance(item, str) for item in array):
        return [str(item) for item in array]
    raise TypeError(
        f"{name} must be numbers, bools, strings, None or an array of numbers to be passed to R; "
        f"got {type(value).__name__} of dtype {array.dtype}"
    )


def check_seed(seed: int | None) -> int | None:
    """Return ``seed`` if R's ``set.seed`` accepts it, else raise."""
    if seed is None:
        return None
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed <= LARGEST_INTEGER:
        raise ValueError(f"seed must be a whole number from 0 to {LARGEST_INTEGER} or None; got {seed!r}")
    return int(seed)
