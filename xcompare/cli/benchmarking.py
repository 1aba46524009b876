"""The command ``bench``: benchmark methods on data with known relevant features."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcompare.cli import options
from xcompare.cli.console import command_line, out
from xcompare.cli.option_groups import OutputWithFigures, Running
from xcompare.cli.running import deliver, fail, store_in
from xcompare.core.errors import DataError

if TYPE_CHECKING:
    from rich.table import Table

    from xcompare.studies.benchmark import Leaderboard

ScenariosArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[SCENARIO]...", help="Scenarios, listed in docs/leaderboard.md. Default: all."),
]
MethodsOption = Annotated[
    str, options.run_option(metavar="A,B,...", help="Methods (listed by: xcompare methods).")
]
TiersOption = Annotated[
    str | None,
    options.run_option(
        metavar="1,2,3",
        help="1: simulated data. 2: real data with noise features added. 3: tests that others designed."
        " Default: 1,2, or any if scenarios are named.",
    ),
]
QuickOption = Annotated[bool, options.run_option("--quick", help="Fewer scenarios and draws; takes minutes.")]
DrawsOption = Annotated[
    int | None,
    options.run_option(
        metavar="N", help="Draws per scenario. Default: 5, or 2 with --quick; fewer for large data."
    ),
]
MergeOption = Annotated[
    list[Path] | None,
    options.output_option(
        "--merge",
        metavar="FILE",
        help="results.parquet of other runs, compared on the same draws; may be repeated.",
    ),
]
PageOption = Annotated[
    Path | None,
    options.output_option(
        "--page", metavar="FILE", help="Also write a Markdown page with figures, like docs/leaderboard.md."
    ),
]

BENCH_EXAMPLES = """
Examples:

    xcompare bench --quick

    xcompare bench shared lone --methods efron,ls,random

    xcompare bench --tiers 1 --out out/simulated

    xcompare bench --methods mymodule:my_method --tiers 1,3 --merge published.parquet
"""


@dataclass(frozen=True)
class BenchRunning(Running):
    """How the runs are computed; each has a time limit."""

    timeout: Annotated[
        float,
        options.run_option(
            metavar="SECONDS", help="Time limit per run; a stopped run counts as a random ranking."
        ),
    ] = 60.0


@dataclass(frozen=True)
class BenchOutput(OutputWithFigures):
    """What is written and printed, in a folder of its own."""

    out_folder: Annotated[
        Path,
        options.output_option("--out", metavar="DIR", help="Folder for the run store and the results."),
    ] = Path("out", "bench")


def bench(
    context: typer.Context,
    running: BenchRunning,
    output: BenchOutput,
    scenarios: ScenariosArgument = None,
    methods: MethodsOption = "all",
    tiers: TiersOption = None,
    quick: QuickOption = False,
    draws: DrawsOption = None,
    merge: MergeOption = None,
    page: PageOption = None,
) -> None:
    """Benchmark the methods on data with known relevant features.

    Completed runs are saved in run.sqlite; repeating the command computes only what is missing.
    """
    import xcompare
    from xcompare.methods.own import with_own_methods
    from xcompare.studies.benchmark.document import write_document

    with store_in(output.out_folder, fresh=running.fresh, n_comparisons=None) as store:
        found = xcompare.bench(
            scenarios or "all",
            methods=with_own_methods(methods),
            tiers=None if tiers is None else _tiers(tiers),
            quick=quick,
            n_draws=draws,
            store=store,
            progress=not output.quiet,
            **running.settings(),
        )
    if merge:
        found = found.merged(*merge)
    if page is not None:
        write_document(found, page, command_line(context))
    deliver(found, context, store, output, show=lambda: show_leaderboard(found))
    if not (found.scores["status"] == "ok").any() and found.answers.empty:
        fail("no method could run: " + found.failures["message"].iloc[0])


def show_leaderboard(found: "Leaderboard") -> None:
    """Print the answer, a line per method, and failures."""
    from xcompare.cli.tables import grid
    from xcompare.studies.benchmark.families import first_place_sentences

    out.print(f"{found.answer}\n", style="bold", soft_wrap=True)
    tiers = [name for name in found.table.columns if name.startswith("auc_")]
    shown = ["rank", "auc", *tiers, "ari", "seconds"]
    heads = [">rank", ">AUC", *(f">tier {name.removeprefix('auc_')}" for name in tiers), ">ARI", ">s/run"]
    table = grid("method", *heads)
    for line in found.printed()[["method", *shown]].to_numpy().tolist():
        table.add_row(*line)
    out.print(table)
    out.print(
        "AUC: probability that a relevant feature ranks above noise; ARI: of K-means on the top features",
        style="dim",
    )
    if not found.first_places.empty:
        out.print("\nfirst places by family of scenarios:", style="bold")
        for sentence in first_place_sentences(found.first_places):
            out.print(f"  {sentence}")
    if not found.answers.empty:
        out.print("\nhow often the answer is right:", style="bold")
        out.print(_answer_table(found))
    for name, why in found.left_out.items():
        out.print(f"left out: {name}: {why}", style="yellow", soft_wrap=True)
    for row in found.failures.to_dict(orient="records"):
        said = f"{row['status']}: {row['method']} on {row['scenarios']}: {row['message']}"
        out.print(said, style="yellow", soft_wrap=True)


def _answer_table(found: "Leaderboard") -> "Table":
    """Accuracy of the answer over all scenarios with clusters, and over all without."""
    from xcompare.cli.tables import grid

    shares = found.answer_shares.loc[lambda frame: frame.index.str.startswith("all ")]
    table = grid("scenarios", *(f">{name.replace('_', ' ')}" for name in shares.columns))
    for name, line in shares.iterrows():
        numbers = [f"{value:.2f}" if value == value else "" for value in line.iloc[1:]]
        table.add_row(str(name), f"{int(line.iloc[0])}", *numbers)
    return table


def _tiers(text: str) -> list[int]:
    try:
        return [int(tier) for tier in options.split_names(text) or []]
    except ValueError:
        raise DataError(f"--tiers must be among 1, 2, 3, separated by commas; got {text!r}") from None
