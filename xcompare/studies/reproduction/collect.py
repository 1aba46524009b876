"""Results of the protocol's comparisons as long tables, with the paper's names."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score, fowlkes_mallows_score

from xcompare.harness.plan import registered
from xcompare.results.comparison import Comparison
from xcompare.results.table import normalize_scores
from xcompare.studies.reproduction.protocol import TableJob

WHO = ["dataset", "method", "engine", "m", "run"]


def collect(
    jobs: Sequence[TableJob], comparisons: Sequence[Comparison]
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Results of these comparisons, with the paper's names.

    Returns ``importances``: ``dataset, method, engine, m, run, feature, score``; scores are normalised within
    runs; ``partitions``: ``dataset, method, engine, m, run, ARI, FM``; ``failures``: ``dataset, method,
    engine, m, run, message``.
    """
    importances, partitions, failures = [], [], []
    for job, comparison in zip(jobs, comparisons, strict=True):
        for title, row in job.rows:
            how = registered(row.method).normalization
            for unit in job.plan.units_of(row):
                run = unit.run if job.draw is None else job.draw
                who = (job.dataset, title, row.engine, job.size, run)
                result = comparison.results[unit.key]
                if result.scores is None:
                    failures.append((*who, result.message))
                    continue
                found = result.scores
                if found.scores.size:
                    scores = normalize_scores(found.scores[None], how)[0]
                    importances += [
                        (*who, feature, score)
                        for feature, score in zip(job.data.feature_names, scores.tolist(), strict=True)
                    ]
                if found.labels is not None:
                    truth = job.data.labels
                    agreement = adjusted_rand_score, fowlkes_mallows_score
                    partitions.append((*who, *(float(measure(truth, found.labels)) for measure in agreement)))
    return (
        _frame(importances, [*WHO, "feature", "score"]),
        _frame(partitions, [*WHO, "ARI", "FM"]),
        _frame(failures, [*WHO, "message"]),
    )


def _frame(rows: list, columns: list[str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=columns)
    return frame.astype({"m": "Int64", "run": np.int64})
