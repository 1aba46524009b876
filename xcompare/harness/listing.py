"""The table of the comparisons in a run store."""

from os import PathLike

import pandas as pd

from xcompare.harness.store import RunStore

COLUMNS = ["run", "name", "started", "n_clusters", "max_features", "methods", "units", "done"]


def list_runs(path: str | PathLike[str]) -> pd.DataFrame:
    """The comparisons in a run store.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    DataFrame
        One row per comparison, the latest first: ``run`` (argument of `Comparison.from_store`), ``name``,
        ``started``, ``n_clusters``, ``max_features`` (in a sweep over it, else missing), ``methods``,
        ``units`` (number) and ``done`` (number finished).

    Raises
    ------
    StoreError
    """
    with RunStore(path, create=False) as store:
        rows = [
            (
                stored.key,
                stored.name,
                stored.started,
                stored.plan.n_clusters,
                stored.plan.n_drawn,
                ", ".join(dict.fromkeys(row.method for row in stored.plan.rows)),
                len(units := stored.plan.units()),
                len(store.finished(units)),
            )
            for stored in store.comparisons()
        ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"max_features": "Int64"})
