"""The leaderboard: every method, over all scenarios of a benchmark."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from xcompare.core.escaping import for_latex
from xcompare.core.writing import write_text
from xcompare.harness.plan import registered
from xcompare.results.plots.files import save_figures
from xcompare.results.plots.style import DASH
from xcompare.results.recommendation import DESCRIPTION
from xcompare.results.result import Result, records
from xcompare.studies.benchmark import ranking
from xcompare.studies.benchmark.collect import TRUTH, stability_of
from xcompare.studies.benchmark.protocol import BenchmarkEffort
from xcompare.studies.benchmark.scenarios import SCENARIOS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xcompare.results.report import Page

AT_RANDOM = {"auc": 0.5, "ari": 0.0}  # what no result counts as
LOST = 0.7  # mean AUC below which a method has lost a scenario
BEHIND = 0.05  # behind the best by this much, too


@dataclass(frozen=True, eq=False)
class Leaderboard(Result):
    """Who finds the features that matter. Made by `bench`.

    Attributes
    ----------
    effort : BenchmarkEffort
        How often everything was drawn.
    random_state : int
    scores : DataFrame
        Every run, judged: see `xcompare.studies.benchmark.collect.judge_runs`.
    answers : DataFrame
        The answer that users read, draw by draw: see `xcompare.studies.benchmark.collect.judge_answers`.
    described : DataFrame
        Size and shape of the data of each scenario: see `xcompare.results.recommendation.describe`.
    left_out : dict of str to str
        Scenarios that could not be drawn here, with the reason.
    versions : dict of str to str
        Software that computed it.
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
        """The methods that were compared, without the truth."""
        return [name for name in dict.fromkeys(self.scores["method"]) if name != TRUTH]

    def by_scenario(self, measure: str = "auc") -> pd.DataFrame:
        """Mean of a measure over the draws: scenarios by methods; NaN where a method has no result."""
        table = self.scores.pivot_table(measure, "scenario", "method", "mean", dropna=False, sort=False)
        order = [name for name in SCENARIOS if name in table.index]
        return table.reindex(index=order, columns=[TRUTH, *self.methods])

    @cached_property
    def results(self) -> pd.DataFrame:
        """Mean AUC by scenario and method, without the truth; a run without a result counts as random: .5."""
        filled = self.scores.assign(auc=self.scores["auc"].fillna(AT_RANDOM["auc"]))
        table = filled.pivot_table("auc", "scenario", "method", "mean", sort=False)
        return table.reindex(index=self.by_scenario().index, columns=self.methods)

    @cached_property
    def table(self) -> pd.DataFrame:
        """The leaderboard: a row per method, the best average rank first, the truth above all.

        Returns
        -------
        DataFrame
            ``rank`` (average over scenarios, by AUC), ``auc`` (mean over scenarios), ``auc_1``, ``auc_2`` (of
            each tier), ``lowest`` (smallest mean AUC of a scenario) and ``at`` (which), ``precision``,
            ``noise_above``, ``ari``, ``own_ari``, ``stability``, ``seconds`` (median of a run), ``memory``
            (MiB, the most a run took), ``no_result`` (runs without one).
        """
        scores = self.scores.assign(**{name: self.scores[name].fillna(v) for name, v in AT_RANDOM.items()})
        means = scores.groupby(["scenario", "tier", "method"], sort=False)[
            ["auc", "precision", "noise_above", "ari", "own_ari"]
        ].mean()
        by_method = means.groupby("method", sort=False)
        table = by_method.mean()
        for tier, part in means.groupby("tier"):
            table[f"auc_{tier}"] = part.groupby("method")["auc"].mean()
        results = self.results.assign(**{TRUTH: 1.0})
        if len(results):
            table["lowest"], table["at"] = results.min(), results.idxmin()
            table.loc[TRUTH, "at"] = None
        table["rank"] = self.ranks
        table["stability"] = stability_of(self.scores).groupby("method").mean()
        ran = self.scores[self.scores["status"] == "ok"]
        table["seconds"] = ran.groupby("method")["seconds"].median()
        table["memory"] = ran.groupby("method")["memory"].max()
        table["no_result"] = (self.scores["status"] != "ok").groupby(self.scores["method"]).sum()
        columns = ["rank", "auc", "auc_1", "auc_2", "lowest", "at", "precision", "noise_above", "ari",
                   "own_ari", "stability", "seconds", "memory",
                   "no_result"]  # fmt: skip
        order = [TRUTH, *self.ranks.index, *(name for name in self.methods if name not in self.ranks.index)]
        table = table.reindex(index=[name for name in order if name in table.index], columns=columns)
        return table.rename_axis("method").astype({"no_result": "Int64"})

    @cached_property
    def ranks(self) -> pd.Series:
        """Average rank of each method over the scenarios with clusters, the best first."""
        return ranking.average_ranks(self.results)

    @property
    def friedman(self) -> ranking.Friedman | None:
        """Whether the methods differ at all; None with fewer than three methods or two scenarios."""
        enough = self.results.shape[0] >= 2 and self.results.shape[1] >= 3
        return ranking.friedman(self.results) if enough else None

    @property
    def critical_difference(self) -> float | None:
        """Difference of average ranks from which two methods differ, by Nemenyi's test at .05."""
        if self.friedman is None:
            return None
        return ranking.critical_difference(len(self.methods), len(self.results))

    @cached_property
    def against_best(self) -> pd.DataFrame | None:
        """The method ranked first against each other: `ranking.against_best`, with Wilcoxon's p-values.

        None with too few methods or scenarios, or without ``xcompare-clustering[leaderboard]``.
        """
        pairs = self.pairs
        if pairs is None:
            return None
        found = ranking.against_best(self.results)
        p_values = {frozenset(names): p for *names, _, p in pairs.itertuples(index=False)}
        both = zip(found["method"], found["other"], strict=True)
        return found.assign(p_wilcoxon=[p_values[frozenset(names)] for names in both])

    @cached_property
    def pairs(self) -> pd.DataFrame | None:
        """Every two methods: `ranking.pairwise`; None as for `against_best`."""
        if self.friedman is None or find_spec("scikit_posthocs") is None or find_spec("baycomp") is None:
            return None
        return ranking.pairwise(self.results)

    @property
    def answer_shares(self) -> pd.DataFrame:
        """How often the answer is right, by scenario and over those with and without clusters.

        Returns
        -------
        DataFrame
            ``draws``, shares of each outcome (``found``, ``no evidence``, ``cannot tell``), and means of
            ``first_named``, ``all_named``, ``recall`` and ``precision`` (the last two where clusters are
            found).
        """
        answers = self.answers.assign(
            recall=self.answers["recall"].where(self.answers["outcome"] == "found"),
            precision=self.answers["precision"].where(self.answers["outcome"] == "found"),
        )
        kinds = answers["empty"].map({True: "all without clusters", False: "all with clusters"})
        parts = [
            _answer_means(answers, answers[by] if by == "scenario" else kinds)
            for by in ("scenario", "kind")
            if len(answers)
        ]
        return pd.concat(parts) if parts else pd.DataFrame()

    @property
    def about(self) -> pd.DataFrame:
        """What each scenario is: its tier, size, what it is about, and what counts as relevant."""
        rows = [(SCENARIOS[str(name)], line) for name, line in self.described.to_dict(orient="index").items()]
        return pd.DataFrame(
            [
                (row.name, row.tier, int(line["n_samples"]), int(line["n_features"]), row.about, row.relevant)
                for row, line in rows
            ],
            columns=["scenario", "tier", "rows", "features", "about", "a feature is relevant"],
        )

    @property
    def failures(self) -> pd.DataFrame:
        """Runs without a result: method, status, message, scenarios and how many runs."""
        failed = self.scores[self.scores["status"] != "ok"]
        grouped = failed.groupby(["method", "status", "message"], sort=False)
        found = grouped["scenario"].agg(scenarios=lambda some: ", ".join(dict.fromkeys(some)), runs="size")
        return found.reset_index()

    def lost(self, methods: Sequence[str]) -> pd.Series:
        """Scenarios in which the best of these methods is below .7 and well behind the best of all."""
        best = self.results[list(methods)].max(axis=1)
        behind = self.results.max(axis=1) - best
        return best[(best < LOST) & (behind >= BEHIND)].sort_values()

    def family(self, name: str) -> list[str]:
        """The methods of a family that were compared."""
        return [method for method in self.methods if registered(method).family == name]

    @property
    def answer(self) -> str:
        """Who is best, in a sentence or two."""
        if self.results.empty:
            return "No scenario with clusters was asked for."
        first = self.ranks.index[0]
        said = (
            f"Over {len(self.results)} scenarios {first} finds the relevant features best: average rank"
            f" {self.ranks.iloc[0]:.1f} of {len(self.methods)}, mean AUC {self.table.loc[first, 'auc']:.2f}."
        )
        difference = self.critical_difference
        if difference is not None:
            near = [
                name for name in self.ranks.index[1:] if self.ranks[name] - self.ranks.iloc[0] < difference
            ]
            return f"{said} {_told_apart(near)}"
        return said

    @property
    def nearest(self) -> pd.DataFrame:
        """What `xcompare.io.datasets.leaderboard` holds: scenarios, what their data are like, mean AUCs."""
        table = self.results.where(self.by_scenario()[self.methods].notna())
        tiers = pd.Series({name: SCENARIOS[name].tier for name in table.index}, name="tier", dtype=int)
        described = self.described.reindex(table.index)[DESCRIPTION]
        return pd.concat([tiers, described, table], axis=1).rename_axis("scenario")

    def to_latex(self, path: str | PathLike[str]) -> None:
        """The leaderboard as a table for papers, the best of each column in bold."""
        write_text(path, latex(self.printed()))

    def printed(self) -> pd.DataFrame:
        """The leaderboard as text: two decimals, a dash where there is nothing."""
        texts = self.table.apply(lambda column: column.map(_text))
        texts["seconds"] = self.table["seconds"].map(lambda s: DASH if pd.isna(s) else f"{s:.2g}")
        return texts.reset_index()

    def figures(self) -> "dict[str, Figure]":
        """The pictures by name: heat map, critical differences, accuracy against seconds."""
        from xcompare.results.plots import leaderboards

        if self.results.empty:
            return {}
        values = self.by_scenario()[[TRUTH, *self.ranks.index]]
        axes: dict[str, Any] = {
            "scenarios": leaderboards.scenario_map(values),
            "time": leaderboards.accuracy_by_time(self.table),
        }
        difference = self.critical_difference
        if difference is not None:
            groups = ranking.alike(self.ranks, difference)
            axes["ranks"] = leaderboards.critical_differences(self.ranks, groups, difference)
        return {name: ax.get_figure(root=True) for name, ax in axes.items()}

    formats = ("csv", "latex")

    def to_dict(self) -> dict[str, Any]:
        """The benchmark as dicts, lists, strings and numbers: the leaderboard, and every scenario."""
        table = self.table.reset_index()
        return {
            "answer": self.answer,
            "leaderboard": records(table.astype(object).where(table.notna(), None)),
            "auc": self.by_scenario("auc").to_dict(orient="index"),
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
        }

    def page(self, *, command: str | None = None, notes: Sequence[str] = ()) -> "Page":
        """The report: see `Result.page`."""
        from xcompare.studies.benchmark.page import make_page

        return make_page(self, command, notes)

    def save_figures(self, folder: Path, formats: Sequence[str]) -> list[Path]:
        """Save the figures in these formats."""
        return save_figures(self.figures(), folder, formats)

    def _save_tables(self, folder: Path, name: str) -> list[Path]:
        if name == "csv":
            return super()._save_tables(folder, name)
        self.to_latex(folder / "leaderboard.tex")
        return [folder / "leaderboard.tex"]


def _answer_means(answers: pd.DataFrame, by: pd.Series) -> pd.DataFrame:
    """Means over the draws of each group, in the order they come."""
    outcomes = {name: (answers["outcome"] == name).groupby(by, sort=False).mean()
                for name in ("found", "no evidence", "cannot tell")}  # fmt: skip
    measures = answers.groupby(by, sort=False)[["first_named", "all_named", "recall", "precision"]].mean()
    draws = answers.groupby(by, sort=False).size().rename("draws")
    return pd.concat([draws, pd.DataFrame(outcomes), measures], axis=1).rename_axis("scenario")


def _told_apart(near: Sequence[str]) -> str:
    if not near:
        return "No other method comes within the critical difference (Nemenyi, .05)."
    return f"Not told apart from it (Nemenyi, .05): {', '.join(near)}."


def _text(value: object) -> str:
    if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return DASH
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def latex(printed: pd.DataFrame) -> str:
    """A frame of texts as a LaTeX table."""
    lines = [list(printed.columns), *printed.to_numpy().tolist()]
    rows = [" & ".join(for_latex(str(cell).replace(DASH, "--")) for cell in line) + r" \\" for line in lines]
    return "\n".join(
        [
            r"\begin{table}",
            r"\caption{Which methods find the relevant features: the benchmark of xcompare}",
            rf"\begin{{tabular}}{{l{'r' * (printed.shape[1] - 1)}}}",
            r"\toprule",
            rows[0],
            r"\midrule",
            *rows[1:],
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )
