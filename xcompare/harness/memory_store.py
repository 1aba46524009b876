"""Results in memory, for comparisons without a run store."""

from collections.abc import Iterable
from typing import Any

from xcompare.harness.plan import Plan, Unit
from xcompare.harness.unit import UnitResult


class MemoryStore:
    """Results in memory, with the methods of `RunStore` needed to run a plan."""

    def __init__(self) -> None:
        self._results: dict[str, UnitResult] = {}

    def __enter__(self) -> "MemoryStore":
        return self

    def __exit__(self, *exception: object) -> None:
        self._results = {}

    def save_comparison(self, plan: Plan, *data: Any) -> str:
        """Do nothing: only the caller knows the comparison."""
        return ""

    def update_plan(self, key: str, plan: Plan) -> None:
        """Do nothing."""

    def save(self, result: UnitResult, plan: Plan) -> None:
        """Keep one result."""
        self._results[result.unit.key] = result

    def finished(self, units: Iterable[Unit]) -> set[str]:
        """Keys of the units that have finished successfully."""
        return {key for key, result in self.results(units).items() if result.status == "ok"}

    def other_versions(self, plan: Plan, unit: Unit) -> list[str]:
        """Empty: there are no earlier versions in memory."""
        return []

    def results(self, units: Iterable[Unit], n_samples: int = 0) -> dict[str, UnitResult]:
        """Results of these units by key."""
        return {unit.key: self._results[unit.key] for unit in units if unit.key in self._results}
