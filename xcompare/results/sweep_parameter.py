"""Parameters that a sweep can vary, with their display names."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Swept:
    """The parameter that a sweep varies.

    Attributes
    ----------
    option : str
        Name in calls and tables.
    letter : str
        Symbol, as in ``m=3``.
    title : str
        Column header.
    words : str
        The quantity counted.
    kind : str
        Plural name of the values, for the answer.
    question : str
        Title of the report.
    """

    option: str
    letter: str
    title: str
    words: str
    kind: str
    question: str

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
