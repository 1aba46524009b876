"""Sparse matrices: rows are drawn before any value is made dense.

Every method, and every replicate, measures distances in all or all but a few features, so that what it sees
is dense, whatever the data looked like. Columns are standardised with centring; the numbers are those of
``X.toarray()``.
"""

import os
from typing import Any

import numpy as np
from scipy.sparse import issparse

from xcompare.core.errors import DataError

SHARE = 4  # of the memory of this machine that the dense data may take: methods need several times as much


def is_sparse(X: Any) -> bool:
    """Whether this is a SciPy sparse matrix or array."""
    return bool(issparse(X))


def dense_rows(X: Any, rows: np.ndarray | None) -> np.ndarray:
    """Some rows of a sparse matrix, None for all, as a dense matrix, in single precision if that is given.

    Raises
    ------
    DataError
        Complex, or too large for this machine.
    """
    if np.issubdtype(X.dtype, np.complexfloating):
        raise DataError("the data must be real numbers; got a complex sparse matrix: give X.real")
    n_samples, n_features = X.shape[0] if rows is None else len(rows), X.shape[1]
    kind = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
    size, memory = kind.itemsize * n_samples * n_features, _memory()
    if memory is not None and size * SHARE > memory:
        raise DataError(
            f"the sparse data ({n_samples:,} x {n_features:,}) takes {size / 2**30:,.1f} GiB when dense, and"
            f" methods several times that, of {memory / 2**30:,.1f} GiB here: draw rows (sample=10000), or"
            " select columns first"
        )
    chosen = X.tocsr() if rows is None else X.tocsr()[rows]
    return np.asarray(chosen.astype(kind).toarray(order="C"))


def _memory() -> int | None:
    """Physical memory in bytes; None where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
