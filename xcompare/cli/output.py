"""Files a command leaves in its folder, and results as JSON."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xcompare.exceptions import DataError, UnknownNameError, XCompareError

if TYPE_CHECKING:
    import pandas as pd

    from xcompare.cli.reading import Table
    from xcompare.comparison.choosing import KChoice
    from xcompare.comparison.result import Comparison
    from xcompare.comparison.sweep import Sweep
    from xcompare.explanation.result import Explanation

FORMATS = ("csv", "latex", "markdown", "parquet")
REPORT = "report.html"


def check_formats(formats: Sequence[str] | None) -> tuple[str, ...]:
    """The formats asked for; all when None."""
    for name in formats or ():
        if name not in FORMATS:
            raise UnknownNameError(f"no format {name!r} (--format); known: {', '.join(FORMATS)}")
    return FORMATS if formats is None else tuple(formats)


@contextmanager
def store_in(folder: Path, *, fresh: bool) -> Iterator[Path]:
    """The run store of a folder, which is made when missing; if the run is refused, all is as it was.

    ``fresh`` starts another store and keeps the one there was, with its date in its name.
    """
    from xcompare.harness.store import STORE  # after the data are read: it imports all methods

    made = _make(folder)
    store = folder / STORE
    aside = _set_aside(store) if fresh and store.exists() else None
    try:
        yield store
    except XCompareError:
        with suppress(OSError):  # the folder may be gone, or no longer empty
            if aside is not None and not store.exists():
                aside.rename(store)
            for path in made:
                path.rmdir()
        raise


def write_outputs(
    comparison: "Comparison",
    folder: Path,
    formats: Sequence[str] = FORMATS,
    figures: Sequence[str] = (),
    *,
    command: str | None = None,
    notes: Sequence[str] = (),
) -> list[Path]:
    """Write a comparison in the formats asked for, its figures, and the report.

    Returns
    -------
    list of Path
        The files, in the order a reader wants them.
    """
    from xcompare.report import write_report

    files: list[Path] = []

    def file(name: str) -> Path:
        files.append(folder / name)
        return files[-1]

    if "csv" in formats:
        comparison.to_csv(file("table.csv"))
        by_method = {"std": comparison.std, "ranks": comparison.ranks}
        measured = {"clustering": comparison.clustering, "timings": comparison.timings}
        if comparison.significance is not None:
            measured["significance"] = comparison.significance.table
        if comparison.redundant_groups:
            by_method["group_importances"] = comparison.group_importances
        lists = {
            "raw": comparison.raw, "agreement": comparison.agreement(), "failures": comparison.failures,
            "intervals": comparison.intervals,
        }  # fmt: skip
        files += _write_csv(folder, {**by_method, **measured}, index=True)
        files += _write_csv(folder, lists, index=False)
    if "latex" in formats:
        comparison.to_latex(file("table.tex"))
    if "markdown" in formats:
        comparison.to_markdown(file("table.md"))
    if "parquet" in formats:
        comparison.to_parquet(file("raw.parquet"))
    # Last: what can be drawn is another matter than what was computed.
    draw_without_screen()
    report = write_report(comparison, folder / REPORT, command=command, notes=notes)
    drawn = comparison.plot.save(folder, figures) if figures else []
    return [report, *files, *drawn]


def write_sweep(
    sweep: "Sweep",
    folder: Path,
    figures: Sequence[str] = (),
    *,
    command: str | None = None,
    notes: Sequence[str] = (),
) -> list[Path]:
    """Write a sweep: its tables as CSV, every score as Parquet, its plot, and the report."""
    from xcompare.report import write_report
    from xcompare.writing import replacing

    tables = {"table": sweep.table, "std": sweep.std, "clustering": sweep.clustering}
    files = _write_csv(folder, tables, index=True)
    files += _write_csv(folder, {"raw": sweep.raw, "failures": sweep.failures}, index=False)
    files.append(folder / "raw.parquet")
    with replacing(files[-1]) as unfinished:
        sweep.raw.to_parquet(unfinished, index=False)
    draw_without_screen()
    report = write_report(sweep, folder / REPORT, command=command, notes=notes)
    drawn = sweep.plot.save(folder, figures) if figures else []
    return [report, *files, *drawn]


def write_explanation(
    explanation: "Explanation",
    folder: Path,
    figures: Sequence[str] = (),
    *,
    command: str | None = None,
    notes: Sequence[str] = (),
) -> list[Path]:
    """Write an explanation: its tables as CSV, its plots, and the report."""
    from xcompare.report import write_report

    tables = {
        "table": explanation.table, "ranks": explanation.ranks, "per_cluster": explanation.per_cluster,
        "cluster_importances": explanation.cluster_importances,
    }  # fmt: skip
    lists = {
        "intervals": explanation.intervals, "profiles": explanation.profiles,
        "agreement": explanation.agreement(), "failures": explanation.failures,
    }  # fmt: skip
    files = _write_csv(folder, tables, index=True) + _write_csv(folder, lists, index=False)
    draw_without_screen()
    report = write_report(explanation, folder / REPORT, command=command, notes=notes)
    drawn = explanation.plot.save(folder, figures) if figures else []
    return [report, *files, *drawn]


def write_choice(
    choice: "KChoice",
    folder: Path,
    figures: Sequence[str] = (),
    *,
    command: str | None = None,
    notes: Sequence[str] = (),
) -> list[Path]:
    """Write a choice of K: the criteria as CSV, the plot, and the report."""
    from xcompare.report import write_report

    files = _write_csv(folder, {"curves": choice.curves}, index=True)
    files += _write_csv(folder, {"failures": choice.failures}, index=False)
    draw_without_screen()
    report = write_report(choice, folder / REPORT, command=command, notes=notes)
    drawn = choice.plot.save(folder, figures) if figures else []
    return [report, *files, *drawn]


def _write_csv(folder: Path, frames: "Mapping[str, pd.DataFrame]", *, index: bool) -> list[Path]:
    """Write frames under their names."""
    from xcompare.comparison.export import frame_csv
    from xcompare.writing import write_text

    files = [folder / f"{name}.csv" for name in frames]
    for file, frame in zip(files, frames.values(), strict=True):
        write_text(file, frame_csv(frame, index=index))
    return files


def draw_without_screen() -> None:
    """Have matplotlib draw to files, also where there is no screen."""
    import matplotlib

    matplotlib.use("Agg")


def comparison_json(comparison: "Comparison", data: "Table", files: Sequence[Path]) -> dict[str, Any]:
    """Everything a program may want to know, apart from the single runs, which are in the files."""
    tested = comparison.significance
    return {
        "dataset": data.name,
        "n_samples": len(data.X),
        "n_clusters": comparison.plan.n_clusters,
        "features": list(comparison.feature_names),
        "normalize": comparison.normalize,
        "flip": comparison.flip,
        "answer": comparison.answer,
        "decision": asdict(comparison.decision),
        "standing_out": comparison.standing_out,
        "significance": None if tested is None else _records(tested.table.reset_index()),
        "rows": _rows(comparison),
        "intervals": _records(comparison.intervals),
        "group_importances": _records(comparison.group_importances.reset_index()),
        "clustering": _records(comparison.clustering.reset_index()),
        "timings": _records(comparison.timings.reset_index()),
        "failures": _records(comparison.failures),
        "warnings": _records(comparison.warnings),
        "notes": [*data.notes, *comparison.notes],
        "files": [str(file) for file in files],
    }


def sweep_json(sweep: "Sweep", data: "Table", files: Sequence[Path]) -> dict[str, Any]:
    """A sweep for programs: rows as those of a comparison, with the value swept over."""
    option = sweep.swept.option
    rows = [{option: value, **row} for value, found in sweep.comparisons.items() for row in _rows(found)]
    first = next(iter(sweep.comparisons.values()))
    return {
        "dataset": data.name,
        "n_samples": len(data.X),
        "n_clusters": first.plan.n_clusters,
        "features": list(first.feature_names),
        option: list(sweep.comparisons),
        "rows": rows,
        "clustering": _records(sweep.clustering.reset_index()),
        "failures": _records(sweep.failures),
        "answer": sweep.answer,
        "notes": [*data.notes, *sweep.notes],
        "files": [str(file) for file in files],
    }


def explanation_json(explanation: "Explanation", data: "Table", files: Sequence[Path]) -> dict[str, Any]:
    """An explanation for programs: rows as those of a comparison, for all clusters and for each."""
    importances = _records(explanation.cluster_importances)
    clusters = [
        {
            "cluster": name,
            "rows": rule.size,
            "rule": str(rule),
            "purity": rule.purity,
            "coverage": rule.coverage,
            "importances": scores,
        }
        for name, rule, scores in zip(explanation.clusters, explanation.rules, importances, strict=True)
    ]
    return {
        "dataset": data.name,
        "answer": explanation.answer,
        "left_out": explanation.left_out,
        "features": list(explanation.feature_names),
        "rows": _rows(explanation.overall),
        "clusters": clusters,
        "intervals": _records(explanation.intervals),
        "failures": _records(explanation.failures),
        "warnings": _records(explanation.warnings),
        "notes": list(data.notes),
        "files": [str(file) for file in files],
    }


def choice_json(choice: "KChoice", data: "Table", files: Sequence[Path]) -> dict[str, Any]:
    """A choice of K for programs: the number, the p-value of no clusters, and the criteria."""
    return {
        "dataset": data.name,
        "n_samples": len(data.X),
        "best": choice.best,
        "answer": choice.answer,
        "p_clusters": choice.p_clusters,
        "features": list(choice.features),
        "curves": _records(choice.curves.reset_index()),
        "failures": _records(choice.failures),
        "notes": list(data.notes),
        "files": [str(file) for file in files],
    }


def _rows(comparison: "Comparison") -> list[dict[str, Any]]:
    """The rows of the table, with all that is said about each."""

    def by_feature(values: Any) -> dict[str, Any]:
        return dict(zip(comparison.feature_names, values, strict=True))

    return [
        {
            "method": row.name,
            "engine": row.engine,
            "reads": row.reads,
            "normalization": row.normalization,
            "software": row.software or None,
            "runs": len(row.runs),
            "mean": by_feature(row.mean.tolist()),
            "std": by_feature(row.std.tolist()),
            "ranks": by_feature(ranks),
        }
        for row, ranks in zip(comparison.rows, comparison.ranks.to_numpy(), strict=True)
    ]


def _records(frame: "pd.DataFrame") -> list[dict[Hashable, Any]]:
    return frame.to_dict(orient="records")


def _make(folder: Path) -> list[Path]:
    """Make a folder and those above it; the ones that were not there, the innermost first."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot make the folder {folder} (--out): {error.strerror}") from None
    return new


def _set_aside(store: Path) -> Path:
    """Rename a run store after its date; a file that is no run store is refused."""
    from xcompare import list_runs

    list_runs(store)
    date = datetime.fromtimestamp(store.stat().st_mtime)
    return store.rename(store.with_name(f"run.{date:%Y%m%d-%H%M%S-%f}.sqlite"))
