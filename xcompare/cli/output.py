"""Files a command leaves in its folder, and results as JSON."""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xcompare.exceptions import DataError, UnknownNameError, XCompareError

if TYPE_CHECKING:
    import pandas as pd

    from xcompare.cli.reading import Table
    from xcompare.comparison.result import Comparison
    from xcompare.comparison.sweep import Sweep

FORMATS = ("csv", "latex", "markdown", "parquet")
STORE = "run.sqlite"
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
    made = _make(folder)
    store = folder / STORE
    aside = _set_aside(store) if fresh and store.exists() else None
    try:
        yield store
    except XCompareError:
        if aside is not None and not store.exists():
            aside.rename(store)
        for path in made:
            if not any(path.iterdir()):
                path.rmdir()
        raise


def write_outputs(
    comparison: "Comparison",
    folder: Path,
    formats: Sequence[str] = FORMATS,
    *,
    command: str | None = None,
    notes: Sequence[str] = (),
) -> list[Path]:
    """Write the report, and a comparison in the formats asked for.

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
        comparison.std.to_csv(file("std.csv"))
        comparison.ranks.to_csv(file("ranks.csv"))
        comparison.raw.to_csv(file("raw.csv"), index=False)
        comparison.clustering.to_csv(file("clustering.csv"))
        comparison.agreement().to_csv(file("agreement.csv"), index=False)
        comparison.timings.to_csv(file("timings.csv"))
        comparison.failures.to_csv(file("failures.csv"), index=False)
    if "latex" in formats:
        comparison.to_latex(file("table.tex"))
    if "markdown" in formats:
        comparison.to_markdown(file("table.md"))
    if "parquet" in formats:
        comparison.to_parquet(file("raw.parquet"))
    # Last: what can be drawn is another matter than what was computed.
    return [write_report(comparison, folder / REPORT, command=command, notes=notes), *files]


def write_sweep(
    sweep: "Sweep", folder: Path, *, command: str | None = None, notes: Sequence[str] = ()
) -> list[Path]:
    """Write a sweep: the report, its tables as CSV, every score as Parquet, and its plot."""
    import matplotlib

    from xcompare.report import write_report

    matplotlib.use("Agg")  # draws to files, also where there is no screen
    frames = {"table": sweep.table, "std": sweep.std, "clustering": sweep.clustering}
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv")
    for name, frame in {"raw": sweep.raw, "failures": sweep.failures}.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    sweep.raw.to_parquet(folder / "raw.parquet", index=False)
    figure = sweep.plot()[0].get_figure(root=True)
    assert figure is not None
    figure.savefig(folder / "sweep.png", dpi=150)
    report = write_report(sweep, folder / REPORT, command=command, notes=notes)
    names = ("table.csv", "std.csv", "clustering.csv", "raw.csv", "failures.csv", "raw.parquet", "sweep.png")
    return [report, *(folder / name for name in names)]


def comparison_json(comparison: "Comparison", data: "Table", files: Sequence[Path]) -> dict[str, Any]:
    """Everything a program may want to know, apart from the single runs, which are in the files."""

    return {
        "dataset": data.name,
        "n_samples": len(data.X),
        "n_clusters": comparison.plan.n_clusters,
        "features": list(comparison.feature_names),
        "normalize": comparison.normalize,
        "flip": comparison.flip,
        "rows": _rows(comparison),
        "clustering": _records(comparison.clustering.reset_index()),
        "timings": _records(comparison.timings.reset_index()),
        "failures": _records(comparison.failures),
        "warnings": _records(comparison.warnings),
        "notes": list(data.notes),
        "files": [str(file) for file in files],
    }


def sweep_json(sweep: "Sweep", data: "Table", files: Sequence[Path]) -> dict[str, Any]:
    """A sweep for programs: rows as those of a comparison, with the size of the subspace."""
    rows = [
        {"max_features": size, **row} for size, found in sweep.comparisons.items() for row in _rows(found)
    ]
    any_size = next(iter(sweep.comparisons.values()))
    return {
        "dataset": data.name,
        "n_samples": len(data.X),
        "n_clusters": any_size.plan.n_clusters,
        "features": list(any_size.feature_names),
        "max_features": list(sweep.comparisons),
        "rows": rows,
        "clustering": _records(sweep.clustering.reset_index()),
        "failures": _records(sweep.failures),
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
