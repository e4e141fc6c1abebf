"""The Python-Markdown extension that weaves the pages of the book."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from . import WeaveError
from .book import Book, Piece
from .fences import Fence, read
from .listing import Listing
from markdown.postprocessors import Postprocessor

from .listing import shown
from .figures import FigureLinks, Gallery
from .studio import studio
from .formulas import Formulas
from .elsewhere import noted
from html import escape
from itertools import groupby
from operator import itemgetter

from .listing import boxed
from .chapters import changes
from .manuscript import Manuscript
from .tally import tally
from .program import about, whole_file
from functools import cached_property

from .definitions import Definition, definitions
from .listing import program_page
from .indexes import fragments, names, unpack
from .proof import proof
from .proof import rows_of, table
from .speed import bars, speed

COMMENT = re.compile(r"\n?[ \t]*<!--(=|[-\s]*pytest[-.]).*?-->", re.DOTALL)
MAKE = re.compile(r"<!--([a-z]+)(?:: (\S+))?-->|(:::) (\S+)")
PLACE = '<div class="fragment" id="{}" markdown="1">'
PLAIN = re.compile(r'<span class="[wnop]">([^<]*)</span>')
LOOKS = {"+": "gi", "-": "gd", "@": "gu"}
INTRODUCED = re.compile(r'<p class="introduced" data-of="(.*?)">.*?</p>\n?')
ENTRY = re.compile(
    r'<(h\d) id="([\w.]+)" class="doc doc-heading">.*?</\1>', re.DOTALL
)


class Weave(Extension):
    """Weaves fragments, outputs, figures and formulas.

    The option root is the folder in which entangled.toml lies.
    """

    def __init__(self, **options: Any) -> None:
        self.config = {"root": [".", "the folder of entangled.toml"]}
        super().__init__(**options)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Take our places among the processors of md."""
        weaver = Weaver(md, Path(self.getConfig("root")))
        md.preprocessors.register(weaver, "weave", 26)
        md.treeprocessors.register(Frames(md, weaver), "weave-frames", 6)
        md.postprocessors.register(Plain(md), "weave-plain", 2)
        md.treeprocessors.register(Tables(md), "weave-tables", 0)
        studio(Path(self.getConfig("root"))).open()
        links = FigureLinks(md, Path(self.getConfig("root")))
        md.treeprocessors.register(links, "weave-figure-links", 3)
        md.postprocessors.register(Formulas(md), "weave-formulas", 0)
        entries = Introductions(md)
        md.postprocessors.register(entries, "weave-introductions", 5)


def makeExtension(**options: Any) -> Weave:  # noqa: N802
    """The extension, as Python-Markdown asks for it."""
    return Weave(**options)


class Weaver(Preprocessor):
    """Rewrites the fences of a page before they are coloured."""

    def __init__(self, md: Markdown, root: Path) -> None:
        super().__init__(md)
        self.root = root
        self.page: Page | None = None

    def run(self, lines: list[str]) -> list[str]:
        """The lines of a page, with its fences rewritten."""
        try:
            self.page = Page(self.md, self.root, lines)
            return self.page.woven()
        except WeaveError as error:
            titles = (line[2:] for line in lines if line.startswith("# "))
            page = next(titles, "a page without a heading")
            raise WeaveError(f"{page}, {error}") from error


class Page:
    """One page of the book, on its way from fences to fences."""

    def __init__(self, md: Markdown, root: Path, lines: list[str]) -> None:
        self.md = md
        self.root = root
        self.lines = lines
        text = "\n".join(lines)
        self.fences = read(text)
        self.book, pieces = _place(text, root)
        self.pieces = {piece.anchor: piece for piece in pieces}
        self.chapter = pieces[0].chapter if pieces else ""
        self.upcoming = iter(pieces)
        for fault in self.book.circle:
            raise WeaveError(fault)
        self.gallery = Gallery(md, self.fences, root)

    def woven(self) -> list[str]:
        """The lines of the page, with its fences rewritten."""
        lines, at = [], 0
        for fence in self.fences:
            block = self.lines[fence.line - 1 : fence.end]
            match fence.kind:
                case "fragment":
                    _require_margin(fence, block[0])
                    anchor = next(self.upcoming).anchor
                    block = [PLACE.format(anchor), "", "</div>"]
                case "example":
                    block = self._shown(fence, "python")
                case "output":
                    block = self._shown(fence, "text output")
                case "plot":
                    _require_margin(fence, block[0])
                    block = self.gallery.hang(fence)
            lines += [*self._prose(at, fence.line - 1), *block]
            at = fence.end
        lines += self._prose(at, len(self.lines))
        lines += self._changes()
        return lines

    def _prose(self, start: int, end: int) -> list[str]:
        """The lines between two fences, as readers see them."""
        text = COMMENT.sub("", "\n".join(self.lines[start:end]))
        lines = map(self._made, text.split("\n"))
        return [line for made in lines for line in made]

    def _made(self, line: str) -> list[str]:
        """The lines that stand on the page in place of one."""
        found = MAKE.fullmatch(line)
        word = found and (found[1] or found[3])
        if not found or word not in MAKERS:
            return [line]
        return MAKERS[word](self, found[2] or found[4])

    def _shown(self, fence: Fence, look: str) -> list[str]:
        """A fence as a line that stands for its coloured code."""
        indent = self.lines[fence.line - 1].partition(fence.mark)[0]
        return [indent + self.md.htmlStash.store(shown(fence.body, look))]

    def _changes(self) -> list[str]:
        """What the chapter changed in the program, as lines of Markdown."""
        if not self.pieces or self.book.faults:
            return []
        lines = [
            '<details class="changes" data-search-exclude markdown="1">',
            *["<summary>What this chapter changed</summary>", ""],
        ]
        for path, difference in changes(self.book, self.chapter).items():
            lines += [*self._changed(path, difference), ""]
        return [*lines, "</details>"]

    def _changed(self, path: str, difference: list[str]) -> list[str]:
        """What the chapter changed in a file."""
        file = self.book.program[path]
        if all(line.chapters == {self.chapter} for line in file):
            page = program_page(path)
            there = Listing(self.book, self.chapter).address(page, "line-1")
            return [f"[`{path}`]({there}), a new file, lines: {len(file)}"]
        code = boxed(f"{_marked(difference)}\n", "diff")
        counts = f"`{path}`, lines: {_counts(difference)}"
        return [counts, "", self.md.htmlStash.store(code)]

    @cached_property
    def whole(self) -> Book:
        """The book that the page is a part of."""
        return Book.load(self.root)


class Frames(Treeprocessor):
    """Fills the places that the weaver has left in the page."""

    def __init__(self, md: Markdown, weaver: Weaver) -> None:
        super().__init__(md)
        self.weaver = weaver

    def run(self, root: Element) -> None:
        """Fill the places below the root of the tree."""
        if page := self.weaver.page:
            for place in list(root.iter("div")):
                if piece := page.pieces.get(place.get("id", "")):
                    listing = Listing(page.book, page.chapter)
                    place.extend(listing.fragment(piece))
                if path := place.get("data-file"):
                    place.append(whole_file(page.whole, path))
                unpack(place)


def _place(text: str, root: Path) -> tuple[Book, list[Piece]]:
    """The book of a page, and the pieces of it that stand on the page."""
    draft = Book({"": text})
    if draft.pieces:
        book = Book.load(root)
        told = [piece.told for piece in draft.pieces]
        for chapter in book.chapters:
            pieces = [p for p in book.pieces if p.chapter == chapter]
            if [piece.told for piece in pieces] == told:
                return book, pieces
    return draft, draft.pieces


def _require_margin(fence: Fence, first: str) -> None:
    if not first.startswith(fence.mark):
        raise WeaveError(
            f"line {fence.line}: a {fence.kind} must stand at the left "
            f"margin, but came after {first.partition('`')[0]!r}"
        )


class Plain(Postprocessor):
    """Takes the marks of what has no colour out of all code."""

    def run(self, text: str) -> str:
        """The page, with lighter code."""
        return PLAIN.sub(r"\1", text)


class Tables(Treeprocessor):
    """Puts each table into a box of its own."""

    def run(self, root: Element) -> None:
        """Box the tables below the root of the tree."""
        for above in list(root.iter()):
            for at, part in enumerate(above):
                if part.tag == "table":
                    above[at] = box = Element("div")
                    box.append(part)
                    box.tail, part.tail = part.tail, None


def _counts(difference: list[str]) -> str:
    """How many lines a difference adds and removes."""
    added, gone = (sum(x[:1] == s for x in difference) for s in "+-")
    return f"{added} added, {gone} removed"


def _marked(difference: list[str]) -> str:
    """A difference as HTML, with the marks that Pygments has for it."""
    parts = []
    for sign, lines in groupby(difference, itemgetter(0)):
        html = escape("\n".join(lines), quote=False)
        if look := LOOKS.get(sign):
            html = f'<span class="{look}">{html}</span>'
        parts.append(html)
    return "\n".join(parts)


def _tally(page: Page, _: str) -> list[str]:
    """The counts of the book that a page belongs to, as a table."""
    counts = tally(Manuscript(page.root)).items()
    rows = [f"| {what} | {number:,} |" for what, number in counts]
    return ["| what | how many |", "|---|---:|", *rows]


def _file(page: Page, path: str) -> list[str]:
    """What a page shows of a file of the program, as Markdown."""
    place = f'<div class="program" data-file="{path}" markdown="1">'
    return [about(page.whole, path), "", place, "", "</div>"]


def _introduced(page: Page, module: str) -> list[str]:
    """The reference of a module, and where its names come from."""
    lines = [f"::: {module}", ""]
    *_, stem = module.split(".")
    listing = Listing(page.whole, f"docs/reference/{stem}.md")
    for found in definitions(page.whole):
        if found.module == module and not found.bare.startswith("_"):
            lines += [*_introduction(listing, found), ""]
    return lines


def _introduction(listing: Listing, found: Definition) -> list[str]:
    """Where a name was introduced, as a paragraph of Markdown."""
    piece, path = found.piece, program_page(found.path)
    *_, file = found.path.split("/")
    there = listing.address(piece.chapter, piece.anchor)
    row = listing.address(path, f"line-{found.line}")
    first = f"Introduced in [{piece.place}, ⟨{piece.fence.name}⟩]({there})"
    return [
        f"{first}; [line {found.line} of {file}]({row})",
        f'{{: .introduced data-of="{found.module}.{found.name}" }}',
    ]


class Introductions(Postprocessor):
    """Brings each introduction to the entry that it is about."""

    def run(self, text: str) -> str:
        """The page, with its introductions below the headings."""
        said = {found[1]: found[0] for found in INTRODUCED.finditer(text)}
        return ENTRY.sub(
            lambda found: found[0] + said.get(found[2], ""),
            INTRODUCED.sub("", text),
        )


MAKERS: dict[str, Callable[[Page, str], list[str]]] = {}
MAKERS["elsewhere"] = lambda page, module: [
    f"What they show was printed with {' and '.join(versions)}."
    if (versions := noted(page.root, module))
    else f"They have not been run with {module} yet."
]
MAKERS["tally"] = _tally
MAKERS["file"] = _file
MAKERS[":::"] = _introduced
MAKERS["fragments"] = lambda page, _: fragments(page.whole)
MAKERS["names"] = lambda page, _: names(page.whole)
MAKERS["proof"] = lambda page, section: proof(page.root, section)
MAKERS["gpt"] = lambda page, name: table(rows_of(page.root, "gpt", name))
MAKERS["bridge"] = lambda page, name: table(
    rows_of(page.root, "bridge", name)
)
MAKERS["speed"] = lambda page, section: speed(page.root, section)
MAKERS["bars"] = lambda page, section: bars(page.root, section)
