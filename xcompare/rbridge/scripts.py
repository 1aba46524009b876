"""Location of the R scripts: inside an installed package, or beside it in a checkout."""

from functools import cache
from pathlib import Path


@cache
def scripts_folder() -> Path:
    """Folder of the R scripts: the copy in the wheel, else ``r_scripts`` of the checkout."""
    package = Path(__file__).resolve().parents[1]
    candidates = (package / "r_scripts", package.parent / "r_scripts")
    for folder in candidates:
        if (folder / "xcompare.R").is_file():
            return folder
    places = " or ".join(map(str, candidates))
    raise FileNotFoundError(f"xcompare's R scripts are not in {places}; please reinstall xcompare")
