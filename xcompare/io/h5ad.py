"""AnnData: reading `.h5ad` files, and the table of cells and genes of an object."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xcompare.core.errors import DataError
from xcompare.core.names import hint

INSTALL = "pip install 'xcompare-clustering[anndata]'"
VARIABLE = "highly_variable"  # column of .var that scanpy marks genes in


def is_anndata(X: Any) -> bool:
    """Whether this is an AnnData object; anndata is not imported."""
    kind = type(X)
    return kind.__name__ == "AnnData" and kind.__module__.partition(".")[0] == "anndata"


def read_h5ad(path: str | Path, groupby: str | None) -> tuple[pd.DataFrame, list[str]]:
    """Cells by genes of a file, with a column of ``.obs`` as last column; and remarks.

    Raises
    ------
    DataError
        anndata is not installed, the file cannot be read, or there is no such column.
    """
    if not Path(path).is_file():
        raise DataError(f"no file {str(path)!r}")
    try:
        import anndata
    except ImportError:
        raise DataError(f"{path} is an AnnData file, which needs anndata: {INSTALL}") from None
    try:
        adata = anndata.read_h5ad(path)
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise DataError(f"{path} cannot be read as AnnData: {' '.join(str(error).split())}") from None
    frame, notes = cell_frame(adata)
    if groupby is not None:
        frame[groupby] = groups_of(adata, groupby).astype(object).to_numpy()
    return frame, notes


def cell_frame(adata: Any) -> tuple[pd.DataFrame, list[str]]:
    """Cells by genes as a dense table, of highly variable genes if they are marked; and remarks.

    ``adata``: its ``X`` is used. Other genes: ``adata[:, genes]``.
    """
    if adata.X is None:
        raise DataError("the AnnData object has no X; put the values of a layer there")
    notes, used = [], adata
    if VARIABLE in adata.var and adata.var[VARIABLE].any():
        used = adata[:, adata.var[VARIABLE].to_numpy(dtype=bool)]
        if used.n_vars < adata.n_vars:
            notes.append(f"{used.n_vars:,} of {adata.n_vars:,} genes: the highly variable ones")
    values = used.X.toarray() if hasattr(used.X, "toarray") else np.asarray(used.X)
    frame = pd.DataFrame(values.astype(np.float64), columns=list(used.var_names), index=list(used.obs_names))
    return frame, notes


def groups_of(adata: Any, groupby: str) -> pd.Series:
    """A column of ``.obs``."""
    if groupby not in adata.obs:
        names = [str(name) for name in adata.obs.columns]
        near = hint(str(groupby), names).strip() or f"columns: {', '.join(names) or 'none'}"
        raise DataError(f"no column {groupby!r} in .obs; {near}")
    return adata.obs[groupby]
