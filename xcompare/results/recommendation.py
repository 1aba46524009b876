"""Recommend methods: the most similar scenarios of the benchmark, and the best methods there."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from xcompare.io.datasets import leaderboard

DESCRIPTION = ["n_samples", "n_features", "correlation", "tails", "discrete"]
NEAREST = 5
BEST = 3  # methods named at most
EQUAL = 0.01  # mean AUCs that differ by less count as equal
MOST_FEATURES = 300  # used for the mean correlation
FEW_VALUES = 10  # a feature with at most this many distinct values is discrete
GAUSSIAN_RANGE = 3.819  # central 99% range of a Gaussian, in interquartile ranges


@dataclass(frozen=True, eq=False)
class Hint:
    """Benchmark results on scenarios similar to the data."""

    description: dict[str, float]  # of the data: see `describe`
    # The most similar scenarios, nearest first: `DESCRIPTION` and the mean AUC of each method
    scenarios: pd.DataFrame
    methods: pd.Series  # mean AUC over these scenarios, of methods with a result on all of them, best first

    @property
    def best(self) -> list[str]:
        """Methods within .01 of the best mean AUC, at most three."""
        return list(self.methods.index[self.methods >= self.methods.iloc[0] - EQUAL][:BEST])

    def __str__(self) -> str:
        named = ", ".join(f"{name} ({self.methods[name]:.2f})" for name in self.best)
        return (
            "Benchmark scenarios most similar to these data (rows, features, correlation, tails, discrete"
            f" columns): {', '.join(self.scenarios.index)}. The best methods there, by mean AUC: {named}."
            " This is only a hint, based on the size and distribution of the data, not on its clusters."
        )


def describe(X: np.ndarray) -> dict[str, float]:
    """Size and distribution of a table.

    ``X`` of shape (n_samples, n_features): without constant columns. Returns ``n_samples, n_features``;
    ``correlation``: mean absolute correlation of two features; ``tails``: the central 99% range in
    interquartile ranges, relative to a Gaussian, median over the continuous features; ``discrete``: share of
    features with at most ten values.

    Examples
    --------
    >>> found = describe(np.random.default_rng(0).normal(size=(5000, 4)))
    >>> round(found["tails"], 1), found["discrete"]
    (1.0, 0.0)
    """
    n, p = X.shape
    some = X[:, np.unique(np.linspace(0, p - 1, min(p, MOST_FEATURES)).astype(int))]
    within = some / np.abs(some).max(axis=0)  # squares of the largest floats are infinite
    correlations = np.abs(np.corrcoef(within.T))[~np.eye(some.shape[1], dtype=bool)]
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
    """The benchmark scenarios nearest to the data, and the best methods there; None without a benchmark.

    Sizes and tails are log-transformed, and each quantity is standardised over the scenarios.
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
    values, sizes = described[DESCRIPTION].astype(float), ["n_samples", "n_features", "tails"]
    values[sizes] = np.log(values[sizes])
    return values.to_numpy()
