"""Seeds derived from what a piece of work is, so that order, workers and resuming change nothing."""

import hashlib
import json


def derive_seed(base: int, *parts: object) -> int:
    """Seed for one piece of work, from the base seed and the names that identify it.

    Parameters
    ----------
    base : int
        Seed of the whole run.
    *parts : str or int
        What identifies the piece of work, e.g. dataset, method, engine, run.

    Returns
    -------
    int
        In ``[0, 2**31 - 1)``, the range both numpy and R's ``set.seed`` accept.

    Examples
    --------
    >>> derive_seed(0, "wine", "efron", 3) == derive_seed(0, "wine", "efron", 3)
    True
    >>> derive_seed(0, "wine", "efron", 3) == derive_seed(0, "wine", "efron", 4)
    False
    """
    identity = json.dumps([base, *map(str, parts)]).encode()
    return int.from_bytes(hashlib.blake2b(identity, digest_size=8).digest()) % (2**31 - 1)
