"""A run store that is valid SQLite and holds anything else is refused, and never unpacked blindly."""

import json
import shutil
import sqlite3
import tracemalloc
import zlib
from dataclasses import replace

import numpy as np
import pytest

import xcompare
from xcompare.core.errors import StoreError
from xcompare.harness.packing import checksum
from xcompare.harness.store import COMPARISON, RunStore

BOMB = zlib.compress(bytes(10**8), level=9)  # 97 kB that unpack to 100 MB
DEEP = "[" * 100_000 + "]" * 100_000


def plan(**fields):
    """The stored plan with other fields, by path: ``rows__0__n_runs`` is ``rows[0]["n_runs"]``."""

    def change(text):
        value = json.loads(text)
        for path, new in fields.items():
            *parents, last = [int(name) if name.isdecimal() else name for name in path.split("__")]
            target = value
            for name in parents:
                target = target[name]
            target[last] = new
        return json.dumps(value)

    return change


MUTATIONS = [
    ("comparisons", "plan", "{}"),
    ("comparisons", "plan", DEEP),
    ("comparisons", "plan", plan(rows__0__n_runs=10**12)),
    ("comparisons", "plan", plan(n_clusters=10**9)),
    ("comparisons", "feature_names", '["a", "b"]'),
    ("comparisons", "n_samples", 2**62),
    ("comparisons", "label_names", '["a"]'),
    ("comparisons", "labels", b""),
    ("comparisons", "labels", BOMB),
    ("data", "X", BOMB),
    ("data", "X", zlib.compress(np.full((60, 4), np.nan).tobytes())),
    ("units", "scores", "[NaN, 1, 2, 3]"),
    ("units", "scores", None),
    ("units", "variants", DEEP),
    ("units", "labels", BOMB),
    ("units", "seconds", float("inf")),
]
FORGED = [("plan", "{}"), ("plan", DEEP), ("labels", BOMB), ("label_names", "3"), ("n_samples", 2**62)]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A store with a comparison that has scores, variants, labels and data."""
    path = tmp_path_factory.mktemp("sound") / "run.sqlite"
    rng = xcompare.load_dataset("iris")
    xcompare.compare(
        rng.X[::10].repeat(4, axis=0), 2, methods="basic, cubt", n_runs=1, n_jobs=1, store=path,
        y_true=[0, 1] * 30, options={"n_replicas": 3}, progress=False,
    )  # fmt: skip
    return path


def read(path):
    """Everything there is to read, as far as it goes."""
    xcompare.list_runs(path)
    found = xcompare.Comparison.from_store(path)
    return found.table, found.clustering, found.failures, found.warnings, found.timings, found.profiles


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "column", "value"), MUTATIONS, ids=[f"{n}-{m[0]}-{m[1]}" for n, m in enumerate(MUTATIONS)]
)
def test_wrong_values_are_one_clear_error(sound, tmp_path, table, column, value):
    path = shutil.copy(sound, tmp_path / "run.sqlite")
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA ignore_check_constraints = 1")
        [(old,)] = database.execute(f"SELECT {column} FROM {table} LIMIT 1").fetchall()
        new = value(old) if callable(value) else value
        database.execute(f"UPDATE {table} SET {column} = ?", (new,))
    tracemalloc.start()
    try:
        with pytest.raises(StoreError, match=r"run.sqlite is damaged: ."):
            read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5e7  # the bomb alone is twice that


@pytest.mark.slow
@pytest.mark.parametrize(("column", "value"), FORGED, ids=[f"{n}-{one[0]}" for n, one in enumerate(FORGED)])
def test_a_checksum_that_is_right_makes_nothing_else_right(sound, tmp_path, column, value):
    path = shutil.copy(sound, tmp_path / "run.sqlite")
    with sqlite3.connect(path) as database:
        [row] = database.execute(f"SELECT {', '.join(COMPARISON)} FROM comparisons").fetchall()
        values = dict(zip(COMPARISON, row, strict=True)) | {column: value}
        database.execute(
            f"UPDATE comparisons SET {column} = ?, checksum = ?", (value, checksum(values.values()))
        )
    tracemalloc.start()
    try:
        with pytest.raises(StoreError, match=r"run.sqlite is damaged: ."):
            read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5e7


def test_the_store_the_mutations_are_of_is_sound(sound):
    assert all(len(part) or name in (2, 3) for name, part in enumerate(read(sound)))


def test_a_view_in_place_of_a_table_never_runs(sound, tmp_path):
    path = shutil.copy(sound, tmp_path / "run.sqlite")
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT hidden.* FROM hidden, n"
    with sqlite3.connect(path) as database:
        database.execute("ALTER TABLE comparisons RENAME TO hidden")
        database.execute(f"CREATE VIEW comparisons AS {endless}")
    with pytest.raises(StoreError, match="its tables are not those of a run store"):
        read(path)


def test_messages_of_sqlite_that_quote_damaged_text(sound, tmp_path):
    path = tmp_path / "run.sqlite"
    path.write_bytes(sound.read_bytes().replace(b"comparisons", b"compari\xff\xfe\x00s"))
    with pytest.raises(StoreError, match="damaged") as caught:
        read(path)
    assert "\n" not in str(caught.value)


def test_many_runs_are_listed_once(sound, tmp_path):
    path = shutil.copy(sound, tmp_path / "run.sqlite")
    with RunStore(path) as store:
        stored = store.find_comparison()
        many = replace(stored.plan, rows=tuple(replace(row, n_runs=20_000) for row in stored.plan.rows))
        store.update_plan(stored.key, many)
    found = xcompare.Comparison.from_store(path)
    [row, *_] = found.plan.rows
    assert found.plan.units_of(row) is found.plan.units_of(row)
    assert found.failures["runs"].max() == 19_999
