"""Accuracy of the answer of a comparison, and error rates of the underlying tests.

    python -m benchmarks.answer                        # 3 draws of each design, 12 of each null; half an hour
    python -m benchmarks.answer --draws 20 --nulls 50  # hours
    python -m benchmarks.answer --designs harsh        # designs with strong nuisance
    python -m benchmarks.answer --designs realistic    # tables as they occur in many fields
    python -m benchmarks.answer --designs development  # the scenarios of `xcompare bench`, tier 1

Judgement designs were written independently of the package; docs/the-answer.md lists what was changed after
they were first run. One draw is one ``compare(X, K, methods="refined")``. The standard error of a
rate r is sqrt(r (1 - r) / draws). Tables go to stdout as Markdown.
"""

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.metrics import roc_auc_score

import xcompare
from benchmarks import harsh_designs, judgement_designs, realistic_designs
from xcompare.core.seeds import derive_seed
from xcompare.results.export import frame_pipes
from xcompare.studies.benchmark.judging import judge_answer
from xcompare.studies.benchmark.scenarios import SCENARIOS

NULL_N_CLUSTERS = (2, 3, 4, 5)  # requested from nulls, in turn
DESIGNS = {"judgement": judgement_designs, "harsh": harsh_designs, "realistic": realistic_designs}


def judgement(name: str, draw: int, seed: int):
    """Data, number of clusters and relevant features (None for a null) of a judgement design."""
    rng = np.random.default_rng(derive_seed(seed, "answer", name, draw))
    for designs in DESIGNS.values():
        if name in designs.NULLS:
            return np.asarray(designs.NULLS[name](rng), float), NULL_N_CLUSTERS[draw % 4], None
        if name in designs.DESIGNS:
            X, labels, relevant = designs.DESIGNS[name](rng)
            return X, len(np.unique(labels)), relevant
    raise KeyError(name)


def development(name: str, draw: int, seed: int):
    """The same for a scenario of `xcompare bench`."""
    data = SCENARIOS[name].draw(derive_seed(seed, "answer", name, draw))
    return data.X, data.n_clusters, None if SCENARIOS[name].empty else data.relevant


def judged(make, name: str, draw: int, seed: int) -> dict:
    """Compare the answer for one draw with the truth."""
    X, n_clusters, relevant = make(name, draw, seed)
    found = xcompare.compare(X, n_clusters, methods="refined", n_jobs=1, progress=False)
    answer, tests = found.decision, found.significance.table
    record = {"design": name, "rows": len(X), "outcome": answer.outcome, "p_clusters": answer.p_clusters}
    names = np.array(found.feature_names)
    if relevant is not None:
        kept = np.array([int(name[1:]) for name in names])  # constant columns are dropped
        truth = relevant[kept]
        record |= judge_answer(answer, frozenset(names[truth]), frozenset(names[~truth]))
        mixed = 0 < truth.sum() < len(truth)
        record["auc"] = roc_auc_score(truth, found.table.to_numpy()[0]) if mixed else np.nan
        record |= {"size": (tests["p_associated"][~truth] <= 0.05).mean() if (~truth).any() else np.nan,
                   "power": (tests["q"][truth] <= 0.05).mean()}  # fmt: skip
    record["modes"] = (tests["p_modes"] <= 0.05).mean() if relevant is None else np.nan
    return record


def means(found: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Means by design and overall."""
    shares = pd.get_dummies(found["outcome"]).reindex(
        columns=["found", "no evidence", "cannot tell"], fill_value=False
    )
    table = pd.concat([found[["design"]], shares.astype(float), found[columns]], axis=1)
    lines = table.groupby("design", sort=False).mean()
    lines.loc["**all**"] = table.drop(columns="design").mean()
    return lines


def printed(title: str, lines: pd.DataFrame) -> None:
    """Print a table in Markdown."""
    cells = lines.map(lambda value: "" if np.isnan(value) else f"{value:.2f}")
    print(f"\n{title}\n\n{frame_pipes(cells.reset_index(), str)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=3, help="draws per design with clusters (default: 3)")
    parser.add_argument("--nulls", type=int, default=12, help="draws per null design (default: 12)")
    parser.add_argument("--designs", choices=[*DESIGNS, "development"], default="judgement")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.designs != "development":
        chosen = DESIGNS[given.designs]
        make, designs, nulls = judgement, chosen.DESIGNS, chosen.NULLS
    else:
        simulated = [row for row in SCENARIOS.values() if row.tier == 1 and row.why_left_out is None]
        make = development
        designs = [row.name for row in simulated if not row.empty]
        nulls = [row.name for row in simulated if row.empty]
    work = [(name, draw) for some, n in ((designs, given.draws), (nulls, given.nulls)) for name in some
            for draw in range(n)]  # fmt: skip
    found = pd.DataFrame(
        Parallel(n_jobs=-1, batch_size=1)(
            delayed(judged)(make, name, draw, given.seed) for name, draw in work
        )
    )
    empty = found["design"].isin(list(nulls))
    columns = ["first_named", "all_named", "recall", "precision", "auc", "size", "power"]
    shown = found[~empty].assign(
        **{
            name: found.loc[~empty, name].where(found["outcome"] == "found")
            for name in ("recall", "precision")
        }
    )
    printed(f"With clusters, {given.draws} draws each", means(shown.reset_index(drop=True), columns))
    large = shown[(shown["rows"] >= 100) & ~(shown["auc"] < 0.95)]
    rates = large["outcome"].value_counts(normalize=True).round(3).to_dict()
    print(f"\nn >= 100 and AUC >= .95 ({len(large)} draws): {rates}")
    printed(
        f"Without clusters, {given.nulls} draws each", means(found[empty].reset_index(drop=True), ["modes"])
    )


if __name__ == "__main__":
    main()
