"""Validate the return value of a method and convert it for sending and storing."""

from reprlib import repr as short
from typing import Any

import numpy as np
import pandas as pd

from xcompare.core.escaping import plain_text
from xcompare.methods import Method, Scores

WHOLE = np.iinfo(np.int32)


def checked(returned: Any, method: Method, shape: tuple[int, int]) -> Scores:
    """What one run of a method returned: a finite score per feature, or of each thing it has scores of.

    ``returned`` of shape (n_features,): result of a run, or its scores. Labels may be of any type; software,
    warnings and output are converted to text. ``shape``: shape of the data. The result has no ``details``,
    which are for direct callers of the method.

    Raises
    ------
    ValueError
        Invalid result.
    """
    found = returned if isinstance(returned, Scores) else Scores(returned, method.name)
    n_samples, n_features = shape
    n_scores = method.n_scores(n_features)
    scores = _numbers(found.scores, "scores", n_scores)
    warnings = [plain_text(text) for text in found.warnings]
    if method.normalization == "max" and n_scores and scores.min() < 0 >= scores.max():
        warnings.append("no score is positive, and normalization='max' shows all as 0: take 'minmax'")
    return Scores(
        scores=scores,
        software=plain_text(found.software),
        labels=None if found.labels is None else _codes(found.labels, n_samples),
        warnings=tuple(warnings),
        output=plain_text(found.output),
        variants={
            plain_text(name): _numbers(values, f"variant {plain_text(name)}", n_scores)
            for name, values in dict(found.variants).items()
        },
        numbers={plain_text(name): _finite(values, name) for name, values in dict(found.numbers).items()},
    )


def _finite(values: Any, name: str) -> np.ndarray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite numbers in a row; got {plain_text(short(values))}")
    return array


def _numbers(values: Any, name: str, n_scores: int) -> np.ndarray:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.full(1, np.nan)
    if array.shape != (n_scores,) or not np.isfinite(array).all():
        raise ValueError(
            f"{name} must be {n_scores} finite numbers, one per feature, in an array or in Scores;"
            f" got {plain_text(short(values))}"
        )
    return array


def _codes(labels: Any, n_samples: int) -> np.ndarray:
    """Labels as integers; other types are numbered in order of appearance."""
    array = np.asarray(labels)
    if array.shape != (n_samples,):
        raise ValueError(f"labels must be one per row ({n_samples}); got shape {array.shape}")
    if array.dtype.kind in "iu" and array.min() >= WHOLE.min and array.max() <= WHOLE.max:
        return array
    codes, _ = pd.factorize(array, sort=False)
    missing = int((codes < 0).sum())
    if missing:
        raise ValueError(f"labels must have no gaps; got {missing} of {n_samples} missing")
    return codes.astype(np.int32)
