"""Draw the pictures of the documentation anew: those of the gallery, and the report as a browser shows it.

    python docs/pictures.py

The gallery's pictures are what the blocks of its page write. The report needs Chromium
(``sh tests/install_browser.sh``); without one its picture stays as it is, and a line says so.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from xcompare import compare, load_dataset
from xcompare.results.report import write_report

DOCS = Path(__file__).parent
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
WIDTH, HEIGHT = 1280, 940


def draw_gallery() -> None:
    """Run the page's blocks, one after the other, in the folder that holds it."""
    page = DOCS / "gallery.md"
    scope: dict[str, object] = {"__name__": "__main__"}
    os.chdir(DOCS)
    for source in re.findall(
        r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    ):
        exec(compile(source, page.name, "exec"), scope)


def photograph_report() -> None:
    """The top of the report on wine, all methods in Python, in a window of fixed size."""
    browser = shutil.which("chromium")
    if browser is None:
        print(
            "no chromium: report.png stays as it is; to install: sh tests/install_browser.sh", file=sys.stderr
        )
        return
    with TemporaryDirectory() as folder:
        page = write_report(compare(load_dataset("wine"), engine="python"), Path(folder, "report.html"))
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        window = [f"--window-size={WIDTH},{HEIGHT}", "--hide-scrollbars", f"--user-data-dir={folder}/profile"]
        picture = Path(folder, "report.png")
        command = [browser, *flags, *window, f"--screenshot={picture}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True)
        Image.open(picture).convert("RGB").quantize(256).save(DOCS / "report.png", optimize=True)


if __name__ == "__main__":
    draw_gallery()
    photograph_report()
