"""Every example in a docstring runs and gives what it says."""

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

import xcompare

MODULES = sorted(
    m.name for m in walk_packages(xcompare.__path__, "xcompare.") if not m.name.endswith("__main__")
)


# Examples that need an optional package.
NEEDS = {"xcompare.sc": "anndata"}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.testmod(import_module(name), optionflags=flags).failed == 0
