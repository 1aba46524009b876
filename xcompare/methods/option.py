"""Options of methods: types and bounds, declared with the method, checked and printed here."""

from dataclasses import dataclass
from math import inf, isfinite
from numbers import Real
from typing import Any

from xcompare.core.checks import is_whole
from xcompare.core.errors import DataError


@dataclass(frozen=True)
class Option:
    """An option of a method. Its default is that of the keyword argument of ``run``.

    Attributes
    ----------
    name : str
        The keyword argument.
    meaning : str
        One-line description.
    type : {"integer", "number", "choice", "flag", "list", "text"}, default="integer"
    least, most : float, default=-inf, inf
        Bounds of a number, both included.
    choices : tuple of str, default=()
        Values of a choice; for a number, strings accepted in its place, e.g. ``("auto",)``.
    or_none : bool, default=False
        Whether None is allowed.

    Examples
    --------
    >>> trees = Option("n_trees", "trees of the forest", least=1)
    >>> trees.allowed
    'an integer >= 1'
    >>> trees.check(0)
    Traceback (most recent call last):
        ...
    xcompare.core.errors.DataError: n_trees must be an integer >= 1; got 0
    """

    name: str
    meaning: str
    type: str = "integer"
    least: float = -inf
    most: float = inf
    choices: tuple[str, ...] = ()
    or_none: bool = False

    @property
    def allowed(self) -> str:
        """Description of the allowed values."""
        kinds = {"integer": "an integer", "number": "a number", "list": "a list", "text": "text",
                 "flag": "True or False"}  # fmt: skip
        bounds = [f">= {self.least:g}"] if isfinite(self.least) else []
        bounds += [f"<= {self.most:g}"] if isfinite(self.most) else []
        number = [f"{kinds[self.type]} {' and '.join(bounds)}".strip()] if self.type in kinds else []
        return " or ".join([*number, *map(repr, self.choices), *(["None"] if self.or_none else [])])

    def check(self, value: Any) -> None:
        """Raise ``DataError`` unless the value is allowed."""
        if not self._is_allowed(value):
            raise DataError(f"{self.name} must be {self.allowed}; got {value!r}")

    def _is_allowed(self, value: Any) -> bool:
        if value is None:
            return self.or_none
        if isinstance(value, str):
            return self.type == "text" or value in self.choices
        if self.type in ("list", "flag"):
            return hasattr(value, "__len__") if self.type == "list" else isinstance(value, bool)
        if self.type == "integer" and not is_whole(value):
            return False
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        return self.type in ("integer", "number") and is_number and self.least <= float(value) <= self.most


def option_table(*options: Option) -> dict[str, Option]:
    """Options by name."""
    return {option.name: option for option in options}
