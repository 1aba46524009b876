"""R's uniform random numbers, so that a seed draws the same rows in Python and R."""

import numpy as np

_CONGRUENTIAL = 69069
_UNIT = 2.3283064365386963e-10  # 2**-32
_MARGIN = 0.5 * 2.328306437080797e-10  # R never returns 0 or 1


class RRandom:
    """The sequence of ``runif(1)`` in R after ``set.seed(seed)``.

    R's default generator is the Mersenne Twister, as in numpy; only the initialization of the state
    differs: a linear congruential sequence, with 50 steps discarded, then one
    word for the position (overwritten by R, so that the first draw refreshes the state) and
    624 for the state.

    Parameters
    ----------
    seed : int
        As R's ``set.seed``: from -2147483647 to 2147483647.

    References
    ----------
    Matsumoto and Nishimura (1998), doi:10.1145/272991.272995; R's ``help(RNGkind)``.

    Examples
    --------
    >>> random = RRandom(1)
    >>> print(f"{random.uniform():.7f} {random.uniform():.7f}")
    0.2655087 0.3721239
    """

    def __init__(self, seed: int) -> None:
        if not -(2**31) < seed < 2**31:
            raise ValueError(f"seed must lie in [-2147483647, 2147483647], the range of R; got {seed}")
        word = seed % 2**32
        words = []
        for _ in range(50 + 625):
            word = (_CONGRUENTIAL * word + 1) % 2**32
            words.append(word)
        self._twister = np.random.MT19937()
        self._twister.state = {
            "bit_generator": "MT19937",
            "state": {"key": np.array(words[51:], dtype=np.uint32), "pos": 624},
        }

    def uniform(self) -> float:
        """Next number in (0, 1)."""
        return min(max(int(self._twister.random_raw()) * _UNIT, _MARGIN), 1.0 - _MARGIN)
