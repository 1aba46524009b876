"""Results of a benchmark as long tables: one row per scenario, draw and method."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score, average_precision_score, roc_auc_score

from xcompare.core.imputation import complete_points
from xcompare.core.seeds import derive_seed
from xcompare.harness.data import fingerprint
from xcompare.harness.plan import Row, registered
from xcompare.harness.unit import UnitResult
from xcompare.results.comparison import Comparison
from xcompare.studies.benchmark import judging
from xcompare.studies.benchmark.protocol import ScenarioJob
from xcompare.studies.benchmark.scenarios import NOISE, SIGNAL

AT_RANDOM = {"auc": 0.5, "ari": 0.0}  # of a run without a result
TRUTH = "truth"  # upper control: score 1 for relevant features, 0 for others
WHO = ["scenario", "tier", "draw", "method"]
MEASURES = ["auc", "average_precision", "precision", "worst_rank", "false_positive_rate", "ari", "own_ari"]
COLUMNS = [
    *WHO, "data", "engine", "n_features", "n_relevant", "status", "message", *MEASURES, "seconds", "memory",
    "selected",
]  # fmt: skip
ANSWER_COLUMNS = [
    "scenario", "no_clusters", "draw", "outcome", "p_clusters", "first_named", "all_named", "recall",
    "precision",
]  # fmt: skip

Results = Mapping[str, UnitResult]


def draw_fingerprint(X: np.ndarray) -> str:
    """Hash of data, to three decimals of the largest value of each column.

    The same draw on every machine, although simulated data differ in the last bits between processors.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> draw_fingerprint(X) == draw_fingerprint(X * (1 + 1e-15))
    True
    """
    largest = np.maximum(np.nanmax(np.abs(X), axis=0), np.finfo(float).tiny)
    return fingerprint(np.round(X / largest, 3) + 0.0, None)


def judge_runs(jobs: Sequence[ScenarioJob], results: Sequence[Results], rows: Sequence[Row]) -> pd.DataFrame:
    """Evaluate every run on data with clusters.

    Returns one row per scenario, draw and method: ``data``, see `draw_fingerprint`, the status of the run,
    ``auc, average_precision, precision, worst_rank, false_positive_rate`` (see `judging`), ``ari`` of K-means
    on the top features, ``own_ari`` of the method's own partition, ``seconds``, ``memory``, and ``selected``,
    the names of the top features. NaN if a method has no result.
    """
    records: list[dict[str, Any]] = []
    for job, found in zip(jobs, results, strict=True):
        if job.scenario.empty:
            continue
        judge = _judge_of(job)
        truth = job.dataset.relevant
        assert truth is not None
        who: dict[str, Any] = {
            "scenario": job.scenario.name, "tier": job.scenario.tier, "draw": job.draw,
            "data": draw_fingerprint(job.dataset.X), "n_features": len(truth), "n_relevant": int(truth.sum()),
        }  # fmt: skip
        records.append(who | {"method": TRUTH, "engine": "", "status": "ok"} | judge(truth.astype(float)))
        for row in rows:
            record: dict[str, Any] = who | {"method": row.method, "engine": row.engine}
            if job.plan is None or row.method in job.too_slow:
                said = job.too_slow.get(row.method, "")
                records.append(record | {"status": "skipped", "message": f"skipped: {row.method} {said}"})
                continue
            [unit] = job.plan.units_of(row)
            result = found[unit.key]
            record |= {"status": result.status, "message": result.message, "seconds": result.seconds}
            record["memory"] = result.memory
            if result.scores is not None:
                scores = result.scores.scores
                record |= judge(scores if registered(row.method).larger_is_better else -scores)
                if result.scores.labels is not None:
                    record["own_ari"] = float(adjusted_rand_score(job.data.labels, result.scores.labels))
            records.append(record)
    frame = pd.DataFrame(records, columns=COLUMNS)
    return frame.fillna({"message": ""}).astype(
        {"seconds": float, "memory": float, **dict.fromkeys(MEASURES, float)}
    )


def judge_answers(jobs: Sequence[ScenarioJob], results: Sequence[Results]) -> pd.DataFrame:
    """Evaluate the answer on every draw.

    Returns ``scenario, no_clusters, draw, outcome, p_clusters`` and the result of `judging.judge_answer`, NaN
    if there are no clusters; no row if the leading method has no result.
    """
    records = []
    for job, found in zip(jobs, results, strict=True):
        if job.plan is None:
            continue
        info = replace(job.data.info, labels=None, label_names=())
        comparison = Comparison(info, job.plan, dict(found), data=job.data.X)
        answer = comparison.decision
        if answer.outcome is None or not answer.named:
            continue
        record = {
            "scenario": job.scenario.name, "no_clusters": job.scenario.empty, "draw": job.draw,
            "outcome": answer.outcome, "p_clusters": answer.p_clusters,
        }  # fmt: skip
        if not job.scenario.empty:
            groups = {
                f"x{j}": group for j, group in enumerate(job.dataset.groups or ())
            }  # names as in `prepare`
            relevant = frozenset(name for name, group in groups.items() if group == SIGNAL)
            noise = frozenset(name for name, group in groups.items() if group == NOISE)
            record |= judging.judge_answer(answer, relevant, noise)
        records.append(record)
    return pd.DataFrame(records, columns=ANSWER_COLUMNS)


def stability_of(scores: pd.DataFrame) -> pd.Series:
    """Stability of the top features over the draws, by scenario and method."""
    ran = scores[scores["status"] == "ok"]
    found = {}
    for key, runs in ran.groupby(["scenario", "method"], sort=False):
        names = sorted({name for selected in runs["selected"] for name in selected})
        never = np.zeros((len(runs), runs["n_features"].iloc[0] - len(names)), dtype=bool)
        chosen = [[name in selected for name in names] for selected in runs["selected"]]
        found[key] = judging.stability(np.hstack([np.array(chosen, dtype=bool), never]))
    index = pd.MultiIndex.from_tuples(found, names=["scenario", "method"])
    return pd.Series(list(found.values()), index, name="stability", dtype=float)


def _judge_of(job: ScenarioJob) -> Callable[[np.ndarray], dict[str, Any]]:
    """A function that evaluates scores of the features of a draw."""
    dataset, X = job.dataset, job.data.X
    block = np.arange(X.shape[1])
    if not job.data.info.plain:
        rng = np.random.default_rng(derive_seed(0, "impute", dataset.name, job.draw))
        X, block = complete_points(X, job.data.info.features, None, rng)
    relevant, labels = dataset.relevant, job.data.labels
    assert relevant is not None
    assert labels is not None
    assert dataset.groups is not None
    counted = relevant | (np.array(dataset.groups) == NOISE)
    k = int(relevant.sum())
    seed = derive_seed(0, "judge", dataset.name, job.draw)

    @cache  # methods that select the same features share one clustering
    def ari(chosen: tuple[int, ...]) -> float:
        return judging.ari_on(X[:, np.isin(block, chosen)], labels, dataset.n_clusters, seed)

    def judge(scores: np.ndarray) -> dict[str, Any]:
        chosen = judging.top(scores, k)
        some, true = scores[counted], relevant[counted]
        return {
            "auc": float(roc_auc_score(true, some)),
            "average_precision": float(average_precision_score(true, some)),
            "precision": judging.precision_at_k(some, true),
            "worst_rank": judging.worst_rank(some, true),
            "false_positive_rate": judging.false_positive_rate(some, true),
            "ari": ari(chosen),
            "selected": tuple(dataset.feature_names[at] for at in chosen),
        }

    return judge
