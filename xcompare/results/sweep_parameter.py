"""Parameters that a sweep can vary, with their display names."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Swept:
    """The parameter that a sweep varies."""

    option: str  # name in calls and tables
    letter: str  # symbol, as in ``m=3``
    title: str  # column header
    words: str  # the quantity counted
    kind: str  # plural name of the values, for the answer
    question: str  # title of the report

    def label(self, value: int) -> str:
        """Label of a value, as in ``m=3``."""
        return f"{self.letter}={value}"

    @property
    def axis(self) -> str:
        """Axis label: quantity and symbol."""
        return f"{self.words} ({self.letter})"


SWEPT = {
    one.option: one
    for one in (
        Swept(
            "max_features", "m", "Features drawn", "features drawn", "sizes of the subspace",
            "does it matter how many features are drawn?",
        ),
        Swept(
            "n_clusters", "K", "Clusters", "clusters", "numbers of clusters",
            "does it matter how many clusters are looked for?",
        ),
    )
}  # fmt: skip
