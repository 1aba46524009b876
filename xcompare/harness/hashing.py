"""Short hashes that identify units, independent of when or where they ran."""

import hashlib
import json
from typing import Any


def digest(text: str) -> str:
    """Short hash of a text.

    Examples
    --------
    >>> digest("wine")
    '5d9b08fdd01f7590fc318f97'
    """
    return hashlib.blake2b(text.encode(errors="backslashreplace"), digest_size=12).hexdigest()


def as_text(value: Any) -> str:
    """JSON with sorted keys; arrays and tuples become lists.

    Examples
    --------
    >>> as_text({"b": (1, 2), "a": 0.5})
    '{"a": 0.5, "b": [1, 2]}'
    """
    return json.dumps(value, sort_keys=True, default=lambda other: other.tolist())
