"""Results of a benchmark as one Parquet file, to publish and to put beside those of others."""

import json
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from xcompare.core.errors import DataError
from xcompare.core.writing import replacing
from xcompare.studies.benchmark.collect import COLUMNS, TRUTH
from xcompare.version import __version__

if TYPE_CHECKING:
    import pyarrow as pa

    from xcompare.studies.benchmark.leaderboard import Leaderboard

FORMAT = "1"  # of the file; changes with its columns
ABOUT = b"xcompare_benchmark"
SAME_DRAW = ["scenario", "draw", "data"]


def schema() -> "pa.Schema":
    """Columns and types of the file: one row per scenario, draw and method."""
    import pyarrow as pa

    kinds = {
        **dict.fromkeys(("scenario", "method", "data", "engine", "status", "message"), pa.string()),
        **dict.fromkeys(("tier", "draw", "n_features", "n_relevant"), pa.int64()),
        "selected": pa.list_(pa.string()),
    }
    return pa.schema([(name, kinds.get(name, pa.float64())) for name in COLUMNS])


def write_results(found: "Leaderboard", path: str | PathLike[str]) -> None:
    """Write all results of a benchmark to one Parquet file, with versions and seed in its metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    about = {
        "format": FORMAT, "xcompare": __version__, "random_state": found.random_state,
        "n_draws": found.effort.n_draws, "versions": found.versions,
    }  # fmt: skip
    chosen = found.scores["selected"].map(lambda names: list(names) if isinstance(names, tuple) else None)
    table = pa.Table.from_pandas(found.scores.assign(selected=chosen), schema(), preserve_index=False)
    table = table.replace_schema_metadata({ABOUT: json.dumps(about).encode()})
    with replacing(path) as temporary:
        pq.write_table(table, temporary)


def read_results(path: str | PathLike[str]) -> tuple[pd.DataFrame, dict]:
    """Read results written by `write_results`: the scores, and what the metadata say.

    Raises
    ------
    DataError
        Not a file of results, or of another format.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not Path(path).is_file():
        raise DataError(f"no file {path}: give a results.parquet that xcompare bench wrote")
    try:
        table = pq.read_table(path)
    except pa.ArrowException as error:
        raise DataError(f"{path} cannot be read as Parquet: {error}") from None
    about = json.loads((table.schema.metadata or {}).get(ABOUT, b"{}"))
    if about.get("format") != FORMAT or not table.schema.equals(schema()):
        raise DataError(
            f"{path} must be results of xcompare bench, format {FORMAT};"
            f" got {'format ' + about['format'] if 'format' in about else 'another table'}:"
            " write it again with this version"
        )
    frame = table.to_pandas()
    frame["selected"] = [() if names is None else tuple(names) for names in frame["selected"]]
    return frame, about


def merge(found: "Leaderboard", paths: Sequence[str | PathLike[str]]) -> "Leaderboard":
    """Put the results of others beside these, on the draws that all have.

    Raises
    ------
    DataError
        No draw in common, or a method of the same name is in both.
    """
    scores, versions = found.scores, dict(found.versions)
    for path in paths:
        theirs, about = read_results(path)
        theirs = theirs[theirs["method"] != TRUTH]
        twice = sorted(set(theirs["method"]) & set(scores["method"]))
        if twice:
            raise DataError(
                f"{path} has {', '.join(twice)}, which this benchmark also runs: leave it out of"
                " --methods, or rename it"
            )
        common = pd.merge(scores[SAME_DRAW], theirs[SAME_DRAW]).drop_duplicates()
        if common.empty:
            raise DataError(
                f"{path} has no draw in common with this benchmark: run the same scenarios with the same seed"
                f" (its: {about['random_state']}) and version (its: {about['xcompare']})"
            )
        both = pd.concat([scores, theirs], ignore_index=True)
        scores = both.merge(common, on=SAME_DRAW)[COLUMNS]
        versions |= {f"{name} ({Path(path).name})": value for name, value in about["versions"].items()}
    order = list(dict.fromkeys(found.scores["scenario"]))
    scores = scores.sort_values("scenario", key=lambda s: s.map(order.index), kind="stable")
    return replace(found, scores=scores.reset_index(drop=True), versions=versions)
