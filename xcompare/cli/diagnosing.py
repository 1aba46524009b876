"""The command ``doctor``: what works, and how to get the rest."""

import contextlib
from typing import Any

import typer

from xcompare.cli.console import Status, out, print_json
from xcompare.cli.options import JsonOption
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
    packages = r_packages()
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
            note += f"; {package_fix(package)}"
        checks.append(_check(f"R package {package}", versions[package], note))
    return checks


def _check(name: str, version: str | None, note: str = "", *, ok: bool | None = None) -> dict[str, Any]:
    return {"name": name, "ok": version is not None if ok is None else ok, "version": version, "note": note}


def r_packages() -> dict[str, list[str]]:
    """R packages with the methods that use them."""
    from xcompare.methods import METHODS

    users: dict[str, list[str]] = {}
    for method in METHODS.values():
        for package in (*method.r_required, *method.r_preferred, *method.r_optional):
            users.setdefault(package, []).append(method.name)
    return users


def package_fix(package: str) -> str:
    """How to install an R package, and the effect of its absence."""
    from xcompare.methods import METHODS

    if any(package in method.r_required for method in METHODS.values()):
        without = "cannot run in R without it"
    elif any(package in method.r_optional for method in METHODS.values()):
        without = "only where an option asks for it"
    else:
        without = "the reference implementation computes the same"
    return f"{without}; to install: Rscript -e 'install.packages(\"{package}\")'"
