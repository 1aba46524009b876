"""Matplotlib figures as inline SVG, with the font and colours of the page (light or dark)."""

import io
import re
from collections.abc import Callable, Sequence
from typing import Any

import matplotlib
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from xcompare.core.escaping import error_text
from xcompare.results.report.page import Figure

# Placeholders for colours set by the style sheet.
INK, RULE = "#010203", "#020304"
FONT = "DejaVu Sans"  # bundled with matplotlib; replaced by the page's font
SETTINGS: Any = {
    "svg.fonttype": "none",  # keep text as text: small and searchable
    "svg.hashsalt": "xcompare",
    "font.sans-serif": [FONT],
    "font.size": 10,
    "axes.titlesize": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": RULE,
    "xtick.color": RULE,
    "ytick.color": RULE,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.facecolor": "none",
    "axes.titlecolor": INK,
}
RIGHT, TOP = 0.25, 0.1  # margins in inches, with space for the last tick label
LETTER, WIDEST = 0.075, 2.2  # width of a letter, and largest margin for names, in inches
NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


def figure(
    draw: Callable[[Axes], object],
    title: str,
    description: str,
    size: tuple[float, float] = (3.6, 2.6),
    left: float = 0.6,
    bottom: float = 0.5,
    top: float = TOP,
) -> Figure:
    """Draw a figure; its title becomes text of the page. Size and margins are in inches.

    Margins are fixed because text widths depend on the page's font; this is also twice as fast as a
    constrained layout.
    """
    with matplotlib.rc_context(SETTINGS):
        canvas = Canvas(figsize=size)
        box = (left / size[0], bottom / size[1], 1 - (left + RIGHT) / size[0], 1 - (bottom + top) / size[1])
        file = io.StringIO()
        try:
            axes = canvas.add_axes(box)
            draw(axes)
            axes.set_title("")
            canvas.savefig(file, format="svg", transparent=True, metadata=NO_METADATA)
        except Exception as error:  # a failing figure must not lose the report
            said = f"This figure could not be drawn: {error_text(error)}"
            return Figure(Markup("<p>{}</p>").format(said), title, said)
    return Figure(_inline(file.getvalue()), title, description)


def left_margin(names: Sequence[str]) -> float:
    """Left margin for these names, in inches."""
    return min(0.25 + LETTER * max(map(len, names), default=0), WIDEST)


def _inline(svg: str) -> Markup:
    """The SVG element without file headers and metadata.

    Matplotlib escapes all text it writes, so the SVG is safe to embed.
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(
        r"<svg [^>]*?(viewBox=\"[^\"]*\")[^>]*>", r'<svg \1 aria-hidden="true" focusable="false">', svg
    )
    # Group ids are unused and not unique across figures.
    used = set(re.findall(r"(?:url\(#|href=\"#)([^)\"]+)", svg))
    svg = re.sub(r' id="([^"]*)"', lambda match: match[0] if match[1] in used else "", svg)
    svg = svg.replace("xlink:href", "href").replace(INK, "currentColor").replace(RULE, "var(--rule)")
    # The page's security policy forbids inline styles, but not attributes.
    svg = re.sub(r"<style\b.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' style="([^"]*)"', lambda match: _attributes(match[1]), svg)
    svg = re.sub(r'="[^"]*"', lambda match: _rounded(match[0]), svg)  # coordinates, not text
    return Markup(re.sub(r">\s+<", "><", re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)))


def _attributes(style: str) -> str:
    """A style as attributes, without the font."""
    parts = (part.split(":", 1) for part in style.split(";") if ":" in part)
    pairs = [(name.strip(), value.strip()) for name, value in parts]
    return "".join(f' {name}="{value}"' for name, value in pairs if name != "font-family")


def _rounded(coordinates: str) -> str:
    """Round numbers to hundredths of a point."""
    return re.sub(r"\d+\.\d{3,}", lambda match: f"{float(match[0]):.2f}", coordinates)
