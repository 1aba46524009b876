"""The shape of the package: R stays behind its bridge, and importing stays quick."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import xcompare

PACKAGE = Path(xcompare.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# A layer imports only what stands before it.
LAYERS = (
    ("exceptions", "seeds", "version", "threads"),
    ("validation", "worker", "kmeans"),
    ("datasets", "rbridge"),
    (
        "extremes",
        "close_pairs",
        "entropy",
        "quality",
        "consensus",
        "resampling",
        "replicas",
        "bagged_clustering",
    ),
    ("methods",),
    ("harness", "plots", "files", "crosscheck", "reading"),
    ("report", "reproduction"),
    ("cli", "__main__"),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}


def imported(path):
    """Modules a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            if node.module == "xcompare":
                yield from (f"xcompare.{alias.name}" for alias in node.names)


def part(path):
    """First-level part of the package a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_rpy2_is_imported_behind_the_bridge_only(path):
    if part(path) != "rbridge":
        assert not [name for name in imported(path) if name.split(".")[0] == "rpy2"]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    here = part(path)
    if here == "__init__":
        return
    assert here in RANK, f"{here} has no layer: add it to LAYERS"
    for name in imported(path):
        parts = name.split(".")
        if parts[0] == "xcompare" and len(parts) > 1 and parts[1] in RANK:
            assert RANK[parts[1]] <= RANK[here], f"{here} must not import {name}"


def test_importing_loads_nothing_heavy():
    code = (
        "import sys, xcompare; print([m for m in ('rpy2', 'sklearn', 'pandas', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_loads():
    for name in xcompare.__all__:
        assert getattr(xcompare, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = xcompare.nothing
