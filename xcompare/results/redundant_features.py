"""Groups of redundant features and their joint importance."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from xcompare.bagging.redundancy import redundant_groups
from xcompare.core.seeds import derive_seed
from xcompare.core.standardization import standardize
from xcompare.inference.rankings import listed
from xcompare.results.table_row import TableRow

NamedGroups = tuple[tuple[str, ...], ...]


def named_redundant_groups(
    X: np.ndarray, n_clusters: int, random_state: int, feature_names: Sequence[str]
) -> NamedGroups:
    """Feature names of each redundant group, as defined in `xcompare.bagging.redundancy`."""
    rng = np.random.default_rng(derive_seed(random_state, "near-copies"))
    groups = redundant_groups(np.ascontiguousarray(standardize(X).T), n_clusters, rng)
    return tuple(tuple(feature_names[j] for j in group) for group in groups)


def group_importances(
    rows: Iterable[TableRow], groups: NamedGroups, feature_names: Sequence[str]
) -> list[np.ndarray]:
    """Importance of each group in each row: its largest score in a run, averaged over the runs."""
    places = [[feature_names.index(name) for name in group] for group in groups]
    found = []
    for row in rows:
        scores = row.normalized if row.larger_is_better else 1.0 - row.normalized
        found.append(np.array([scores[:, at].max(axis=1).mean() if len(scores) else np.nan for at in places]))
    return found


def redundancy_notes(groups: NamedGroups, importances: pd.DataFrame) -> list[str]:
    """A note on each group, with its importance by the first method, if any."""
    notes = []
    for at, group in enumerate(groups):
        together = importances.iloc[:, at].dropna()
        worth = f" (together {together.iloc[0]:.2f} by {_name(together.index[0])})" if len(together) else ""
        notes.append(
            f"{listed(group)} are redundant{worth} and count more than once in every distance: keep one of"
            " them and see whether the answer changes"
        )
    return notes


def _name(row: str | tuple[str, str]) -> str:
    """Name of a row: the method, with its engine if both ran."""
    return row if isinstance(row, str) else f"{row[0]} ({row[1]})"
