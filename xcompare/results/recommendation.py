"""Which method for data like these: the nearest scenarios of the benchmark, and who is best there."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from xcompare.io.datasets import leaderboard

DESCRIPTION = ["n_samples", "n_features", "correlation", "tails", "discrete"]
NEAREST = 5
BEST = 3  # methods named
EQUAL = 0.01  # mean AUCs that differ by less count as equal
MOST_FEATURES = 300  # whose correlations are looked at
FEW_VALUES = 10  # up to which a feature is discrete
GAUSSIAN_RANGE = 3.819  # the middle 99% of a Gaussian, in its interquartile ranges


@dataclass(frozen=True, eq=False)
class Hint:
    """What the benchmark has to say on data like these.

    Attributes
    ----------
    description : dict of str to float
        Of the data: see `describe`.
    scenarios : DataFrame
        The nearest scenarios, the nearest first: `DESCRIPTION`, and the mean AUC of each method.
    methods : Series
        Mean AUC over these, of methods with a result on all of them, the best first.
    """

    description: dict[str, float]
    scenarios: pd.DataFrame
    methods: pd.Series

    @property
    def best(self) -> list[str]:
        """The methods within .01 of the best mean, three at most."""
        return list(self.methods.index[self.methods >= self.methods.iloc[0] - EQUAL][:BEST])

    def __str__(self) -> str:
        named = ", ".join(f"{name} ({self.methods[name]:.2f})" for name in self.best)
        return (
            "Scenarios of the benchmark most like these data, in rows, features, correlation, tails and"
            f" discrete columns: {', '.join(self.scenarios.index)}. There, relevant features were found best"
            f" by {named} (mean AUC). A hint: it knows the size and shape of the data, not what their"
            " clusters are like."
        )


def describe(X: np.ndarray) -> dict[str, float]:
    """Size and shape of a table, as far as methods care.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        No column constant.

    Returns
    -------
    dict of str to float
        ``n_samples, n_features``; ``correlation``: mean absolute correlation of two features; ``tails``: the
        range of the middle 99% in interquartile ranges, over that of a Gaussian, median over the continuous
        features; ``discrete``: share of features with at most ten values.

    Examples
    --------
    >>> found = describe(np.random.default_rng(0).normal(size=(5000, 4)))
    >>> round(found["tails"], 1), found["discrete"]
    (1.0, 0.0)
    """
    n, p = X.shape
    some = X[:, np.unique(np.linspace(0, p - 1, min(p, MOST_FEATURES)).astype(int))]
    correlations = np.abs(np.corrcoef(some.T))[~np.eye(some.shape[1], dtype=bool)]
    discrete = np.array([len(np.unique(column)) <= FEW_VALUES for column in some.T])
    low, first, third, high = np.quantile(some[:, ~discrete], [0.005, 0.25, 0.75, 0.995], axis=0)
    ranges = (high - low)[third > first] / (third - first)[third > first]
    return {
        "n_samples": float(n),
        "n_features": float(p),
        "correlation": float(correlations.mean()),
        "tails": float(np.median(ranges) / GAUSSIAN_RANGE) if len(ranges) else 1.0,
        "discrete": float(discrete.mean()),
    }


def nearest_scenarios(X: np.ndarray, n_nearest: int = NEAREST) -> Hint | None:
    """The scenarios most like these data, and which methods did best there; None without a benchmark.

    Sizes and tails count by their logarithm; each quantity in standard deviations over the scenarios.
    """
    known = leaderboard()
    if known.empty:
        return None
    found = describe(X)
    coordinates = _coordinates(known[DESCRIPTION])
    here = _coordinates(pd.DataFrame([found]))
    spread = coordinates.std(axis=0)
    apart = np.sqrt((((coordinates - here) / np.where(spread > 0, spread, 1.0)) ** 2).sum(axis=1))
    chosen = known.iloc[np.argsort(apart, kind="stable")[:n_nearest]]
    methods = chosen.drop(columns=["tier", *DESCRIPTION]).mean(skipna=False).dropna()
    return Hint(found, chosen, methods.sort_values(ascending=False, kind="stable"))


def _coordinates(described: pd.DataFrame) -> np.ndarray:
    values = described[DESCRIPTION].to_numpy(dtype=float).copy()
    for at, name in enumerate(DESCRIPTION):
        if name in ("n_samples", "n_features", "tails"):
            values[:, at] = np.log(values[:, at])
    return values
