"""The leaderboard: results of all methods over all scenarios of a benchmark."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import pandas as pd

from xcompare.core.writing import write_text
from xcompare.results.recommendation import DESCRIPTION
from xcompare.results.result import Result, records
from xcompare.results.wording import DASH
from xcompare.studies.benchmark import development, exchange, families
from xcompare.studies.benchmark.collect import AT_RANDOM, TRUTH, stability_of
from xcompare.studies.benchmark.paper_table import latex
from xcompare.studies.benchmark.protocol import BenchmarkEffort
from xcompare.studies.benchmark.published_results import beside_published, bibtex
from xcompare.studies.benchmark.scenarios import SCENARIOS, USUAL_TIERS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xcompare.results.report import Page

OUTCOMES = "found", "no evidence", "cannot tell"  # of the answer
LOW_AUC = 0.7  # mean AUC below which a method fails on a scenario
BEHIND_BEST = 0.05  # if another method is better by at least this much


@dataclass(frozen=True, eq=False)
class Leaderboard(Result):
    """Benchmark results, returned by `bench`.

    Attributes
    ----------
    effort : BenchmarkEffort
        Numbers of draws.
    random_state : int
    scores : DataFrame
        Evaluation of every run: see `xcompare.studies.benchmark.collect.judge_runs`.
    answers : DataFrame
        Evaluation of the answer on every draw: see `xcompare.studies.benchmark.collect.judge_answers`.
    described : DataFrame
        Characteristics of the data of each scenario: see `xcompare.results.recommendation.describe`.
    left_out : dict of str to str
        Scenarios that are not available on this machine, with the reason.
    versions : dict of str to str
        Software versions.
    """

    effort: BenchmarkEffort
    random_state: int
    scores: pd.DataFrame = field(repr=False)
    answers: pd.DataFrame = field(repr=False)
    described: pd.DataFrame = field(repr=False)
    left_out: dict[str, str]
    versions: dict[str, str]

    @property
    def methods(self) -> list[str]:
        """The methods compared, without the truth."""
        return [name for name in dict.fromkeys(self.scores["method"]) if name != TRUTH]

    @cached_property
    def first_places(self) -> pd.DataFrame:
        """The best method of each family of scenarios against all others: `families.first_places`."""
        return families.first_places(self.scores)

    @property
    def published(self) -> pd.DataFrame:
        """What the authors of the scenarios report: `published_results.beside_published`."""
        return beside_published(self.scores)

    def merged(self, *paths: str | PathLike[str]) -> "Leaderboard":
        """Put results of others (``results.parquet``) beside these, on the draws that all have."""
        return exchange.merge(self, paths)

    def by_scenario(self, measure: str = "auc") -> pd.DataFrame:
        """Mean of a measure over the draws: scenarios by methods; NaN if a method has no result."""
        table = self.scores.pivot_table(measure, "scenario", "method", "mean", dropna=False, sort=False)
        order = [name for name in SCENARIOS if name in table.index]
        return table.reindex(index=order, columns=[TRUTH, *self.methods])

    @cached_property
    def results(self) -> pd.DataFrame:
        """Mean AUC by scenario and method, without the truth; a run without a result counts as .5."""
        filled = self.scores.assign(auc=self.scores["auc"].fillna(AT_RANDOM["auc"]))
        table = filled.pivot_table("auc", "scenario", "method", "mean", sort=False)
        return table.reindex(index=self.by_scenario().index, columns=self.methods)

    @cached_property
    def table(self) -> pd.DataFrame:
        """The leaderboard: one row per method, the truth first, then by average rank.

        Returns
        -------
        DataFrame
            ``rank`` (average over scenarios, by AUC), ``auc`` (mean over scenarios), ``auc_1``, ``auc_2`` (of
            each tier; ``auc_3`` if it was run), ``development``, ``judgement`` (of scenarios that `refined`
            was and was not developed on, if there are both), ``min_auc`` and ``worst_scenario``,
            ``precision``, ``false_positive_rate``, ``ari``, ``own_ari``, ``stability``, ``seconds`` (median),
            ``memory`` (MiB; median over draws, maximum over scenarios), ``n_failed`` (runs without a result).
        """
        scores = self.scores.assign(**{name: self.scores[name].fillna(v) for name, v in AT_RANDOM.items()})
        means = scores.groupby(["scenario", "tier", "method"], sort=False)[
            ["auc", "precision", "false_positive_rate", "ari", "own_ari"]
        ].mean()
        by_method = means.groupby("method", sort=False)
        table = by_method.mean()
        for tier, part in means.groupby("tier"):
            table[f"auc_{tier}"] = part.groupby("method")["auc"].mean()
        results = self.results.assign(**{TRUTH: 1.0})
        if len(results):
            table["min_auc"], table["worst_scenario"] = results.min(), results.idxmin()
            table.loc[TRUTH, "worst_scenario"] = None
        table["rank"] = self.ranks
        table["stability"] = stability_of(self.scores).groupby("method").mean()
        ran = self.scores[self.scores["status"] == "ok"]
        table["seconds"] = ran.groupby("method")["seconds"].median()
        # The median leaves out the draw of a scenario on which a process imports what a method needs.
        by_scenario = ran.groupby(["method", "scenario"])["memory"].median()
        table["memory"] = by_scenario.groupby("method").max()
        table["n_failed"] = (self.scores["status"] != "ok").groupby(self.scores["method"]).sum()
        roles = development.by_role(self.results)[["development", "judgement"]]
        if roles.notna().all(axis=None):
            table[roles.columns] = roles
            table.loc[TRUTH, roles.columns] = 1.0
        tiers = [f"auc_{tier}" for tier in sorted({*USUAL_TIERS, *self.scores["tier"]})]
        columns = ["rank", "auc", *tiers, *roles.columns.intersection(table.columns), "min_auc",
                   "worst_scenario", "precision", "false_positive_rate", "ari", "own_ari", "stability",
                   "seconds", "memory", "n_failed"]  # fmt: skip
        order = [name for name in (TRUTH, *self.ranks.index) if name in table.index]
        table = table.reindex(index=order, columns=columns)
        return table.rename_axis("method").astype({"n_failed": "Int64"})

    @cached_property
    def ranks(self) -> pd.Series:
        """Average rank of each method over the scenarios with clusters, the best first."""
        ranks = self.results.rank(axis=1, ascending=False).mean()
        return ranks.sort_values(kind="stable").rename("rank")

    @property
    def answer_shares(self) -> pd.DataFrame:
        """How often the answer is right, by scenario and over those with and without clusters.

        Returns
        -------
        DataFrame
            ``draws``, shares of each outcome (``found``, ``no evidence``, ``cannot tell``), and means of
            ``first_named``, ``all_named``, ``recall`` and ``precision`` (the last two if clusters are
            found).
        """
        outcomes = {name: self.answers["outcome"] == name for name in OUTCOMES}
        answers = self.answers.assign(**outcomes)
        answers[["recall", "precision"]] = answers[["recall", "precision"]].where(answers["found"])
        kinds = answers["no_clusters"].map({True: "all without clusters", False: "all with clusters"})
        means = {
            name: (name, "mean") for name in (*OUTCOMES, "first_named", "all_named", "recall", "precision")
        }
        return pd.concat(
            [
                answers.groupby(by, sort=False).agg(draws=("draw", "size"), **means).rename_axis("scenario")
                for by in (answers["scenario"], kinds)
            ]
        )

    @property
    def failures(self) -> pd.DataFrame:
        """Runs without a result: method, status, message, scenarios and number of runs."""
        failed = self.scores[self.scores["status"] != "ok"]
        grouped = failed.groupby(["method", "status", "message"], sort=False)
        found = grouped["scenario"].agg(scenarios=lambda some: ", ".join(dict.fromkeys(some)), runs="size")
        return found.reset_index()

    def lost(self, method: str) -> pd.Series:
        """Scenarios in which the AUC of a method is below .7 and well behind the best; the worst first."""
        own = self.results[method]
        behind = self.results.max(axis=1) - own
        return own[(own < LOW_AUC) & (behind >= BEHIND_BEST)].sort_values(kind="stable")

    @property
    def answer(self) -> str:
        """The best method; a winner is named only if paired differences tell it apart from all others."""
        if self.results.empty:
            return "No scenario with clusters was asked for."
        if self.first_places.empty:
            method = self.ranks.index[0]
            return f"{method} has a mean AUC of {self.table.loc[method, 'auc']:.3f}; no other was run."
        return families.winner(self.first_places)

    @property
    def nearest(self) -> pd.DataFrame:
        """Characteristics of the scenarios and mean AUCs, as in `xcompare.io.datasets.leaderboard`."""
        table = self.results.where(self.by_scenario()[self.methods].notna())
        tiers = pd.Series({name: SCENARIOS[name].tier for name in table.index}, name="tier", dtype=int)
        described = self.described.reindex(table.index)[DESCRIPTION]
        return pd.concat([tiers, described, table], axis=1).rename_axis("scenario")

    def to_latex(self, path: str | PathLike[str]) -> None:
        """Write the leaderboard as a LaTeX table, with the best of each column in bold."""
        write_text(path, latex(self.printed(), TRUTH))

    def to_bibtex(self, path: str | PathLike[str]) -> None:
        """Write what to cite as BibTeX: this version of the benchmark, and the sources of its tests."""
        write_text(path, bibtex(self.scores["scenario"].unique(), self.random_state))

    def printed(self) -> pd.DataFrame:
        """The leaderboard as text: two decimals, a dash for missing values."""
        texts = self.table.map(
            lambda v: DASH if pd.isna(v) else f"{v:.2f}" if isinstance(v, float) else str(v)
        )
        texts["seconds"] = self.table["seconds"].map(lambda s: DASH if pd.isna(s) else f"{s:.2g}")
        return texts.reset_index()

    def figures(self) -> "dict[str, Figure]":
        """Figures by name: heat map, accuracy beside running time and memory."""
        from xcompare.studies.benchmark import plots

        if self.results.empty:
            return {}
        axes: dict[str, Any] = {
            "scenarios": plots.scenario_map(self.by_scenario()[[TRUTH, *self.ranks.index]]),
            "cost": plots.accuracy_and_cost(self.table),
        }
        return {name: ax.get_figure(root=True) for name, ax in axes.items()}

    files = {"latex": "leaderboard.tex", "parquet": "results.parquet", "bibtex": "citation.bib"}  # noqa: RUF012

    def to_dict(self) -> dict[str, Any]:
        """The leaderboard and every scenario as dicts, lists, strings and numbers."""
        table = self.table.reset_index()
        return {
            "answer": self.answer,
            "leaderboard": records(table.astype(object).where(table.notna(), None)),
            "auc": self.by_scenario("auc").to_dict(orient="index"),
            "first_places": records(self.first_places),
            "published": records(self.published),
            "answers": self.answer_shares.to_dict(orient="index"),
            "failures": records(self.failures),
            "left_out": self.left_out,
            "versions": self.versions,
        }

    def csv_tables(self) -> dict[str, pd.DataFrame]:
        """The tables that `write` saves as CSV, by name."""
        selected = self.scores["selected"].map(
            lambda names: " ".join(names) if isinstance(names, tuple) else ""
        )
        return {
            "leaderboard": self.table,
            "by_scenario": self.nearest,
            "scores": self.scores.assign(selected=selected),
            "answers": self.answers,
            "failures": self.failures,
            "first_places": self.first_places,
        } | ({"published": self.published} if len(self.published) else {})

    def page(self, *, command: str | None = None, notes: Sequence[str] = ()) -> "Page":
        """The report: see `Result.page`."""
        from xcompare.studies.benchmark.page import make_page

        return make_page(self, command, notes)

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write the results of all runs, for `merged`."""
        exchange.write_results(self, path)
