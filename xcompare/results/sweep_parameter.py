"""What a sweep can vary, and what people call it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Swept:
    """What the comparisons of a sweep differ in.

    Attributes
    ----------
    option : str
        Its name in calls and tables.
    letter : str
        What stands for it, as in ``m=3``.
    title : str
        Head of a column.
    words : str
        What it is the number of.
    kind : str
        What has a vote in the answer: the values tried.
    question : str
        What the report asks.
    """

    option: str
    letter: str
    title: str
    words: str
    kind: str
    question: str

    def label(self, value: int) -> str:
        """A value, as in ``m=3``."""
        return f"{self.letter}={value}"

    @property
    def axis(self) -> str:
        """What it is the number of, with its letter."""
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
