"""Speed benchmarks against peer software: ``python -m benchmarks`` runs every module here.

A benchmark module has a ``TITLE`` and a function ``run(quick)`` that returns a list of ``Row``.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One measurement and that of a peer."""

    case: str
    peer: str
    ours: float | None  # seconds; None if not measured
    theirs: float | None  # seconds of the peer; None if not installed
    goal: float | None = None  # for the ratio
    times_faster: bool = False  # the ratio is theirs / ours, larger is better; else ours / theirs
    note: str = ""
    n: int | None = None  # rows and features of the data, for the plots
    p: int | None = None

    @property
    def ratio(self) -> float | None:
        """Cost relative to the peer, or speed-up over it."""
        if self.ours is None or self.theirs is None:
            return None
        return self.theirs / self.ours if self.times_faster else self.ours / self.theirs

    @property
    def slipped(self) -> bool:
        """Whether the ratio is worse than the goal by more than a factor of two."""
        if self.ratio is None or self.goal is None:
            return False
        return self.ratio < self.goal / 2 if self.times_faster else self.ratio > 2 * self.goal
