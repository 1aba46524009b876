"""Blocks of rows or columns, processed one after the other so that they fit in the cache or in memory."""


def slices(stop: int, size: int, start: int = 0) -> list[slice]:
    """Consecutive slices of a range, of at most ``size``.

    Examples
    --------
    >>> slices(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(first, min(first + size, stop)) for first in range(start, stop, size)]
