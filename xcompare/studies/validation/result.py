"""What a validation run found: one row per quantity and dataset, and the table of them."""

import json
import math
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from xcompare.version import __version__

TOLERANCE = 1e-8  # for everything that involves no chance
PYTHON = f"xcompare {__version__}"

Verdict = Literal["agree", "differ", "error", "not judged"]


@dataclass(frozen=True)
class Check:
    """One quantity on one dataset, computed in both languages.

    Attributes
    ----------
    quantity, dataset : str
    largest_difference : float
        Between the two languages, over everything compared. Labels, splits and choices count how many
        differ. NaN where nothing was compared.
    tolerance : float
        Largest difference that counts as agreement.
    verdict : {"agree", "differ", "error", "not judged"}
        "error": one side failed; the note says how. "not judged": the note says why.
    python, r : str
        What computed the quantity, with versions.
    note : str
        What to know about the comparison.
    """

    quantity: str
    dataset: str
    largest_difference: float
    tolerance: float
    verdict: Verdict
    python: str
    r: str
    note: str = ""

    @classmethod
    def judge(
        cls,
        quantity: str,
        dataset: str,
        difference: float,
        r: str,
        tolerance: float = TOLERANCE,
        note: str = "",
    ) -> "Check":
        """A row whose verdict is whether the difference is within the tolerance."""
        verdict: Verdict = "agree" if difference <= tolerance else "differ"  # NaN differs
        return cls(quantity, dataset, float(difference), tolerance, verdict, PYTHON, r, note)

    @classmethod
    def failed(cls, quantity: str, dataset: str, error: Exception) -> "Check":
        """A row for what could not be computed."""
        note = f"{type(error).__name__}: {error}"
        return cls(quantity, dataset, math.nan, math.nan, "error", PYTHON, "", note)

    @classmethod
    def unjudged(cls, quantity: str, dataset: str, why: str) -> "Check":
        """A row for what cannot be compared here."""
        return cls(quantity, dataset, math.nan, math.nan, "not judged", PYTHON, "", why)


@dataclass(frozen=True, eq=False)
class Validation:
    """A validation run.

    Attributes
    ----------
    checks : tuple of Check
    versions : dict of str to str
        Python, R and the packages that computed; ``"not installed"`` for R packages that would be used.
    seconds : float
        Time the run took.
    """

    checks: tuple[Check, ...]
    versions: Mapping[str, str]
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether no quantity differs and none failed to be computed."""
        return not self.failures

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that differ or failed."""
        return tuple(check for check in self.checks if check.verdict in ("differ", "error"))

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per quantity and dataset: the fields of `Check` as columns."""
        return pd.DataFrame([asdict(check) for check in self.checks], columns=list(Check.__annotations__))

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row per quantity: the number of datasets, and the one that comes nearest to failing."""
        rows = []
        for quantity, group in self.table.groupby("quantity", sort=False):
            judged = group[group["verdict"] != "not judged"]
            worst = _worst(judged if len(judged) else group)
            rows.append({"quantity": quantity, "datasets": len(judged), **worst.drop("quantity").to_dict()})
        return pd.DataFrame(rows)

    def to_json(self, *, indent: int | None = 2) -> str:
        """The run as JSON: ``passed``, ``seconds``, ``versions``, ``checks``; NaN and infinity are null."""
        return json.dumps(
            {
                "passed": self.passed,
                "seconds": round(self.seconds, 3),
                "versions": dict(self.versions),
                "checks": [{key: _plain(value) for key, value in asdict(c).items()} for c in self.checks],
            },
            indent=indent,
            allow_nan=False,
        )

    def __str__(self) -> str:
        counts = self.table["verdict"].value_counts()
        counted = ", ".join(f"{counts[verdict]} {verdict}" for verdict in counts.index)
        columns = ["quantity", "datasets", "dataset", "largest_difference", "tolerance", "verdict", "r"]
        shown = self.summary[columns].to_string(index=False, float_format="{:.2g}".format)
        return f"{shown}\n{len(self.checks)} comparisons of Python and R: {counted}"


def versions_of(r_version: str, rpy2_version: str, packages: Mapping[str, str | None]) -> dict[str, str]:
    """What computed, by name."""
    import scipy
    import sklearn

    return {
        "xcompare": __version__,
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "R": r_version,
        "rpy2": rpy2_version,
        **{f"{name} (R)": version or "not installed" for name, version in packages.items()},
    }


def _worst(rows: pd.DataFrame) -> pd.Series:
    """The row nearest to failing, failures first."""
    failed = rows["verdict"].isin(["differ", "error"]).to_numpy()
    difference, tolerance = (rows[name].to_numpy() for name in ("largest_difference", "tolerance"))
    return rows.iloc[int(failed.argmax() if failed.any() else np.nan_to_num(difference / tolerance).argmax())]


def _plain(value: Any) -> Any:
    """JSON has no NaN and no infinity."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
