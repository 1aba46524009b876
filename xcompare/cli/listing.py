"""The commands ``datasets`` and ``methods``."""

from typing import Annotated, Any

import typer

from xcompare.cli.console import out, print_json
from xcompare.cli.diagnosing import package_fix, r_packages
from xcompare.cli.options import JsonOption
from xcompare.version import __version__


def datasets(as_json: JsonOption = False) -> None:
    """List the bundled datasets."""
    from xcompare.cli.tables import grid
    from xcompare.io.datasets import DATASETS, load_dataset

    rows: list[dict[str, Any]] = []
    for name, row in DATASETS.items():
        dataset = load_dataset(name)
        rows.append(
            {
                "name": name,
                "rows": dataset.X.shape[0],
                "features": dataset.X.shape[1],
                "clusters": dataset.n_clusters,
                "drawn": row.drawn,
                "about": row.summary,
            }
        )
    if as_json:
        return print_json(rows)
    table = grid("dataset", ">rows", ">features", ">clusters", "about")
    for entry in rows:
        name = f"{entry['name']} *" if entry["drawn"] else entry["name"]
        counts = (str(entry[key]) for key in ("rows", "features", "clusters"))
        table.add_row(name, *counts, entry["about"])
    out.print(table)
    out.print("* simulated: depends on --seed", style="dim")
    return None


NameArgument = Annotated[
    str | None, typer.Argument(metavar="[NAME]", help="Show one method with its options.")
]


def methods(name: NameArgument = None, as_json: JsonOption = False) -> None:
    """List the methods with their engines and versions, and how to install missing ones."""
    if name is not None:
        return _show_method(name, as_json)
    from xcompare import rbridge
    from xcompare.cli.tables import grid
    from xcompare.methods import METHODS

    packages = r_packages()
    status = rbridge.status()
    versions = rbridge.status(packages).packages
    rows: list[dict[str, Any]] = [
        {
            "name": method.name,
            "title": method.title,
            "default": method.default,
            "larger_is_better": method.larger_is_better,
            "normalization": method.normalization,
            "python": f"xcompare {__version__}" if "python" in method.engines else None,
            "r": _r_engine(method, versions),
            "r_missing": method.why_unavailable("r"),
            "options": list(method.options),
            "reference": method.reference,
        }
        for method in METHODS.values()
    ]
    if as_json:
        return print_json(rows)
    table = grid("method", "important is", "scaled by", "Python engine", "R engine")
    for entry in rows:
        table.add_row(
            entry["name"] if entry["default"] else f"{entry['name']} *",
            "larger" if entry["larger_is_better"] else "smaller",
            entry["normalization"],
            entry["python"] or "-",
            entry["r"] or "-",
        )
    out.print(table)
    out.print("* not run by default: name it, or --methods all", style="dim")
    if status.reason is not None:
        out.print(f"R engines: {status.reason}", soft_wrap=True)
    for package, users in packages.items():
        if status.ok and versions[package] is None:
            out.print(f"{package} ({', '.join(users)}): {package_fix(package)}", soft_wrap=True)
    return None


def _show_method(name: str, as_json: bool) -> None:
    from xcompare.cli.tables import grid
    from xcompare.methods import get_method

    method = get_method(name)
    options = [
        {
            "option": one.name,
            "allowed": one.allowed,
            "default": method.default_of(one.name),
            "meaning": one.meaning,
        }
        for one in method.options.values()
    ]
    facts = {
        "name": method.name,
        "title": method.title,
        "family": method.family,
        "engines": list(method.engines),
        "larger_is_better": method.larger_is_better,
        "normalization": method.normalization,
        "reference": method.reference,
    }
    if as_json:
        return print_json({**facts, "options": [{**one, "default": str(one["default"])} for one in options]})
    reads = "larger" if method.larger_is_better else "smaller"
    out.print(f"{method.name}: {method.title}", style="bold")
    out.print(
        f"important is {reads}; engines: {', '.join(method.engines)}; {method.reference}\n", soft_wrap=True
    )
    table = grid("option", "default", "allowed", "meaning")
    for one in options:
        table.add_row(one["option"], repr(one["default"]), one["allowed"], one["meaning"])
    out.print(table if options else "no options")
    return None


def _r_engine(method, versions) -> str | None:
    """Packages of a method's R engine; None if it cannot run."""
    if method.why_unavailable("r") is not None:
        return None
    packages = [f"{p} {versions[p]}" for p in (*method.r_required, *method.r_preferred) if versions[p]]
    return ", ".join(packages) or "reference implementation"
