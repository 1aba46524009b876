"""Results of a validation run: one row per quantity and dataset."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from xcompare.results.result import Result
from xcompare.version import __version__

if TYPE_CHECKING:
    from xcompare.results.report import Page

TOLERANCE = 1e-8  # for deterministic quantities
PYTHON = f"xcompare {__version__}"

Verdict = Literal["agree", "differ", "error", "not judged"]


@dataclass(frozen=True)
class Check:
    """One quantity on one dataset, computed in both languages."""

    quantity: str
    dataset: str
    # Between the two languages; for labels, splits and choices, the number that differ. NaN if nothing was
    # compared.
    largest_difference: float
    tolerance: float  # largest difference accepted as agreement
    verdict: Verdict  # "error": one side failed; "not judged": see the note
    # python, r: implementations, with versions
    python: str
    r: str
    note: str = ""  # remarks

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
        """A row with the verdict by the tolerance."""
        verdict: Verdict = "agree" if difference <= tolerance else "differ"  # including NaN
        return cls(quantity, dataset, float(difference), tolerance, verdict, PYTHON, r, note)

    @classmethod
    def without(cls, quantity: str, dataset: str, verdict: Verdict, why: str) -> "Check":
        """A row for a quantity that failed or cannot be compared."""
        return cls(quantity, dataset, math.nan, math.nan, verdict, PYTHON, "", why)


@dataclass(frozen=True, eq=False)
class Validation(Result):
    """A validation run.

    Attributes
    ----------
    checks : tuple of Check
    versions : dict of str to str
        Python, R and packages; ``"not installed"`` for missing R packages.
    seconds : float
        Running time.
    """

    checks: tuple[Check, ...]
    versions: Mapping[str, str]
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether no quantity differs or failed."""
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
        """One row per quantity: number of datasets, and the one closest to its tolerance."""
        verdict = self.table["verdict"]
        closeness = (self.table["largest_difference"] / self.table["tolerance"]).fillna(0.0)
        closeness = closeness.mask(verdict.isin(["differ", "error"]), np.inf).mask(
            verdict == "not judged", -1.0
        )
        by_quantity = closeness.groupby(self.table["quantity"], sort=False)
        worst = self.table.loc[by_quantity.idxmax()].reset_index(drop=True)
        worst.insert(1, "datasets", by_quantity.agg(lambda some: (some >= 0).sum()).to_numpy())
        return worst

    @property
    def answer(self) -> str:
        """Whether Python and R agree, in a sentence."""
        counts = self.table["verdict"].value_counts()
        counted = ", ".join(f"{counts[verdict]} {verdict}" for verdict in counts.index)
        return f"{len(self.checks)} comparisons of Python and R: {counted}"

    def to_dict(self) -> dict[str, Any]:
        """The run as dicts, lists, strings and numbers."""
        return {
            "passed": self.passed,
            "seconds": round(self.seconds, 3),
            "versions": dict(self.versions),
            "checks": [asdict(check) for check in self.checks],
        }

    def csv_tables(self) -> dict[str, pd.DataFrame]:
        """The tables that `write` saves as CSV, by name."""
        return {"checks": self.table, "summary": self.summary}

    def page(self, *, command: str | None = None, notes: Sequence[str] = ()) -> "Page":
        """The report: see `Result.page`."""
        from xcompare.results.report import Page, Section, Table, code

        worst = self.summary[
            ["quantity", "datasets", "dataset", "largest_difference", "tolerance", "verdict"]
        ]
        shown = worst.assign(**{name: worst[name].map("{:.2g}".format) for name in worst.columns[3:5]})
        table = Table.of(shown, "For each quantity, the dataset closest to its tolerance.")
        again = (Section("repeat", "Repeat it", (code(command or "xcompare.validate()"),)),)
        return Page(
            title="Do Python and R agree?",
            subject=f"{len(self.checks)} comparisons in {self.seconds:.0f} s.",
            answer=f"{self.answer}.",
            heat_map=None,
            notes=tuple(notes),
            sections=(Section("summary", "Summary", (table,)), *again),
            footer=", ".join(f"{name} {version}" for name, version in self.versions.items()),
        )

    def __str__(self) -> str:
        columns = ["quantity", "datasets", "dataset", "largest_difference", "tolerance", "verdict", "r"]
        shown = self.summary[columns].to_string(index=False, float_format="{:.2g}".format)
        return f"{shown}\n{self.answer}"
