"""What a comparison keeps while it runs, where no run store was asked for."""

from collections.abc import Iterable
from typing import Any

from xcompare.harness.plan import Plan, Unit
from xcompare.harness.unit import UnitResult


class MemoryStore:
    """Results in memory, with the methods of `RunStore` that running needs."""

    def __init__(self) -> None:
        self._results: dict[str, UnitResult] = {}

    def __enter__(self) -> "MemoryStore":
        return self

    def __exit__(self, *exception: object) -> None:
        self._results = {}

    def save_comparison(self, plan: Plan, *data: Any, extended: bool = False) -> str:
        """Nothing to note: the comparison is known to the caller alone."""
        return ""

    def update_plan(self, key: str, plan: Plan) -> None:
        """Nothing to update."""

    def save(self, result: UnitResult, plan: Plan) -> None:
        """Keep one result."""
        self._results[result.unit.key] = result

    def finished(self, units: Iterable[Unit]) -> set[str]:
        """Keys of the units that are done; those that failed are not."""
        return {key for key, result in self.results(units).items() if result.status == "ok"}

    def other_versions(self, plan: Plan, unit: Unit) -> list[str]:
        """None: nothing is older than this run."""
        return []

    def results(self, units: Iterable[Unit], shape: tuple[int, ...] = ()) -> dict[str, UnitResult]:
        """What is known of these units, by key."""
        return {unit.key: self._results[unit.key] for unit in units if unit.key in self._results}
