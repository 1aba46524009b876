"""`Explanation`: the result of `explain`, with effect sizes, rules and tests of given clusters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from xcompare.core.checks import check_integer
from xcompare.core.errors import DataError, StoreError
from xcompare.core.seeds import derive_seed
from xcompare.harness.plan import ALL, RESAMPLED
from xcompare.harness.store import RunStore, StoredComparison
from xcompare.inference.answer import q_values
from xcompare.inference.rankings import majority
from xcompare.results import export
from xcompare.results.clustered_table import ClusteredTable, Contrast, renamed
from xcompare.results.comparison import NUMBERS_ONLY, Comparison
from xcompare.results.data_checks import column_notes
from xcompare.results.effect_sizes import COLUMNS, TOP, effect_sizes, largest
from xcompare.results.partition import cluster_profiles
from xcompare.results.result import StoredResult, records
from xcompare.results.rules import Rule, cluster_rules
from xcompare.results.summary import ClusterSummary, cluster_sentences, cluster_summaries
from xcompare.results.wording import named

if TYPE_CHECKING:
    from xcompare.inference.validated import ValidatedFeatures
    from xcompare.results.plots import ExplanationPlots
    from xcompare.results.report import Page

ABOUT_GAPS = (
    "missing values: measures of one feature at a time use the rows where it was observed; for centroids and"
    " trees they are imputed"
)
KINDS = "kinds of measures"
TELLS_APART = ("tells the clusters apart best", "tell the clusters apart best")
LEFT_OUT = {"missing": "no label", "noise": "label -1 (noise)"}
WEIGHTED = "row weights: measures count rows by weight; effect sizes and rules count every row once"


@dataclass(frozen=True, eq=False)
class Explanation(StoredResult):
    """Explanation of given clusters. Made by `explain` and `Explanation.from_store`.

    Attributes
    ----------
    overall : Comparison
        Measures on all clusters.
    resampled : Comparison
        The same on bootstrap samples.
    by_cluster : tuple of Comparison
        Measures on each cluster against the rest, in the order of `clusters`.
    by_contrast : tuple of Comparison, default=()
        Measures on each of the further `contrasts`, with the rows of its clusters only.
    tested : ValidatedFeatures or None
        Tests of the features by clustering again, of ``explain(validate=)``. A run store does not keep them.
    """

    overall: Comparison
    resampled: Comparison
    by_cluster: tuple[Comparison, ...]
    by_contrast: tuple[Comparison, ...] = ()
    tested: "ValidatedFeatures | None" = None

    kind = "explanation"

    @classmethod
    def of(cls, parts: Sequence[Comparison]) -> "Explanation":
        """From its parts: overall, resampled, the clusters, then the contrasts."""
        overall, resampled, *others = parts
        n_clusters = len(overall.label_names)
        return cls(overall, resampled, tuple(others[:n_clusters]), tuple(others[n_clusters:]))

    @classmethod
    def read(cls, store: RunStore, found: StoredComparison, *_: Any) -> "Explanation":
        """The explanation in an open store."""
        parts = {at: Comparison.read(store, one) for at, one in store.siblings(found).items()}
        first = next(iter(parts.values()))
        measures = {tuple(row.method for row in one.plan.rows) for one in parts.values()}
        n_others = max(len(parts) - 2, len(first.label_names))
        if list(parts) != [RESAMPLED, ALL, *range(n_others)] or len(measures) > 1:
            raise StoreError(f"{store.path} is damaged: parts of an explanation of {first.name} are missing")
        return cls.of([parts.pop(ALL), parts.pop(RESAMPLED), *parts.values()])

    def renamed(self, names: Mapping[Any, str]) -> "Explanation":
        """The same explanation with other names of clusters: ``{0: "Loyal"}``; nothing is computed.

        Raises
        ------
        DataError, UnknownNameError
        """
        new = renamed(self.clusters, names)
        parts = [replace(one, info=replace(one.info, label_names=new)) for one in self._comparisons]
        return replace(Explanation.of(parts), tested=self.tested)

    @property
    def name(self) -> str:
        """Name of the data."""
        return self.overall.name

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The features, in the order of the data."""
        return self.overall.feature_names

    @property
    def clusters(self) -> tuple[str, ...]:
        """Names of the clusters, from the labels."""
        return self.overall.label_names

    @property
    def left_out(self) -> dict[str, int]:
        """Number of rows without a cluster: unlabelled ("missing") or labelled -1 ("noise")."""
        part = self.overall.plan.part
        assert part is not None
        return part.left_out

    @property
    def table(self) -> pd.DataFrame:
        """Scores for all clusters together: measures by features, each row divided by its maximum."""
        return self._named(self.overall.table)

    @property
    def ranks(self) -> pd.DataFrame:
        """Ranks of the features as strings, 1 the most important; measures by features."""
        return self._named(self.overall.ranks)

    @property
    def per_cluster(self) -> pd.DataFrame:
        """Each cluster against the rest: one row per cluster and measure, one column per feature."""
        tables = [self._named(one.table) for one in self.by_cluster]
        return pd.concat(tables, keys=self.clusters, names=["cluster"])

    @property
    def cluster_importances(self) -> pd.DataFrame:
        """Clusters by features: mean over the measures of `per_cluster`."""
        return self.per_cluster.groupby(level="cluster", sort=False).mean()

    @property
    def intervals(self) -> pd.DataFrame:
        """95% bootstrap intervals of the scores in `table`, by measure and feature."""
        parts = []
        for row, drawn in zip(self.overall.rows, self.resampled.rows, strict=True):
            some = drawn.normalized if len(drawn.normalized) else np.full((1, len(row.mean)), np.nan)
            low, high = np.quantile(some, [0.025, 0.975], axis=0)
            columns = {"measure": row.name, "feature": self.feature_names, "score": row.mean}
            parts.append(pd.DataFrame(columns | {"low": low, "high": high}))
        return pd.concat(parts, ignore_index=True)

    @property
    def overall_ranks(self) -> pd.Series:
        """Mean rank of each feature over the measures, most important first."""
        return self.overall.overall_ranks

    @property
    def answer(self) -> str:
        """Which features separate the clusters best, and how many kinds of measures agree."""
        return majority(self.overall.rankings.values(), self.feature_names, KINDS, TELLS_APART)

    @property
    def failures(self) -> pd.DataFrame:
        """Failed runs: of all clusters together, the bootstraps, and each cluster."""
        return pd.concat([one.failures for one in self._comparisons], ignore_index=True)

    @property
    def warnings(self) -> pd.DataFrame:
        """Unique warnings."""
        return pd.concat([one.warnings for one in self._comparisons], ignore_index=True).drop_duplicates(
            ["method", "message"]
        )

    def agreement(self, top: int = 3) -> pd.DataFrame:
        """Pairwise agreement of the rankings; as `Comparison.agreement`."""
        found = self.overall.agreement(top).drop(columns=["engine", "other_engine"])
        return found.rename(columns={"method": "measure", "other_method": "other_measure"})

    @property
    def sizes(self) -> pd.Series:
        """Number of rows of each cluster."""
        return pd.Series(np.bincount(self._codes), pd.Index(self.clusters, name="cluster"), name="rows")

    @cached_property
    def contrasts(self) -> tuple[Contrast, ...]:
        """What is compared: each cluster with the rest, then what ``reference`` added."""
        options = [one.plan.rows[0].options for one in self.by_contrast]
        further = [Contrast.of(one["cluster"], one["reference"], self.clusters) for one in options]
        return (*self.clustered.against_rest(), *further)

    @property
    def contrast_importances(self) -> pd.DataFrame:
        """Contrasts by features: mean over the measures, as `cluster_importances`."""
        tables = [self._named(one.table).mean() for one in (*self.by_cluster, *self.by_contrast)]
        index = [(self.clusters[one.cluster], one.against) for one in self.contrasts]
        return pd.DataFrame(tables, pd.MultiIndex.from_tuples(index, names=["cluster", "reference"]))

    @cached_property
    def effects(self) -> pd.DataFrame:
        """Effect sizes in the units of the data: one row per contrast and feature.

        docs/tables.md describes the columns; ``importance`` is that of
        `contrast_importances`.
        """
        plan = self.overall.plan
        seed = derive_seed(plan.random_state, plan.fingerprint, "effects")
        found = effect_sizes(self.clustered, self.contrasts, seed=seed)
        columns = self.overall.info.columns
        names = [None if one.described else one.group or one.name for one in columns]
        importances = self.contrast_importances.reindex(columns=names).to_numpy()
        found.insert(COLUMNS.index("rows"), "importance", importances.ravel())
        return found

    @cached_property
    def summaries(self) -> tuple[ClusterSummary, ...]:
        """Each cluster in plain words, with numbers in the units of the data; ``print`` shows one."""
        return cluster_summaries(self.clustered, self.effects)

    def top(self, n: int = TOP) -> pd.DataFrame:
        """The ``n`` most important features of each contrast, with their `effects`, the first the best."""
        check_integer("n", n, 1)
        return largest(self.effects, n)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """Shortest rule that recovers each cluster."""
        clusters = [named(name) for name in self.clusters]
        features = [one for one in self.overall.info.columns if not one.described]
        return cluster_rules(self._scored, self._codes, clusters, features)

    @cached_property
    def profiles(self) -> pd.DataFrame:
        """Profile of each cluster: as `Comparison.profiles`, by name; for numbers without missing values."""
        if not self.overall.info.plain:
            raise DataError(f"{NUMBERS_ONLY}: see effects")
        found = cluster_profiles(self._scored, self._codes, self.feature_names)
        return found.assign(cluster=[self.clusters[number - 1] for number in found["cluster"]])

    @property
    def sentences(self) -> tuple[str, ...]:
        """Description of each cluster: its most important features, high or low, and its rule."""
        return cluster_sentences(self)

    @property
    def validated(self) -> pd.DataFrame | None:
        """Tests of the features for clusters found again, with p, q, device and hypothesis; None if not made.

        p and q (Benjamini-Hochberg) are NaN where no test is valid; the column ``note`` says why.
        """
        found = self.tested
        if found is None:
            return None
        p_values = found.p_values
        return pd.DataFrame(
            {
                "p": p_values,
                "q": p_values if np.isnan(p_values).any() else q_values(p_values),
                "device": found.device,
                "hypothesis": found.hypothesis,
                "note": found.reason,
            },
            index=pd.Index(self.feature_names, name="feature"),
        )

    @property
    def notes(self) -> list[str]:
        """Notes: kinds of columns, missing values, and rows left out."""
        info, data = self.overall.info, self.overall.data
        gaps = [] if data is None or not np.isnan(self._scored).any() else [ABOUT_GAPS]
        left_out = [
            f"{n} {'row' if n == 1 else 'rows'} left out: {LEFT_OUT.get(why, why)}"
            for why, n in self.left_out.items()
            if n
        ]
        weighted = [WEIGHTED] if self.overall.plan.weighted else []
        return [*column_notes(info), *gaps, *weighted, *left_out]

    def crosstab(self, y_true: Any) -> pd.DataFrame:
        """Contingency table of the clusters and another labelling, e.g. the ground truth.

        Parameters
        ----------
        y_true : array-like of shape (n_rows,)
            Labels of the rows that have a cluster.
        """
        other = np.asarray(y_true)
        if other.shape != self._codes.shape:
            raise DataError(f"y_true must be one per row ({len(self._codes)}); got shape {other.shape}")
        table = pd.crosstab(pd.Series(self._codes, name="cluster"), pd.Series(other, name="y_true"))
        return table.rename(index=dict(enumerate(self.clusters)))

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain dicts, lists, strings and numbers."""
        importances = self.cluster_importances.to_dict(orient="records")
        clusters = [
            {
                "cluster": name,
                "rows": rule.size,
                "summary": str(summary),
                "rule": str(rule),
                "purity": rule.purity,
                "coverage": rule.coverage,
                "importances": scores,
            }
            for name, summary, rule, scores in zip(
                self.clusters, self.summaries, self.rules, importances, strict=True
            )
        ]
        return {
            "dataset": self.name,
            "answer": self.answer,
            "left_out": self.left_out,
            "features": list(self.feature_names),
            "rows": self.overall.row_dicts(),
            "clusters": clusters,
            "effects": records(self.effects),
            "intervals": records(self.intervals),
            "validated": None if self.validated is None else records(self.validated.reset_index()),
            "failures": records(self.failures),
            "warnings": records(self.warnings),
            "notes": self.notes,
        }

    def csv_tables(self) -> dict[str, pd.DataFrame]:
        """The tables that `write` saves as CSV, by name."""
        return {
            "table": self.table,
            "ranks": self.ranks,
            "per_cluster": self.per_cluster,
            "cluster_importances": self.cluster_importances,
            "effects": self.effects,
            "intervals": self.intervals,
            **({} if not self.overall.info.plain else {"profiles": self.profiles}),
            "agreement": self.agreement(),
            **({} if self.validated is None else {"validated": self.validated}),
            "failures": self.failures,
        }

    def page(self, *, command: str | None = None, notes: Sequence[str] = ()) -> "Page":
        """The report: see `Result.page`."""
        from xcompare.results.report.gather import explanation_page

        return explanation_page(self, command, tuple(notes))

    @property
    def plot(self) -> "ExplanationPlots":
        """Plots that return matplotlib ``Axes``: ``plot()`` is clusters by features."""
        from xcompare.results.plots import ExplanationPlots

        return ExplanationPlots(self)

    def __repr__(self) -> str:
        return "\n".join([f"<Explanation of {len(self.clusters)} clusters of {self.name}>", *self.sentences])

    def _repr_html_(self) -> str:
        return export.frame_html(self.table, self.answer, *self.sentences[: export.MOST_ROWS])

    @property
    def clustered(self) -> ClusteredTable:
        """The data as given, with the cluster of each row."""
        return ClusteredTable(self._values, self.overall.info.columns, self._codes, self.clusters)

    @property
    def _codes(self) -> np.ndarray:
        assert self.overall.labels is not None
        return self.overall.labels

    @property
    def _values(self) -> np.ndarray:
        if self.overall.data is None:
            raise DataError("the run store did not keep the data because of its size: run explain again")
        return self.overall.data

    @property
    def _scored(self) -> np.ndarray:
        """The columns that have scores."""
        return self._values[:, : self.overall.info.n_scored]

    @property
    def _comparisons(self) -> tuple[Comparison, ...]:
        return self.overall, self.resampled, *self.by_cluster, *self.by_contrast

    @staticmethod
    def _named(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.rename_axis(index="measure")
