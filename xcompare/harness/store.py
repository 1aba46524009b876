"""The run store: an SQLite file in which every finished unit is committed at once.

Only the process that called `compare` writes. Several such processes may share a store: SQLite's lock
serialises them, and an existing result is never replaced by a failure.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xcompare.core.errors import DataError, StoreError, UnknownNameError
from xcompare.core.escaping import plain_text
from xcompare.harness.data import DataInfo, Described
from xcompare.harness.hashing import as_text, digest
from xcompare.harness.packing import (
    checksum,
    features_in,
    pack_data,
    pack_features,
    pack_labels,
    result_in,
    row_of,
    unpack_data,
    unpack_labels,
    verified,
)
from xcompare.harness.plan import PartKind, Plan, Unit
from xcompare.harness.schema import open_store
from xcompare.harness.unit import UnitResult

STORE = "run.sqlite"  # file name of a run store in an output folder
BUSY_SECONDS = 60.0  # to wait for another process to finish writing
LARGEST_DATA = 1_000_000  # number of values up to which the data are stored, for later reports
COMPARISON = ("key", "name", "plan", "n_samples", "feature_names", "labels", "label_names")
RESULT = (
    "key", "status", "message", "seconds", "scores", "variants", "numbers", "labels", "software", "warnings",
    "output", "versions", "memory",
)  # fmt: skip
RUNS = ["run", "name", "started", "n_clusters", "max_features", "methods", "units", "done"]
KEYS_PER_QUERY = 500  # SQLite limits the number of parameters


@dataclass(frozen=True, eq=False)
class StoredComparison(Described):
    """A stored comparison: its plan and the description of its data."""

    key: str
    started: str
    plan: Plan
    info: DataInfo


class RunStore:
    """A run store, to be used as a context manager.

    ``path``: the file, created if missing unless ``create`` is false; a folder stands for the `STORE` in it.
    None: in memory, discarded when closed.

    Raises
    ------
    StoreError
        Not a run store, of another version, damaged, or not accessible. The file is not modified.
    """

    def __init__(self, path: str | PathLike[str] | None, *, create: bool = True) -> None:
        self.path = None if path is None else Path(path)
        if self.path is not None and self.path.is_dir():
            self.path /= STORE
        if self.path is not None:
            if not create and not self.path.exists():
                raise StoreError(f"no run store at {self.path}")
            if not self.path.absolute().parent.is_dir():
                raise StoreError(f"cannot make a run store at {self.path}: its folder does not exist")
        new = self.path is not None and not self.path.exists()
        with self._explained():
            # Autocommit: every statement is a transaction of its own.
            self._database = sqlite3.connect(
                self.path or ":memory:", timeout=BUSY_SECONDS, isolation_level=None
            )
        try:
            with self._explained():
                open_store(self._database, self.path)
        except BaseException:
            self._database.close()
            if new and self.path is not None and self.path.exists() and not self.path.stat().st_size:
                self.path.unlink()  # do not leave an empty file
            raise

    def __enter__(self) -> "RunStore":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def save_comparison(self, plan: Plan, data: DataInfo, values: np.ndarray | None = None) -> str:
        """Record a comparison and return its key; an existing one only gets a new date.

        The values of the data are stored too, for later reports, unless there are too many. A comparison
        keeps the key of its initial plan when `update_plan` replaces it.
        """
        packed = pack_labels(data.labels)
        names, label_names = pack_features(data), json.dumps(data.label_names)
        labels = "" if packed is None else packed.hex()
        key = digest(as_text([data.name, plan.to_json(), names, labels, label_names]))
        row = (key, plain_text(data.name), plan.to_json(), data.n_samples, names, packed, label_names)
        with self._explained():
            self._database.execute(
                f"INSERT INTO comparisons ({', '.join(COMPARISON)}, checksum, started)"
                f" VALUES ({', '.join('?' * len(row))}, ?, ?)"
                " ON CONFLICT (key) DO UPDATE SET started = excluded.started",
                (*row, checksum(row), _now()),
            )
            if values is not None and values.size <= LARGEST_DATA:
                kept = (plan.fingerprint + plan.described, pack_data(values))
                self._database.execute("INSERT OR IGNORE INTO data VALUES (?, ?, ?)", (*kept, checksum(kept)))
        return key

    def update_plan(self, key: str, plan: Plan) -> None:
        """Replace the plan of a comparison."""
        with self._explained():
            query = f"SELECT {', '.join(COMPARISON)} FROM comparisons WHERE key = ?"
            row = dict(zip(COMPARISON, self._database.execute(query, (key,)).fetchone(), strict=True))
            row["plan"] = plan.to_json()
            self._database.execute(
                "UPDATE comparisons SET plan = ?, checksum = ? WHERE key = ?",
                (row["plan"], checksum(row.values()), key),
            )

    def content(self) -> bytes:
        """The content of the file as bytes."""
        with self._explained():
            return self._database.serialize()

    def data(self, stored: StoredComparison) -> np.ndarray | None:
        """The data of a comparison, of shape (n_samples, n_features); None if not stored."""
        with self._explained():
            query = "SELECT fingerprint, X, checksum FROM data WHERE fingerprint = ?"
            key = stored.plan.fingerprint + stored.plan.described
            found = self._database.execute(query, (key,)).fetchone()
        with self._checked():
            return found and unpack_data(verified(found)[1], stored.info)

    def comparisons(self) -> list[StoredComparison]:
        """Every comparison in the store, the latest first."""
        with self._explained():
            rows = self._database.execute(
                f"SELECT started, {', '.join(COMPARISON)}, checksum FROM comparisons"
                " ORDER BY started DESC, rowid DESC"
            ).fetchall()
        with self._checked():
            return [_stored(started, *verified(tuple(row))) for started, *row in rows]

    def find_comparison(self, run: str | None = None, kind: PartKind | None = None) -> StoredComparison:
        """The comparison whose key starts with ``run`` or whose name is ``run``; None: the latest.

        It must be part of a result of this ``kind``, if given.
        """
        stored = self.comparisons()
        if not stored:
            raise StoreError(f"{self.path} holds no comparison yet")
        found = stored[:1]
        if run is not None:
            by_key = [one for one in stored if one.key.startswith(run)]
            found = by_key if len(by_key) == 1 else [one for one in stored if one.name == run]
        if not found:
            known = ", ".join(f"{one.key[:8]} ({one.name})" for one in stored)
            raise UnknownNameError(f"no run {run!r} in {self.path}; it holds {known}")
        part = found[0].plan.part
        if kind is not None and (part is None or part.kind != kind):
            said = f"{found[0].key[:8]} ({found[0].name})"
            raise DataError(f"run must belong to a result of kind {kind!r}; got {said}")
        return found[0]

    def siblings(self, stored: StoredComparison) -> dict[int, StoredComparison]:
        """All parts of the sweep or explanation that a comparison belongs to; the latest of each."""
        part = stored.plan.part
        assert part is not None
        found = {
            one.plan.part.at: one
            for one in reversed(self.comparisons())
            if one.plan.part is not None
            and (one.plan.part.kind, one.plan.part.whole) == (part.kind, part.whole)
        }
        return dict(sorted(found.items()))

    def save(self, result: UnitResult, plan: Plan) -> None:
        """Commit a result; an existing "ok" result is kept."""
        row = row_of(result, plan)
        row |= {"finished": _now(), "checksum": checksum(row[column] for column in RESULT)}
        columns = ", ".join(row)
        values = ", ".join(f":{column}" for column in row)
        updates = ", ".join(f"{column} = excluded.{column}" for column in row if column != "key")
        with self._explained():
            self._database.execute(
                f"INSERT INTO units ({columns}) VALUES ({values})"
                f" ON CONFLICT (key) DO UPDATE SET {updates} WHERE units.status <> 'ok'",
                row,
            )

    def finished(self, units: Iterable[Unit]) -> set[str]:
        """Keys of the units that have finished successfully."""
        return {key for key, status in self._select("key, status", units) if status == "ok"}

    def other_versions(self, plan: Plan, unit: Unit) -> list[str]:
        """Other versions of this method with results on this data in the store."""
        with self._explained():
            found = self._database.execute(
                "SELECT DISTINCT version FROM units WHERE fingerprint = ? AND n_clusters = ? AND method = ?"
                " AND engine = ? AND version <> ? AND status = 'ok' ORDER BY version",
                (plan.fingerprint, plan.n_clusters, unit.method, unit.engine, unit.version),
            ).fetchall()
        return [version for (version,) in found]

    def results(self, units: Iterable[Unit], n_samples: int) -> dict[str, UnitResult]:
        """Results of these units by key."""
        by_key = {unit.key: unit for unit in units}
        rows = list(self._select(f"{', '.join(RESULT)}, checksum", by_key.values()))
        with self._checked():
            found = [dict(zip(RESULT, verified(row), strict=True)) for row in rows]
            return {row["key"]: result_in(by_key[row["key"]], row, n_samples) for row in found}

    def _select(self, columns: str, units: Iterable[Unit]) -> Iterator[tuple[Any, ...]]:
        keys = [unit.key for unit in units]
        with self._explained():
            for start in range(0, len(keys), KEYS_PER_QUERY):
                some = keys[start : start + KEYS_PER_QUERY]
                marks = ", ".join("?" * len(some))
                query = f"SELECT {columns} FROM units WHERE key IN ({marks})"
                yield from self._database.execute(query, some).fetchall()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Convert SQLite's errors to one that names the file."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise StoreError(f"cannot use the run store {self.path}: {error}") from error
        # SQLite's own messages quote damaged text, which need not be UTF-8.
        except (sqlite3.DatabaseError, OverflowError, UnicodeDecodeError) as error:
            raise StoreError(f"{self.path} is not a run store, or damaged: {error}") from error

    @contextmanager
    def _checked(self) -> Iterator[None]:
        """Convert errors from invalid values to one that names the file."""
        try:
            yield
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError, zlib.error) as error:
            raise StoreError(f"{self.path} is damaged: {error or type(error).__name__}") from error


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
    return pd.DataFrame(rows, columns=RUNS).astype({"max_features": "Int64"})


def _stored(
    started: str,
    key: str,
    name: str,
    plan: str,
    n_samples: int,
    names: str,
    packed: bytes | None,
    label_names: str,
) -> StoredComparison:
    """A row of the table of comparisons."""
    feature_names, features, plain = features_in(names)
    labels, of_labels = unpack_labels(packed, n_samples), tuple(json.loads(label_names))
    info = DataInfo(name, n_samples, feature_names, labels, of_labels, features=features, plain=plain)
    return StoredComparison(key, started, Plan.from_json(plan), info)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
