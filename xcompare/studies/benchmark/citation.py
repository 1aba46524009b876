"""What to cite for a benchmark: this version of it, and the sources of the tests that others designed."""

from collections.abc import Iterable

from xcompare.studies.benchmark.scenarios import SCENARIOS
from xcompare.version import __version__

_ZHENG = ("article", "zheng2017", "Zheng, Grace X. Y. and others",
          "Massively parallel digital transcriptional profiling of single cells", 2017,
          "10.1038/ncomms14049")  # fmt: skip
_HE = ("misc", "he2026", "He, Claire M. and Allen, Genevera I.",
       "Cluster {LOCO}: feature importance for interpreting clusters", 2026,
       "10.48550/arXiv.2606.14592")  # fmt: skip
_SOURCES = {  # by family: kind of entry, key, authors, title, year, DOI
    "pbmc68k": (_ZHENG, _HE),
    "cluster_loco": (_HE,),
    "sparse_kmeans": (("article", "witten2010", "Witten, Daniela M. and Tibshirani, Robert",
                       "A framework for feature selection in clustering", 2010,
                       "10.1198/jasa.2010.tm09415"),),
    "clustvarsel": (("article", "scrucca2018", "Scrucca, Luca and Raftery, Adrian E.",
                     "clustvarsel: a package implementing variable selection for {Gaussian} model-based"
                     " clustering in {R}", 2018, "10.18637/jss.v084.i01"),),
}  # fmt: skip


def bibtex(scenarios: Iterable[str], random_state: int) -> str:
    """BibTeX of the benchmark with these scenarios: version, tiers and seed, and the sources of tier 3."""
    rows = [SCENARIOS[name] for name in scenarios]
    tiers = ", ".join(str(tier) for tier in sorted({row.tier for row in rows}))
    own = [
        "@software{xcompare_benchmark,",
        "  author = {{The xcompare developers}},",
        "  title = {xcompare: which features made the clusters?},",
        f"  version = {{{__version__}}},",
        f"  note = {{Benchmark: tiers {tiers}; {len(rows)} scenarios; seed {random_state}}}",
        "}",
    ]
    used = dict.fromkeys(source for row in rows for source in _SOURCES.get(row.family, ()))
    return "\n".join([*own, *(_entry(*source) for source in used), ""])


def _entry(kind: str, key: str, authors: str, title: str, year: int, doi: str) -> str:
    fields = {"author": authors, "title": title, "year": year, "doi": doi}
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@{kind}{{{key},\n{lines}\n}}"
