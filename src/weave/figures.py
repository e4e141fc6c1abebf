"""Figures: drawings that hang on a page, with numbers and captions."""

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor

from . import WeaveError
from .book import Book
from .fences import PLOT, Fence, read
from .listing import shown
from .scenes import Plot, Scene, scenes
from .studio import studio


class Gallery:
    """The figures of one page, whose fences it is given."""

    def __init__(
        self, md: Markdown, fences: Sequence[Fence], root: Path
    ) -> None:
        self.md = md
        self.fences = fences
        self.root = root

    @cached_property
    def _scenes(self) -> dict[int, tuple[Plot, Scene]]:
        """Each plot of the page and its scene, by the line of its fence."""
        found = scenes(self.fences)
        return {p.line: (p, scene) for scene in found for p in scene.plots}

    def hang(self, fence: Fence) -> list[str]:
        """A plot as lines of Markdown, with the drawing in the stash."""
        plot, scene = self._scenes[fence.line]
        drawing = studio(self.root).drawings(scene)[scene.plots.index(plot)]
        head, caption = '<figure class="plot" markdown="1">', plot.caption
        if plot.name:
            head = head.replace(" m", f' id="figure-{plot.name}" m')
            caption = self._number(plot.name) + caption
        return [
            head,
            self.md.htmlStash.store(f'<div class="drawn">{drawing}</div>'),
            f'<figcaption markdown="span">{caption}</figcaption>',
            '<details class="drawing" markdown="1">',
            "<summary>How it is drawn</summary>",
            *["", self.md.htmlStash.store(shown(plot.code, "python")), ""],
            "</details>",
            "</figure>",
        ]

    @cached_property
    def _numbers(self) -> dict[str, str]:
        """The numbers of all figures of the book, by their names."""
        return figure_numbers(Book.load(self.root))

    def _number(self, name: str) -> str:
        """The number of a figure, to stand before its caption."""
        number = self._numbers.get(name, "")
        return f"<strong>Figure {number}</strong> " if number else ""


@lru_cache(maxsize=1)
def figure_numbers(book: Book) -> dict[str, str]:
    """The numbers of the named figures of a book, by their names."""
    found: dict[str, str] = {}
    for path, text in book.chapters.items():
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
        found = figure_numbers(Book.load(self.root)) if there else {}
        for a, href in there:
            name = href.partition("#figure-")[2]
            if name not in found:
                raise WeaveError(f"{href}: no figure is named '{name}'")
            a.text = f"{a.text}\N{NO-BREAK SPACE}{found[name]}"
