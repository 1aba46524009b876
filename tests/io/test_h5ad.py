"""AnnData files where anndata is not installed; tests/test_sc.py reads real ones."""

import sys

import pytest

import xcompare
from xcompare.core.errors import DataError


def test_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(DataError, match="no file"):
        xcompare.read_table(tmp_path / "cells.h5ad")
    (tmp_path / "cells.h5ad").touch()
    with pytest.raises(DataError, match=r"needs anndata: pip install 'xcompare-clustering\[anndata\]'"):
        xcompare.read_table(tmp_path / "cells.h5ad")
