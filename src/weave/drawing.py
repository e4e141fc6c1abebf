"""The drawings of a scene, made by the page's own code."""

import json
import re
from dataclasses import asdict
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

from cycler import cycler
from matplotlib import style
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from . import WeaveError
from .running import Workshop, blaming
from .scenes import Plot, Scene

STYLE: dict[str, Any] = {
    "axes.facecolor": "none",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "none",
    "font.size": 11,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
}
STYLE |= {
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "black",
    "grid.alpha": 0.14,
    "grid.linewidth": 0.7,
}
STYLE |= {"svg.fonttype": "none", "svg.hashsalt": "tanglegrad"}
SERIES = ["#2a7f86", "#b8505a", "#a5802b", "#7a63b5"]
STYLE["axes.prop_cycle"] = cycler(color=SERIES)
RECOLOUR = {"#000000": "currentColor"} | {
    colour: f"var(--tg-series-{number}, {colour})"
    for number, colour in enumerate(SERIES, start=1)
}
PALETTE = {
    "#1f262a": "ink",
    "#566065": "ink-2",
    "#fdfcf9": "paper",
    "#0b5f63": "petrol",
    "#a02f3a": "madder",
}


def drawn(scene: Scene, source: Path) -> list[str]:
    """The drawings of a scene as HTML; source has the package."""
    workshop, names = Workshop(source), dict[str, Any]()
    with style.context(STYLE, after_reset=True):
        workshop.run(scene.example.body, scene.example.line, names)
        return [_drawn(plot, workshop, names) for plot in scene.plots]


def _drawn(plot: Plot, shop: Workshop, names: dict[str, Any]) -> str:
    """The drawing of a plot, made with names in the workshop."""
    figure = Figure(figsize=(5, 2.9), layout="constrained")
    names |= {"fig": figure, "ax": figure.add_subplot()}
    shop.run(plot.code, plot.code_line, names)
    if picture := names.pop("picture", None):
        return graph(picture, names.pop("walks", {}))
    if not plot.alt:
        says = "a plot without a picture needs 'alt: ...'"
        raise WeaveError(f"line {plot.line}: {says}")
    with blaming(plot.line):
        return draw(figure, plot.id, plot.alt)


def draw(figure: Figure, prefix: str, alt: str) -> str:
    """The figure as SVG for a page; alt says what is to be seen.

    prefix goes before its ids, to tell them from those of others.
    """
    file, canvas = StringIO(), FigureCanvasSVG(figure)
    canvas.print_svg(file)  # type: ignore[no-untyped-call]
    drawing = file.getvalue().partition("</defs>")[2]
    drawing = re.sub(r'font-family: [^;"]*(?:; )?', "", drawing)
    for colour, name in RECOLOUR.items():
        drawing = drawing.replace(colour, name)
    drawing = _rounded(drawing)
    width, height = figure.get_size_inches() * 72
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{escape(alt)}" style="--width: {width:g}" '
        'width="100%" fill="currentColor" stroke-linejoin="round" '
        f"data-search-exclude>{_own_ids(drawing, prefix)}"
    )


def _rounded(svg: str) -> str:
    """The SVG with its coordinates in hundredths."""

    def short(tag: re.Match[str]) -> str:
        digits = re.compile(r"\d+\.\d{3,}")
        return digits.sub(lambda n: f"{float(n[0]):.2f}", tag[0])

    return re.sub(r"<[^>]*>", short, svg)


def _own_ids(svg: str, prefix: str) -> str:
    """The SVG with only those ids that are used, each after prefix."""
    svg = svg.replace("xlink:href", "href")
    used = set(re.findall(r'(?:url\(|href=")#([^")]+)', svg))

    def own(found: re.Match[str]) -> str:
        return f' id="{prefix}-{found[1]}"' if found[1] in used else ""

    svg = re.sub(r' id="([^"]+)"', own, svg)
    return re.sub(r'(url\(|href=")#', rf"\1#{prefix}-", svg)


def graph(picture: Any, walks: dict[str, Any]) -> str:
    """A drawing of the package for a page, with walks through it."""
    svg = str(picture)
    for colour, name in PALETTE.items():
        svg = svg.replace(colour, f"var(--tg-{name}, {colour})")
    told = {name: list(map(asdict, walks[name])) for name in walks}
    data = f" data-walks='{escape(json.dumps(told))}'" if walks else ""
    return f'<div class="graph"{data} data-search-exclude>{svg}</div>'
