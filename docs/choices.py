"""For the site: read ``{"a", "b"}, default="b"`` as it is meant; griffe takes the first for the default."""

import re
from typing import Any

import griffe

CHOICES = re.compile(r'(?<= : )\{("[^{}]*")\}', re.MULTILINE)


class Choices(griffe.Extension):
    """Write the choices of every docstring as ``"a" or "b"`` before it is parsed."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = CHOICES.sub(
                lambda choices: choices[1].replace(", ", " or "), obj.docstring.value
            )
