"""The shape of the package: R stays behind its bridge, and importing stays quick."""

import ast
import subprocess
import sys
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import xcompare

PACKAGE = Path(xcompare.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# A part imports only parts of the layers before its own; the parts of one layer do not know each other.
LAYERS = (
    ("version",),
    ("core",),
    ("io",),
    ("bagging", "rbridge"),
    ("refined",),
    ("inference",),
    ("methods",),
    ("harness",),
    ("results",),
    ("sc",),
    ("studies",),
    ("cli",),
    ("__main__",),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}


def imported(path):
    """Modules a file imports when it runs, anywhere in it; imports for type checkers alone do not count."""
    todo = [ast.parse(path.read_text())]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        todo += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def module_name(path):
    """Dotted name of a file of the package."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def part(name):
    """Folder of the package a module belongs to."""
    return name.split(".")[1]


# BaggedClustering counts clusters as `choose_k` does, and tests gaps as features are tested.
ALLOWED = {
    ("xcompare.bagging.estimator", "xcompare.inference.number_of_clusters"),
    ("xcompare.bagging.missing", "xcompare.inference.association"),
}


def test_rpy2_is_imported_behind_the_bridge_only():
    outside = [path for path in MODULES if path.parent.name != "rbridge"]
    assert not [path for path in outside for name in imported(path) if name.split(".")[0] == "rpy2"]


def test_imports_point_one_way():
    wrong = []
    for path in MODULES:
        name = module_name(path)
        if name == "xcompare":
            continue
        assert part(name) in RANK, f"{part(name)} has no layer: add it to LAYERS"
        for other in imported(path):
            if other.split(".")[0] != "xcompare" or "." not in other or part(other) not in RANK:
                continue
            allowed = part(other) == part(name) or RANK[part(other)] < RANK[part(name)]
            if not allowed and not any(name == ours and other.startswith(theirs) for ours, theirs in ALLOWED):
                wrong.append(f"{name} must not import {other}")
    assert not wrong


def test_a_class_name_means_one_thing():
    names = [
        node.name
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    assert [name for name, count in Counter(names).items() if count > 1] == []


@pytest.mark.slow
def test_no_modules_import_each_other():
    modules = {module_name(path): path for path in MODULES}
    graph = {
        name: {other for other in imported(path) if other in modules} - {name}
        for name, path in modules.items()
        if path.name != "__init__.py"  # a package's front door gathers what is inside
    }
    assert list(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("xcompare", ("rpy2", "sklearn", "pandas", "numpy")),
        ("xcompare.methods", ("sklearn", "scipy", "pandas")),
    ],
)
def test_importing_loads_nothing_heavy(module, heavy):
    code = f"import sys, {module}; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_loads():
    for name in xcompare.__all__:
        assert getattr(xcompare, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = xcompare.nothing
