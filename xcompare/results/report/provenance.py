"""Sections on provenance: failures, software, seeds, and how to reproduce the results."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from xcompare.harness.plan import registered
from xcompare.harness.preparation import prepare
from xcompare.io.datasets import DATASETS, load_dataset
from xcompare.results.report.page import Block, Cell, Details, Section, Table, code, listed, text
from xcompare.results.runs import versions

if TYPE_CHECKING:
    from xcompare.results.choosing_k import KChoice
    from xcompare.results.comparison import Comparison
    from xcompare.results.explanation import Explanation
    from xcompare.results.sweep import Sweep

COLUMNS = {"max_features": "m", "n_clusters": "K", "method": "Method", "engine": "Engine",
           "status": "Status", "runs": "Runs", "message": "Why"}  # fmt: skip
SCALED = {"none": "as computed", "max": "by maximum", "minmax": "from 0 to 1"}


def failures_section(failures: pd.DataFrame, warnings: pd.DataFrame | None) -> Section | None:
    """Failures and warnings; None if there are none."""
    blocks: list[Block] = []
    if not failures.empty:
        shown = failures.rename(columns=COLUMNS)
        blocks.append(Table.of(shown, "Failed runs. Other methods are not affected."))
    if warnings is not None and not warnings.empty:
        shown = warnings.rename(columns=COLUMNS | {"message": "Warning"})
        table = Table.of(shown, "Warnings by method.")
        blocks.append(Details(f"Warnings ({len(warnings)})", (table,)))
    title = "Warnings" if failures.empty else "Failures and warnings"
    return Section("failures", title, tuple(blocks)) if blocks else None


def repeat_section(comparisons: "Sequence[Comparison]", command: str | None, call: Sequence[str]) -> Section:
    """Software, seeds, and the command that reproduces the results."""
    first = comparisons[0]
    seen = versions(result for comparison in comparisons for result in comparison.results.values())
    mixed = any(len(some) > 1 for some in seen.values())
    software = f"{_named_versions(seen)}.{' Runs were computed with different versions.' if mixed else ''}"
    references = dict.fromkeys(registered(row.method).reference for row in first.plan.rows)
    return _repeat_section(
        command,
        call,
        text(
            f"The seed is {first.plan.random_state}. The seed of each run is derived from it, the data, the"
            " method and the run number: results do not depend on other methods or the number of cores."
        ),
        _method_table(first),
        text(f"Software: {software}"),
        Details("Seeds of all runs", (_seed_table(first),)),
        Details("References", (listed(list(references)),)),
    )


def repeat_choice_section(choice: "KChoice", command: str | None) -> Section:
    """Software, seed, and the call that reproduces the results."""
    plan = choice.plan
    call = [
        "import xcompare",
        f"X = ...  # the data, {len(choice.feature_names)} columns",
        *_call(
            "choose_k",
            [f"ks={plan.rows[0].options['ks']}", f"random_state={plan.random_state}", *_columns(choice)],
        ),
    ]
    seen = _named_versions(choice.versions)
    return _repeat_section(command, call, text(f"The seed is {plan.random_state}. Software: {seen}."))


def _repeat_section(command: str | None, call: Sequence[str], *more: Block) -> Section:
    terminal = [] if command is None else [text("In a terminal:"), code([command])]
    blocks = (*terminal, text("In Python:"), code(call), *more)
    return Section("repeat", "How to repeat it", blocks)


def _named_versions(seen: Mapping[str, Sequence[str]]) -> str:
    return ", ".join(f"{name} {' and '.join(some)}" for name, some in seen.items()) or "unknown"


def _method_table(comparison: "Comparison") -> Table:
    timings = comparison.timings
    lines = []
    for row in comparison.method_rows:
        key = comparison.key(row)
        seconds = f"{timings['mean'][key]:.3g}" if key in timings.index else "–"
        lines.append(
            (
                Cell(comparison.label(row)),
                Cell(row.name),
                Cell(row.reads.split()[0]),
                Cell(SCALED[row.normalization]),
                Cell(str(len(row.runs)), number=True),
                Cell(seconds, number=True),
                Cell(row.software or "–"),
            )
        )
    heads = ("Method", "Name", "Important is", "Scaled", "Runs", "Seconds a run", "Software")
    return Table("Software and direction of each row.", heads, tuple(lines))


def _seed_table(comparison: "Comparison") -> Table:
    plan = comparison.plan
    rows = [
        {
            "Method": row.method,
            "Engine": row.engine,
            "Options": ", ".join(f"{name}={value}" for name, value in row.options.items()) or "defaults",
            "Seeds": ", ".join(str(unit.seed) for unit in plan.units_of(row)),
        }
        for row in plan.all_rows
    ]
    return Table.of(pd.DataFrame(rows), "Seeds, in the order of the runs.")


def python_call(comparison: "Comparison", sweep: "Sweep | None" = None) -> list[str]:
    """A call that reproduces a comparison, or the sweep that it is the first of."""
    plan = comparison.plan
    option = "" if sweep is None else sweep.swept.option
    engines = {row.engine for row in plan.rows}
    arguments = [] if option == "n_clusters" else [f"n_clusters={plan.n_clusters}"]
    arguments += [] if sweep is None else [f"{option}={list(sweep.comparisons)}"]
    arguments += [
        f"methods={list(dict.fromkeys(row.method for row in plan.rows))}",
        f"engine={'both' if len(engines) > 1 else next(iter(engines))!r}",
        f"n_runs={'auto' if plan.as_needed else max(row.n_runs for row in plan.rows)!r}",
        f"random_state={plan.random_state}",
        *_columns(comparison),
    ]
    options = {
        row.method: {name: value for name, value in row.options.items() if name != option}
        for row in plan.rows
    }
    if any(options.values()):
        arguments.append(f"options={ {method: given for method, given in options.items() if given} }")
    return [*_data_lines(comparison), *_call("compare" if sweep is None else "sweep", arguments)]


def python_explain_call(explanation: "Explanation") -> list[str]:
    """A call of `explain` that reproduces the results."""
    plan = explanation.overall.plan
    arguments = [
        "labels",
        f"measures={[row.method for row in plan.rows]}",
        f"n_runs={max(row.n_runs for row in plan.rows)}",
        f"n_bootstraps={explanation.resampled.plan.rows[0].n_runs}",
        f"random_state={plan.random_state}",
        *_columns(explanation.overall),
    ]
    further = {one.reference for one in explanation.contrasts[len(explanation.clusters) :]}
    if further:
        names = explanation.overall.info.label_names
        given = [names[code] for code in next(iter(further))] if len(further) == 1 else "each"
        arguments.append(f"reference={given!r}")
    if explanation.tested is not None:
        arguments.append(f"validate={explanation.tested.clusterer!r}")
    return ["import xcompare", "", "# X and labels: the data and the cluster of each row.",
            *_call("explain", arguments)]  # fmt: skip


def _call(function: str, arguments: Sequence[str]) -> list[str]:
    return [f"found = xcompare.{function}(", "    X,", *(f"    {argument}," for argument in arguments), ")"]


def _columns(found: "Comparison | KChoice") -> list[str]:
    """The arguments for columns that are no features: weights, which the reader has, and described ones."""
    weights = ["sample_weight=weights"] if found.plan.weighted else []
    described = found.info.described
    groups = [f"feature_groups={found.info.groups}"] if found.info.groups else []
    return [*weights, *([f"describe={list(described)}"] if described else []), *groups]


def _data_lines(comparison: "Comparison") -> list[str]:
    """Code that loads the data: a bundled dataset, or a placeholder."""
    plan, name = comparison.plan, comparison.name
    if name in DATASETS:
        dataset = load_dataset(name, seed=plan.random_state)
        if prepare(dataset, None).fingerprint == plan.fingerprint:
            return ["import xcompare", f"X = xcompare.load_dataset({name!r}, seed={plan.random_state})"]
    return [
        "import xcompare",
        f"X = ...  # the data, {len(comparison.feature_names)} columns; y_true=... to evaluate partitions",
    ]
