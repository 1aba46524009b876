"""Seeds derived from the identity of a computation, independent of order, workers and resuming."""

import hashlib
import json
import secrets

import numpy as np

from xcompare.core.checks import is_whole
from xcompare.core.errors import DataError

LARGEST_SEED = 2**31 - 1  # of R's set.seed; numpy takes larger ones


def derive_seed(base: int, *parts: object) -> int:
    """Derive the seed of a computation from the base seed and the names that identify it.

    ``base``: seed of the whole run. ``*parts``: identity of the computation, e.g. dataset, method, engine,
    run. The result lies in ``[0, 2**31 - 1)``, the range both numpy and R's ``set.seed`` accept.

    Examples
    --------
    >>> derive_seed(0, "wine", "efron", 3) == derive_seed(0, "wine", "efron", 3)
    True
    >>> derive_seed(0, "wine", "efron", 3) == derive_seed(0, "wine", "efron", 4)
    False
    """
    identity = json.dumps([base, *map(str, parts)]).encode()
    return int.from_bytes(hashlib.blake2b(identity, digest_size=8).digest()) % (2**31 - 1)


def as_seed(random_state: int | np.random.Generator | None) -> int:
    """Convert ``random_state`` to a seed that both numpy and R's ``set.seed`` accept.

    ``random_state``: a number from 0 to 2147483647 is used as it is; a generator draws a seed; None gives a
    new seed each time.

    Examples
    --------
    >>> as_seed(3)
    3
    """
    if random_state is None:
        return secrets.randbelow(LARGEST_SEED)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(LARGEST_SEED))
    if not is_whole(random_state) or not 0 <= random_state <= LARGEST_SEED:
        raise DataError(
            f"random_state must be a whole number from 0 to {LARGEST_SEED}, a numpy Generator or None;"
            f" got {random_state!r}"
        )
    return int(random_state)
