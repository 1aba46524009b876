"""A run store that is valid SQLite and holds anything else is refused, and never unpacked blindly."""

import json
import shutil
import sqlite3
import tracemalloc
import zlib

import pytest

import xcompare
from xcompare.exceptions import StoreError

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
    ("comparisons", "plan", "[1, 2"),
    ("comparisons", "plan", "null"),
    ("comparisons", "plan", DEEP),
    ("comparisons", "plan", plan(rows=[])),
    ("comparisons", "plan", plan(rows=3)),
    ("comparisons", "plan", plan(rows__0__n_runs="2")),
    ("comparisons", "plan", plan(rows__0__n_runs=10**12)),
    ("comparisons", "plan", plan(rows__0__engine="julia")),
    ("comparisons", "plan", plan(rows__0__options=[1])),
    ("comparisons", "plan", plan(rows__0__colour="red")),
    ("comparisons", "plan", plan(n_clusters="two")),
    ("comparisons", "plan", plan(random_state=None)),
    ("comparisons", "plan", plan(part={"sweep": 1, "max_features": 2})),
    ("comparisons", "feature_names", "{}"),
    ("comparisons", "feature_names", "[1, 2, 3, 4]"),
    ("comparisons", "feature_names", '["a", "b"]'),
    ("comparisons", "n_samples", -1),
    ("comparisons", "n_samples", 59),
    ("comparisons", "n_samples", 2**62),
    ("comparisons", "labels", b""),
    ("comparisons", "labels", BOMB),
    ("comparisons", "labels", zlib.compress(bytes(4 * 60))[:-6]),
    ("data", "X", b"not packed"),
    ("data", "X", BOMB),
    ("data", "X", zlib.compress(bytes(8 * 60))),
    ("units", "scores", "null"),
    ("units", "scores", '{"a": 1}'),
    ("units", "scores", "[1, 2, 3]"),
    ("units", "scores", "[]"),
    ("units", "scores", '["a", "b", "c", "d"]'),
    ("units", "scores", "[NaN, 1, 2, 3]"),
    ("units", "scores", f"[{10**400}, 1, 2, 3]"),
    ("units", "variants", "[1]"),
    ("units", "variants", '{"x": 3}'),
    ("units", "variants", DEEP),
    ("units", "labels", BOMB),
    ("units", "labels", zlib.compress(bytes(4 * 59))),
    ("units", "warnings", "3"),
    ("units", "versions", "[]"),
    ("units", "scores", None),
    ("units", "variants", None),
    ("units", "seconds", float("inf")),
]


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


def test_the_store_the_mutations_are_of_is_sound(sound):
    assert all(len(part) or name in (2, 3) for name, part in enumerate(read(sound)))
