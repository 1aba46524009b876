"""The commands ``datasets``, ``methods`` and ``doctor``."""

import contextlib
from typing import Annotated, Any

import typer

from xcompare.cli.console import out, print_json
from xcompare.cli.options import JsonOption
from xcompare.cli.status import Status
from xcompare.version import __version__

PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "joblib", "pyarrow", "matplotlib", "dask", "openpyxl")
# Optional packages: their use, and the extra that installs them.
OPTIONAL = {"dask": ("only for --scheduler", "dask"), "openpyxl": ("only for Excel files", "excel")}

# Another project's distribution with the same import name.
OTHER = "xcompare"
OTHER_FIX = (
    "another package with the import name xcompare; pip uninstall xcompare,"
    " then pip install --force-reinstall --no-deps xcompare-clustering"
)


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

    r_packages = _r_packages()
    status = rbridge.status()
    versions = rbridge.status(r_packages).packages
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
    for package, users in r_packages.items():
        if status.ok and versions[package] is None:
            out.print(f"{package} ({', '.join(users)}): {_package_fix(package)}", soft_wrap=True)
    return None


def _show_method(name: str, as_json: bool) -> None:
    """Details and options of one method."""
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


def doctor(as_json: JsonOption = False) -> None:
    """Check the installation, with a fix for each problem.

    Exit status 1 if the R engines cannot be used; the Python engines do not need them.
    """
    from rich.text import Text

    from xcompare import rbridge

    checks = [*_python_checks(), *_r_checks()]
    if as_json:
        print_json(checks)
    else:
        for check in checks:
            wrong = "problem" if check["version"] else "missing"
            mark = ("OK     ", "green") if check["ok"] else (wrong, "yellow")
            version = f" {check['version']}" if check["version"] else ""
            note = (f"  {check['note']}" if check["note"] else "", "dim")
            out.print(Text.assemble(mark, f" {check['name']}{version}", note), soft_wrap=True)
    if not rbridge.status().ok:
        raise typer.Exit(Status.FAILED)


def _python_checks() -> list[dict[str, Any]]:
    """Checks of Python and the packages xcompare depends on."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    checks = [_check("Python", platform.python_version()), _check("xcompare", __version__)]
    with contextlib.suppress(PackageNotFoundError):
        checks.append(_check(f"distribution {OTHER}", version(OTHER), OTHER_FIX, ok=False))
    for package in PACKAGES:
        try:
            checks.append(_check(package, version(package)))
        except PackageNotFoundError:
            use, extra = OPTIONAL.get(package, ("", ""))
            fix = f"{use}; pip install 'xcompare-clustering[{extra}]'" if extra else f"pip install {package}"
            checks.append(_check(package, None, fix))
    return checks


def _r_checks() -> list[dict[str, Any]]:
    """Checks of R, rpy2 and the R packages of methods, with the reason for anything missing."""
    from xcompare import rbridge

    status = rbridge.status()
    packages = _r_packages()
    versions = rbridge.status(packages).packages
    reason = status.reason or ""
    if status.r_version is None:
        install = "pip install 'xcompare-clustering[r]' after installing R"
        rpy2_note = "needs R" if status.rpy2_version else install
        return [
            _check("R", None, reason),
            _check("rpy2", status.rpy2_version, rpy2_note, ok=False),
        ]
    checks = [
        _check("R", status.r_version),
        _check("rpy2", status.rpy2_version, reason, ok=status.ok),
    ]
    for package, users in packages.items():
        note = f"for {', '.join(users)}"
        if versions[package] is None:
            note += f"; {_package_fix(package)}"
        checks.append(_check(f"R package {package}", versions[package], note))
    return checks


def _check(name: str, version: str | None, note: str = "", *, ok: bool | None = None) -> dict[str, Any]:
    return {"name": name, "ok": version is not None if ok is None else ok, "version": version, "note": note}


def _r_packages() -> dict[str, list[str]]:
    """R packages with the methods that use them."""
    from xcompare.methods import METHODS

    users: dict[str, list[str]] = {}
    for method in METHODS.values():
        for package in (*method.r_required, *method.r_preferred, *method.r_optional):
            users.setdefault(package, []).append(method.name)
    return users


def _package_fix(package: str) -> str:
    """How to install an R package, and the effect of its absence."""
    from xcompare.methods import METHODS

    if any(package in method.r_required for method in METHODS.values()):
        without = "cannot run in R without it"
    elif any(package in method.r_optional for method in METHODS.values()):
        without = "only where an option asks for it"
    else:
        without = "the reference implementation computes the same"
    return f"{without}; to install: Rscript -e 'install.packages(\"{package}\")'"


def _r_engine(method, versions) -> str | None:
    """Packages of a method's R engine; None if it cannot run."""
    if method.why_unavailable("r") is not None:
        return None
    packages = [f"{p} {versions[p]}" for p in (*method.r_required, *method.r_preferred) if versions[p]]
    return ", ".join(packages) or "reference implementation"
