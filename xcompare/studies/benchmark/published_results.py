"""What the authors of the tests of tier 3 report, beside what is measured here."""

from typing import NamedTuple

import pandas as pd

from xcompare.results.wording import DASH
from xcompare.studies.benchmark.scenarios import SCENARIOS

BEST = "best here"  # the last row of a table


class Source(NamedTuple):
    """Where a family of scenarios comes from."""

    reference: str
    licence: str


SOURCES = {
    "pbmc68k": Source(
        "Zheng and others (2017), doi:10.1038/ncomms14049, as in scanpy; used by He, Allen (2026),"
        " doi:10.48550/arXiv.2606.14592",
        "data in scanpy's wheel (BSD-3-Clause); list of markers: MIT",
    ),
    "cluster_loco": Source(
        "He, Allen (2026), doi:10.48550/arXiv.2606.14592", "simulated; description: CC BY 4.0"
    ),
    "sparse_kmeans": Source(
        "Witten, Tibshirani (2010), section 3.3.1, doi:10.1198/jasa.2010.tm09415", "simulated"
    ),
    "clustvarsel": Source(
        "Scrucca, Raftery (2018), doi:10.18637/jss.v084.i01", "simulated, as in the package's example"
    ),
}

# Their names for methods are ours: "loco" is Cluster LOCO-MP, "perm_kmeans" permutation.
_PUBLISHED = {
    ("pbmc68k", "auc"): {
        "lrp": 0.724, "pbfi": 0.718, "loco": 0.696, "impacc": 0.650, "rampart": 0.649, "perm_kmeans": 0.626,
    },
    ("pbmc68k", "average_precision"): {
        "lrp": 0.375, "pbfi": 0.260, "loco": 0.365, "impacc": 0.258, "rampart": 0.341, "perm_kmeans": 0.169,
    },
    ("loco_gaussian_1000", "precision"): {
        "rampart": 0.92, "loco": 0.55, "pbfi": 1.00, "lrp": 1.00, "perm_kmeans": 0.72,
    },
    ("loco_moons_1000", "precision"): {
        "rampart": 1.00, "loco": 0.81, "pbfi": 0.03, "lrp": 0.13, "perm_kmeans": 0.02,
    },
    ("loco_gamma_1000", "precision"): {
        "rampart": 0.79, "loco": 0.39, "pbfi": 0.00, "lrp": 0.00, "perm_kmeans": 0.00,
    },
}  # fmt: skip


def beside_published(scores: pd.DataFrame) -> pd.DataFrame:
    """Published results of the scenarios that were run, and the mean of what the same method has here.

    ``scores``: as `Leaderboard.scores`. Returns ``scenario, measure, method, published, measured``, and the
    best method here, ``best`` with ``best_measured``; ``measured`` is NaN for methods that were not run.
    """
    rows = []
    for (scenario, measure), values in _PUBLISHED.items():
        runs = scores[(scores["scenario"] == scenario) & (scores["method"] != "truth")]
        if runs.empty or runs[measure].isna().all():
            continue
        means = runs.groupby("method")[measure].mean().dropna()
        best = str(means.idxmax())
        for method, value in values.items():
            rows.append((scenario, measure, method, value, means.get(method), best, means[best]))
    columns = ["scenario", "measure", "method", "published", "measured", "best", "best_measured"]
    return pd.DataFrame(rows, columns=columns).astype({"measured": float})


def published_table(scores: pd.DataFrame, own: str) -> pd.DataFrame:
    """Methods by scenario and measure: measured here, and in brackets what is published.

    ``own``: a method without published results, in the first row. The last row is the best method here.
    """
    found = beside_published(scores)
    columns: dict[str, dict[str, str]] = {}
    for (scenario, measure), part in found.groupby(["scenario", "measure"], sort=False):
        runs = scores[(scores["scenario"] == scenario) & (scores["method"] == own)]
        cells = {own: _cell(runs[measure].mean())}
        for line in part.to_dict(orient="records"):
            cells[line["method"]] = f"{_cell(line['measured'])} ({line['published']:.2f})"
        best = part.iloc[0]
        cells[BEST] = f"{best['best']}: {_cell(best['best_measured'])}"
        columns[f"{scenario}: {measure}"] = cells
    order = [own, *dict.fromkeys(found["method"]), BEST]
    table = pd.DataFrame(columns).reindex(order).fillna(DASH)
    return table.rename_axis("method").reset_index()


def _cell(value: float) -> str:
    return DASH if pd.isna(value) else f"{value:.2f}"


def sources_of(scenarios: list[str]) -> pd.DataFrame:
    """Reference and licence of each family among these scenarios."""
    families = dict.fromkeys(SCENARIOS[name].family for name in scenarios)
    rows = [(name, *SOURCES[name]) for name in families if name in SOURCES]
    return pd.DataFrame(rows, columns=["family", "source", "licence"])
