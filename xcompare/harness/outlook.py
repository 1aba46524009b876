"""What is said before the first unit: the time by method, what cannot run, and what a sample would take."""

from collections import defaultdict
from collections.abc import Sequence

from xcompare.harness.data import Data
from xcompare.harness.plan import Plan, Unit, registered

WORTH_SAYING = 60.0  # seconds
LONG, SAMPLE = 300.0, 10_000  # seconds from which a sample of so many rows is suggested
NAMED = 6  # methods, those that take longest


def outlook(todo: Sequence[tuple[Data, Plan, Unit]], n_processes: int) -> str:
    """One line on the time that these units take, at least; "" if it is under a minute.

    Estimates are of native engines on this kind of machine, within a factor of about two.
    """
    by_method, total = _seconds(todo)
    limits = {
        f"{method.name} cannot run: {reason}": method.most_samples
        for data, _, unit in todo
        if (method := registered(unit.method)).most_samples is not None
        and (reason := method.why_unavailable("python", data.n_samples)) is not None
    }
    said = []
    if total / n_processes >= WORTH_SAYING:
        longest = sorted(by_method.items(), key=lambda item: -item[1])[:NAMED]
        each = ", ".join(f"{name} {in_words(seconds)}" for name, seconds in longest)
        processes = "one process" if n_processes == 1 else f"{n_processes} processes"
        said.append(f"expected: roughly {in_words(total / n_processes)} on {processes} (one run: {each})")
    said += limits
    size = min(SAMPLE, *limits.values()) if limits else SAMPLE
    if (limits or total / n_processes >= LONG) and max(data.n_samples for data, _, _ in todo) > size:
        _, of_sample = _seconds(todo, most=size)
        all_of_them = "runs all of them and " if limits else ""
        said.append(
            f"a random sample of {size:,} rows (sample={size}, --sample {size}) {all_of_them}takes roughly"
            f" {in_words(max(1.0, of_sample / n_processes))}"
        )
    return "; ".join(said)


def in_words(seconds: float) -> str:
    """A short text for a time.

    Examples
    --------
    >>> [in_words(seconds) for seconds in (4.0, 75.0, 7500.0)]
    ['4 s', '1 min 15 s', '2 h 05 min']
    """
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def _seconds(
    todo: Sequence[tuple[Data, Plan, Unit]], most: int | None = None
) -> tuple[dict[str, float], float]:
    """Expected time of one run of each method, and of all units, with at most so many rows."""
    one: dict[str, float] = defaultdict(float)
    total = 0.0
    for data, plan, unit in todo:
        n_samples, n_features = data.X.shape
        shape = (n_samples if most is None else min(n_samples, most), n_features)
        seconds = registered(unit.method).expected_seconds(unit.engine, shape, plan.n_clusters, unit.options)
        one[unit.method] = max(one[unit.method], seconds)
        total += seconds
    return {name: seconds for name, seconds in one.items() if seconds >= 1}, total
