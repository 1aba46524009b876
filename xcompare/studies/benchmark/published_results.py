"""Tests of tier 3: their sources, what to cite, and what their authors report beside what we measure."""

from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd

from xcompare.results.wording import DASH
from xcompare.studies.benchmark.scenarios import SCENARIOS
from xcompare.version import __version__

BEST = "best here"  # the last column of a table


class Work(NamedTuple):
    """A publication, as in BibTeX."""

    kind: str
    key: str
    author: str
    title: str
    year: int
    doi: str


class BenchmarkSource(NamedTuple):
    """Where a family of scenarios comes from."""

    works: tuple[Work, ...]
    licence: str


_ZHENG = Work(
    "article", "zheng2017", "Zheng, Grace X. Y. and others",
    "Massively parallel digital transcriptional profiling of single cells", 2017, "10.1038/ncomms14049",
)  # fmt: skip
_HE = Work(
    "misc", "he2026", "He, Claire M. and Allen, Genevera I.",
    "Cluster {LOCO}: feature importance for interpreting clusters", 2026, "10.48550/arXiv.2606.14592",
)  # fmt: skip
_WITTEN = Work(
    "article", "witten2010", "Witten, Daniela M. and Tibshirani, Robert",
    "A framework for feature selection in clustering", 2010, "10.1198/jasa.2010.tm09415",
)  # fmt: skip
_SCRUCCA = Work(
    "article", "scrucca2018", "Scrucca, Luca and Raftery, Adrian E.",
    "clustvarsel: a package implementing variable selection for {Gaussian} model-based clustering in {R}",
    2018, "10.18637/jss.v084.i01",
)  # fmt: skip
SOURCES = {
    "pbmc68k": BenchmarkSource((_ZHENG, _HE), "data in scanpy's wheel (BSD-3-Clause); list of markers: MIT"),
    "cluster_loco": BenchmarkSource((_HE,), "simulated; description: CC BY 4.0"),
    "sparse_kmeans": BenchmarkSource((_WITTEN,), "simulated, as in section 3.3.1"),
    "clustvarsel": BenchmarkSource((_SCRUCCA,), "simulated, as in the package's example"),
}


def _hits(kind: str, **shares: tuple[float, ...]) -> dict[tuple[str, str], dict[str, float]]:
    """Published shares of hits for 20, 50, 200 and 1,000 features."""
    return {
        (f"loco_{kind}_{p}", "precision"): {method: values[at] for method, values in shares.items()}
        for at, p in enumerate((20, 50, 200, 1000))
    }


# Their names for methods are ours: "loco" is Cluster LOCO-MP, "perm_kmeans" permutation. Shares of hits are
# those of the authors' figure 2, printed in github.com/DataSlingers/ClusterLOCO, paper_figures/Figure2.ipynb:
# Gaussian (easy), moons and circles (medium), gamma (easy). scripts/res_summary_all.csv, an older file there,
# has others, e.g. .64 for rampart on 1,000 Gaussian features. Of clustvarsel there is one data set, in the
# vignette of version 2.3.5: forward, backward and headlong search select X1 and X2.
_PUBLISHED = {
    ("pbmc68k", "auc"): {
        "lrp": 0.724, "pbfi": 0.718, "loco": 0.696, "impacc": 0.650, "rampart": 0.649, "perm_kmeans": 0.626,
    },
    ("pbmc68k", "average_precision"): {
        "lrp": 0.375, "pbfi": 0.260, "loco": 0.365, "impacc": 0.258, "rampart": 0.341, "perm_kmeans": 0.169,
    },
    **_hits("gaussian",
            rampart=(1.0, 1.0, 0.99, 0.92), loco=(1.0, 1.0, 1.0, 0.55), pbfi=(1.0, 1.0, 1.0, 1.0),
            lrp=(1.0, 1.0, 1.0, 1.0), impacc=(0.67, 0.96, 0.97, 0.99),
            perm_kmeans=(0.77, 0.78, 0.75, 0.72)),
    **_hits("moons",
            rampart=(1.0, 1.0, 1.0, 1.0), loco=(1.0, 1.0, 1.0, 0.81), pbfi=(0.36, 0.27, 0.19, 0.03),
            lrp=(0.69, 0.74, 0.70, 0.13), impacc=(0.25, 0.26, 0.56, 0.95),
            perm_kmeans=(0.66, 0.63, 0.63, 0.02)),
    **_hits("gamma",
            rampart=(1.0, 1.0, 1.0, 0.79), loco=(1.0, 1.0, 1.0, 0.39), pbfi=(0.0, 0.0, 0.0, 0.0),
            lrp=(0.35, 0.21, 0.04, 0.0), impacc=(0.57, 0.51, 0.47, 0.91),
            perm_kmeans=(0.99, 0.20, 0.06, 0.0)),
    ("clustvarsel", "precision"): {"clustvarsel": 1.0},
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
    """Scenarios and measures by method: measured here, and in brackets what is published.

    ``own``: a method without published results, in the first column. The last column is the best method here.
    """
    lines = []
    for (scenario, measure), part in beside_published(scores).groupby(["scenario", "measure"], sort=False):
        runs = scores[(scores["scenario"] == scenario) & (scores["method"] == own)]
        line = {"scenario": scenario, "measure": measure, own: _cell(runs[measure].mean())}
        for row in part.to_dict(orient="records"):
            line[row["method"]] = f"{_cell(row['measured'])} ({row['published']:.2f})"
        lines.append(line | {BEST: f"{row['best']}: {_cell(row['best_measured'])}"})
    table = pd.DataFrame(lines).fillna(DASH)
    return table[[*table.columns.drop(BEST), BEST]]


def _cell(value: float) -> str:
    return DASH if pd.isna(value) else f"{value:.2f}"


def sources_of(scenarios: Iterable[str]) -> pd.DataFrame:
    """Reference and licence of each family among these scenarios."""
    rows = []
    for family in dict.fromkeys(SCENARIOS[name].source for name in scenarios):
        if family:
            works, licence = SOURCES[family]
            cited = "; ".join(f"{work.author} ({work.year}), doi:{work.doi}" for work in works)
            rows.append((family, cited, licence))
    return pd.DataFrame(rows, columns=["family", "source", "licence"])


def bibtex(scenarios: Iterable[str], random_state: int) -> str:
    """BibTeX of the benchmark with these scenarios: version, tiers and seed, and the sources of tier 3."""
    rows = [SCENARIOS[name] for name in scenarios]
    tiers = ", ".join(str(tier) for tier in sorted({row.tier for row in rows}))
    entries = [
        "@software{xcompare_benchmark,",
        "  author = {{The xcompare developers}},",
        "  title = {xcompare: which features made the clusters?},",
        f"  version = {{{__version__}}},",
        f"  note = {{Benchmark: tiers {tiers}; {len(rows)} scenarios; seed {random_state}}}",
        "}",
    ]
    works = dict.fromkeys(work for row in rows if row.source for work in SOURCES[row.source].works)
    for kind, key, *values in works:
        fields = zip(("author", "title", "year", "doi"), values, strict=True)
        lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields)
        entries.append(f"@{kind}{{{key},\n{lines}\n}}")
    return "\n".join([*entries, ""])
