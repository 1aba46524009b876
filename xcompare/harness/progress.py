"""Progress of a comparison, with the time left: a bar on a terminal, else a line per minute."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from xcompare.harness.outlook import in_words
from xcompare.harness.plan import Unit
from xcompare.harness.unit import UnitResult

PATIENCE = 2.0  # seconds before the bar appears
MINUTE = 60.0  # seconds between two lines without a terminal


@dataclass(frozen=True)
class ProgressReport:
    """Argument of a ``progress`` function, which is called after each unit."""

    # done, total: units finished, and units to run, without those already in the store. With
    # ``n_runs="auto"`` the total grows if scores need more runs.
    done: int
    total: int
    result: UnitResult  # the unit that has just finished
    seconds_left: float | None  # estimate for the remaining units of ``total``; None if not yet known
    # The same for each method with remaining units, e.g. ``{"ls": 3.2, "ls (r)": 40.0}``. One unit of each
    # method runs first; until it finishes, the mean of its engine is used.
    seconds_left_by_method: Mapping[str, float] = field(default_factory=dict)


class TimeLeft:
    """Estimate of the time left, by method, as the running times of methods differ widely."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._left: dict[tuple[str, str], int] = defaultdict(int)
        self.expect(units)
        self._seen: dict[tuple[str, str], list[float]] = defaultdict(list)
        self._started: float | None = None
        self._busy = 0.0

    def expect(self, units: Sequence[Unit]) -> None:
        """Add units to run."""
        for unit in units:
            self._left[unit.method, unit.engine] += 1

    @property
    def all_seen(self) -> bool:
        """Whether every method has finished a unit."""
        return self._left.keys() <= self._seen.keys()

    def finished(self, result: UnitResult) -> dict[str, float]:
        """Add a result; return the seconds left for each method with remaining units."""
        now = time.monotonic()
        if self._started is None:  # the startup of processes is not part of the estimate
            self._started = now - result.seconds
        who = result.unit.method, result.unit.engine
        self._left[who] -= 1
        self._seen[who].append(result.seconds)
        self._busy += result.seconds
        # Work done per second of elapsed time: the effective number of processes.
        pace = (now - self._started) / max(self._busy, 1e-9)
        return {
            method if engine == "python" else f"{method} ({engine})": count
            * self._expected((method, engine))
            * pace
            for (method, engine), count in self._left.items()
            if count
        }

    def _expected(self, who: tuple[str, str]) -> float:
        """Mean time of the method or, before its first result, of its engine or of all methods."""
        seconds = self._seen.get(who) or [
            second for seen, values in self._seen.items() if seen[1] == who[1] for second in values
        ]
        seconds = seconds or [second for values in self._seen.values() for second in values]
        return sum(seconds) / len(seconds)


class Reporter:
    """Reports progress: a context manager, called with each result.

    ``progress``: true: a bar on stderr after `PATIENCE` seconds; a line per minute if stderr is not a
    terminal. A callable gets a `ProgressReport` for each unit. ``units``: the units to run. ``open_ended``:
    whether more units may follow, so that the time left is a lower bound.
    """

    def __init__(
        self,
        progress: bool | Callable[[ProgressReport], None],
        units: Sequence[Unit],
        *,
        open_ended: bool = False,
    ) -> None:
        self._progress, self._open_ended = progress, open_ended
        self._time_left, self._done, self._total, self._said = TimeLeft([]), 0, 0, False
        self._console = Console(stderr=True, markup=False, highlight=False)
        self._display: _Bar | _Lines | None = None
        self.expect(units)

    def __enter__(self) -> "Reporter":
        return self

    def __exit__(self, *exception: object) -> None:
        if self._display is not None:
            self._display.stop()

    def expect(self, units: Sequence[Unit]) -> None:
        """Add units to run."""
        self._total += len(units)
        self._time_left.expect(units)
        if self._progress is True and units and self._display is None:
            self._display = (_Bar if self._console.is_terminal else _Lines)(self._console)
        if self._display is not None:
            self._display.expect(self._total)

    def __call__(self, result: UnitResult) -> None:
        """Add a result and update the display."""
        self._done += 1
        by_method = self._time_left.finished(result)
        left = sum(by_method.values())
        if callable(self._progress):
            self._progress(ProgressReport(self._done, self._total, result, left, by_method))
        if self._display is None:
            return
        about = "at least " if self._open_ended else ""
        latest = f"{result.unit.method} ({result.unit.engine})"
        self._display.update(self._done, latest, f"{about}{in_words(left)} left")
        if self._time_left.all_seen and not self._said:
            self._said = True
            if left > (PATIENCE if self._console.is_terminal else MINUTE):
                self._say(estimate(by_method, open_ended=self._open_ended))

    def announce(self, text: str) -> None:
        """Print a line before the first unit, where progress is shown; nothing for ""."""
        if text and self._progress is True:
            self._say(text)

    def _say(self, text: str) -> None:
        self._console.print(text, style="dim", soft_wrap=True)

    def paused(self) -> AbstractContextManager[None]:
        """Context in which other output may be written to the terminal."""
        return self._display.paused() if isinstance(self._display, _Bar) else nullcontext()


class _Bar:
    """A progress bar that appears after a while."""

    def __init__(self, console: Console) -> None:
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("comparing", total=None, left="")
        self._lock = threading.Lock()  # held while the bar starts or other output is printed
        self._timer = threading.Timer(PATIENCE, self._start)
        self._timer.daemon = True
        self._timer.start()

    def expect(self, total: int) -> None:
        self._bar.update(self._task, total=total)

    def update(self, done: int, latest: str, left: str) -> None:
        self._bar.update(self._task, completed=done, description=latest, left=left)

    def stop(self) -> None:
        self._timer.cancel()
        self._timer.join()
        self._bar.stop()

    @contextmanager
    def paused(self) -> Iterator[None]:
        with self._lock:
            shown = self._bar.live.is_started
            if shown:
                self._bar.stop()
            yield
            if shown:
                self._bar.start()

    def _start(self) -> None:
        with self._lock:
            self._bar.start()


class _Lines:
    """A line per minute, also during long units."""

    def __init__(self, console: Console) -> None:
        self._console, self._total, self._done, self._tail = console, 0, 0, ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def expect(self, total: int) -> None:
        self._total = total

    def update(self, done: int, latest: str, left: str) -> None:
        self._done, self._tail = done, f", the last {latest}; {left}"

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def _write(self) -> None:
        while not self._over.wait(MINUTE):
            said = f"xcompare: {self._done} of {self._total} runs done{self._tail}"
            self._console.print(said, soft_wrap=True)


def estimate(by_method: Mapping[str, float], *, open_ended: bool = False) -> str:
    """Time left in total and for each method, the longest first; a lower bound if more may follow.

    Examples
    --------
    >>> estimate({"ls": 4.0, "efron": 71.0})
    'after one run of each method: about 1 min 15 s left (efron 1 min 11 s, ls 4 s)'
    """
    longest = sorted(by_method.items(), key=lambda item: -item[1])
    each = ", ".join(f"{name} {in_words(seconds)}" for name, seconds in longest)
    total = f"{'at least' if open_ended else 'about'} {in_words(sum(by_method.values()))}"
    return f"after one run of each method: {total} left ({each})"
