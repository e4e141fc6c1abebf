"""Figures, drawn by the page's own code while the page is built."""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict
from html import escape
from io import StringIO
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree.ElementTree import Element

from cycler import cycler
from markdown import Markdown
from markdown.treeprocessors import Treeprocessor
from matplotlib import style
from matplotlib.figure import Figure

from . import WeaveError
from .book import Book
from .fences import PLOT, Fence, read
from .running import Workshop, blaming

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


class Gallery:
    """The figures of one page, with the examples that they draw from."""

    def __init__(
        self, md: Markdown, fences: Iterable[Fence], root: Path
    ) -> None:
        self.md = md
        self.root = root
        self.examples = [f for f in fences if f.kind == "example"]
        self.names: dict[int, dict[str, Any]] = {}
        self.workshop = Workshop(root / "src")
        self.count = 0

    def _names_above(self, plot: Fence) -> dict[str, Any]:
        """The names that the nearest example above the plot defines."""
        above = [e for e in self.examples if e.line < plot.line]
        if not above:
            raise WeaveError(f"line {plot.line}: no example above the plot")
        example = above[-1]
        if example.line not in self.names:
            names: dict[str, Any] = {}
            self.workshop.run(example.body, example.line, names)
            self.names[example.line] = names
        return self.names[example.line]

    def hang(self, plot: Fence) -> list[str]:
        """The plot as lines of Markdown, with the drawing in the stash."""
        parts = PLOT.fullmatch(plot.body)
        if not parts:
            raise WeaveError(
                f"line {plot.line}: a plot begins with 'caption: ...', "
                "'alt: ...' and '---', each on a new line"
            )
        caption = " ".join(parts["caption"].split())
        alt = " ".join((parts["alt"] or "").split())
        line = plot.line + plot.body[: parts.start("code")].count("\n")
        with style.context(STYLE, after_reset=True):
            figure = Figure(figsize=(5, 2.9), layout="constrained")
            names = self._names_above(plot)
            names |= {"fig": figure, "ax": figure.add_subplot()}
            self.workshop.run(parts["code"], line, names)
            self.count += 1
            with blaming(plot.line):
                drawing = draw(figure, f"plot-{self.count}", alt)
            if picture := names.pop("picture", None):
                drawing = graph(picture, names.pop("walks", {}))
            elif not alt:
                says = "a plot without a picture needs 'alt: ...'"
                raise WeaveError(f"line {plot.line}: {says}")
        head = '<figure class="plot" markdown="1">'
        if name := parts["name"]:
            head = f'<figure class="plot" id="figure-{name}" markdown="1">'
            caption = f"{self._number(name)}{caption}"
        return [
            head,
            self.md.htmlStash.store(f'<div class="drawn">{drawing}</div>'),
            f'<figcaption markdown="span">{caption}</figcaption>',
            '<details class="drawing" markdown="1">',
            "<summary>How it is drawn</summary>",
            *["", "```python", *parts["code"].splitlines(), "```", ""],
            "</details>",
            "</figure>",
        ]

    def _number(self, name: str) -> str:
        """The number of a figure, to stand before its caption."""
        chapters = Book.load(self.root).chapters
        number = figure_numbers(chapters).get(name, "")
        return f"<strong>Figure {number}</strong> " if number else ""


def figure_numbers(chapters: dict[str, str]) -> dict[str, str]:
    """The numbers of the named figures in chapters, by their names."""
    found: dict[str, str] = {}
    for path, text in chapters.items():
        chapter = re.sub(r"^0*(\d*).*", r"\1", PurePosixPath(path).name)
        plots = [PLOT.fullmatch(f.body) for f in read(text)]
        names = [plot["name"] for plot in plots if plot and plot["name"]]
        for count, name in enumerate(names, start=1):
            if name in found:
                raise WeaveError(f"{path}: two figures are named '{name}'")
            found[name] = f"{chapter}.{count}"
    return found


class FigureLinks(Treeprocessor):
    """Puts numbers after the words of links that lead to figures."""

    def __init__(self, md: Markdown, root: Path) -> None:
        super().__init__(md)
        self.root = root

    def run(self, root: Element) -> None:
        """Number the links below the root of the tree."""
        links = [(a, a.get("href", "")) for a in root.iter("a")]
        there = [(a, href) for a, href in links if "#figure-" in href]
        chapters = Book.load(self.root).chapters if there else {}
        found = figure_numbers(chapters)
        for a, href in there:
            name = href.partition("#figure-")[2]
            if name not in found:
                raise WeaveError(f"{href}: no figure is named '{name}'")
            a.text = f"{a.text}\N{NO-BREAK SPACE}{found[name]}"


def draw(figure: Figure, prefix: str, alt: str) -> str:
    """The figure as SVG for a page; alt says what is to be seen.

    prefix goes before its ids, to tell them from those of others.
    """
    file = StringIO()
    figure.savefig(file, format="svg")
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
