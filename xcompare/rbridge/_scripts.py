"""Where the R scripts are: inside an installed package, or beside it in a checkout."""

from functools import cache
from pathlib import Path


@cache
def scripts_folder() -> Path:
    """Folder of the R scripts: the copy in the wheel first, then the checkout's ``r_scripts``."""
    package = Path(__file__).resolve().parents[1]
    candidates = (package / "r_scripts", package.parent / "r_scripts")
    for folder in candidates:
        if (folder / "common.R").is_file():
            return folder
    places = " or ".join(map(str, candidates))
    raise FileNotFoundError(f"xcompare's R scripts are not in {places}; please reinstall xcompare")


def find_script(script: str | Path) -> Path:
    """Path of a script given by its name in ``r_scripts``, or of one given by its path."""
    path = script.absolute() if isinstance(script, Path) else scripts_folder() / script
    if not path.is_file():
        there = ", ".join(sorted(file.name for file in path.parent.glob("*.R"))) or "none"
        raise FileNotFoundError(f"no R script {path.name} in {path.parent}; scripts there: {there}")
    return path
