"""Detect R, rpy2 and installed R packages, with instructions for what is missing.

rpy2 is not imported in this process, as a broken installation can crash the interpreter.
"""

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from xcompare.core import worker_folders
from xcompare.core.worker import SUPPORTED, python_environment

STILL_WORKS = 'Everything with engine="python" works without it.'
# By default R reads profiles and environment files of the working directory, where R_LIBS could load other
# packages. Files that the user names in these variables are still read.
NO_USER_FILES = {"R_PROFILE_USER": "", "R_ENVIRON_USER": ""}
PROBE_LIMIT = 120.0  # seconds; R takes 0.2 on an idle machine


@dataclass(frozen=True)
class RStatus:
    """Availability of R."""

    ok: bool  # whether R works through rpy2, with all requested packages
    reason: str | None  # if not: what is missing, what works without it and how to install it
    # r_version, rpy2_version: None if not found
    r_version: str | None = None
    rpy2_version: str | None = None
    # Version of each requested package; None if not installed
    packages: dict[str, str | None] = field(default_factory=dict)
    libraries: tuple[Path, ...] = ()  # R's library folders


def status(packages: Iterable[str] = ()) -> RStatus:
    """Availability of R on this machine; takes about 0.2 s the first time and is cached.

    ``packages``: R packages that are required.
    """
    found = detect()
    versions = {package: package_version(package, found.libraries) for package in packages}
    reason = found.reason or missing_packages(versions)
    return replace(found, ok=reason is None, reason=reason, packages=versions)


@cache
def detect() -> RStatus:
    """R, rpy2 and R's library folders, without packages."""
    if not SUPPORTED:
        return RStatus(False, f"The R engines need Linux or macOS. {STILL_WORKS}")
    rscript, rpy2_version = find_rscript(), find_rpy2()
    if rscript is None:
        home = os.environ.get("R_HOME")
        where = f"in R_HOME, which is set to {home}" if home else "on PATH"
        reason = (
            f"R is not installed, or not {where}. {STILL_WORKS} To use R: install R 4.2 or later "
            "(Debian and Ubuntu: apt install r-base-dev r-cran-randomforest; elsewhere: from CRAN), "
            "then: pip install 'xcompare-clustering[r]'"
        )
        return RStatus(False, reason, rpy2_version=rpy2_version)
    folder = worker_folders.make()  # R leaves a temporary folder behind when killed
    try:
        return _asked(rscript, rpy2_version, folder)
    finally:
        worker_folders.remove(folder)


def _asked(rscript: str, rpy2_version: str | None, folder: Path) -> RStatus:
    """Query R and rpy2 in simultaneous subprocesses, with temporary files in the folder."""
    question = 'writeLines(c(paste(R.version$major, R.version$minor, sep = "."), .libPaths()))'
    r = _start(folder, rscript, "--no-init-file", "-e", f'cat("xcompare\\n"); {question}')
    embedded = "import rpy2.rinterface_lib.embedded"
    rpy2 = _start(folder, sys.executable, "-P", "-c", embedded) if rpy2_version else None
    r_output, r_errors = _finish(r)
    rpy2_errors = _finish(rpy2)[1] if rpy2 else ""
    if r.returncode != 0:
        return RStatus(False, f"R is installed but does not start: {r_errors}. {STILL_WORKS}")
    # A site profile may print something first.
    r_version, *libraries = r_output.partition("xcompare\n")[2].splitlines()
    reason = None
    if rpy2 is None:
        reason = (
            f"R {r_version} is installed, but rpy2 is not. {STILL_WORKS} To use R: {install_rpy2(r_version)}"
        )
    elif rpy2.returncode != 0:
        repair = install_rpy2(r_version, "--force-reinstall --no-cache-dir ")
        reason = (
            f"rpy2 {rpy2_version} cannot be used with R {r_version}: {rpy2_errors}. {STILL_WORKS} "
            f"To repair it: {repair}"
        )
    return RStatus(reason is None, reason, r_version, rpy2_version, libraries=tuple(map(Path, libraries)))


def find_rscript() -> str | None:
    """Path of Rscript: in ``R_HOME`` if set, as for rpy2, else on PATH."""
    home = os.environ.get("R_HOME")
    if home:
        return shutil.which("Rscript", path=str(Path(home, "bin")))
    return shutil.which("Rscript") if shutil.which("R") else None


def find_rpy2() -> str | None:
    """Version of rpy2's compiled part, which must match R; None if not installed."""
    if importlib.util.find_spec("rpy2") is None:
        return None
    for distribution in ("rpy2-rinterface", "rpy2"):  # one package up to 3.5, two since
        try:
            return importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


def package_version(package: str, libraries: tuple[Path, ...]) -> str | None:
    """Version of an R package in R's library folders; None if not installed."""
    for library in libraries:
        description = library / package / "DESCRIPTION"
        if description.is_file():
            found = re.search(r"^Version:\s*(\S+)", description.read_text(errors="replace"), re.MULTILINE)
            return found[1] if found else "unknown"
    return None


def install_rpy2(r_version: str, options: str = "") -> str:
    """pip command for a compatible rpy2: 3.6.6 needs R 4.5, and R 4.6 needs 3.6.7."""
    if [int(number) for number in re.findall(r"\d+", r_version)] < [4, 6]:
        return f"pip install {options}'rpy2-rinterface<3.6.6' 'rpy2-robjects>=3.6.4,<3.7'"
    return f"pip install {options}'rpy2>=3.6.9'"


def missing_packages(versions: dict[str, str | None]) -> str | None:
    """Message: R packages that are not installed; None if all are."""
    missing = [package for package, version in versions.items() if version is None]
    if not missing:
        return None
    listed = ", ".join(missing)
    quoted = ", ".join(f'"{package}"' for package in missing)
    noun, them = ("package", "it") if len(missing) == 1 else ("packages", "them")
    return (
        f"the R {noun} {listed} {'is' if len(missing) == 1 else 'are'} not installed. {STILL_WORKS} "
        f"To install {them}: Rscript -e 'install.packages(c({quoted}))'"
    )


def _start(folder: Path, *command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=NO_USER_FILES | python_environment() | {"TMPDIR": str(folder)},
    )


def _finish(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Output, and the last line of the error output, where Python and R put the message."""
    try:
        output, errors = process.communicate(timeout=PROBE_LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "", f"no answer within {PROBE_LIMIT:g} s"
    return output, errors.strip().rpartition("\n")[2].rstrip(".")
