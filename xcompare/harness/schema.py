"""The tables of a run store: how a file becomes one, and what is checked when it is opened."""

import sqlite3
from contextlib import suppress
from pathlib import Path

from xcompare.core.errors import StoreError

APPLICATION_ID = 0x78636D70  # "xcmp": identifies a run store among SQLite files
SCHEMA_VERSION = 7
SCHEMA = """
CREATE TABLE comparisons (
    key TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    started TEXT NOT NULL,
    plan TEXT NOT NULL,
    n_samples INTEGER NOT NULL,
    feature_names TEXT NOT NULL,
    labels BLOB,
    label_names TEXT NOT NULL,
    checksum TEXT NOT NULL
) STRICT;
CREATE TABLE data (
    fingerprint TEXT PRIMARY KEY,
    X BLOB NOT NULL,
    checksum TEXT NOT NULL
) STRICT;
CREATE TABLE units (
    key TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    n_clusters INTEGER NOT NULL,
    method TEXT NOT NULL,
    engine TEXT NOT NULL,
    options TEXT NOT NULL,
    version TEXT NOT NULL,
    run INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('ok', 'failed', 'timeout', 'unavailable')),
    message TEXT NOT NULL,
    seconds REAL NOT NULL,
    scores TEXT,
    variants TEXT,
    numbers TEXT,
    labels BLOB,
    software TEXT,
    warnings TEXT NOT NULL,
    output TEXT NOT NULL,
    versions TEXT NOT NULL,
    memory REAL,
    finished TEXT NOT NULL,
    checksum TEXT NOT NULL
) STRICT;
"""
TABLES = tuple(statement.strip() for statement in SCHEMA.split(";\n") if statement.strip())


def open_store(database: sqlite3.Connection, path: Path | None) -> None:
    """Check that an open file is a valid run store, or initialize an empty one."""
    if _is_empty(database):
        # Another process may be creating it at the same moment: check again while holding the lock.
        database.execute("BEGIN IMMEDIATE")
        try:
            if _is_empty(database):
                for statement in TABLES:
                    database.execute(statement)
                database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            database.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # a full disk has ended it already
                database.execute("ROLLBACK")
            raise
    if _pragma(database, "application_id") != APPLICATION_ID:
        raise StoreError(f"{path} is an SQLite file of another program, not a run store")
    found = _pragma(database, "user_version")
    if found != SCHEMA_VERSION:
        raise StoreError(
            f"{path} has schema version {found}, this xcompare reads {SCHEMA_VERSION}:"
            " use another file, or the xcompare that wrote it"
        )
    tables = database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    if sorted(sql for (sql,) in tables) != sorted(TABLES):  # a view, or a trigger, would run its own SQL
        raise StoreError(f"{path} is damaged: its tables are not those of a run store")
    damage = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    if damage != "ok":
        raise StoreError(f"{path} is damaged: {damage}")


def _is_empty(database: sqlite3.Connection) -> bool:
    """Whether nothing was ever written to the file."""
    tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return tables == 0 and not (_pragma(database, "application_id") or _pragma(database, "user_version"))


def _pragma(database: sqlite3.Connection, name: str) -> int:
    return database.execute(f"PRAGMA {name}").fetchone()[0]
