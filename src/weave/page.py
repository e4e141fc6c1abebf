"""The Python-Markdown extension that weaves the pages of the book."""

import re
from pathlib import Path
from typing import Any

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

from . import WeaveError
from .book import Book, Piece
from .fences import REFERENCE, Fence, read
from .figures import FigureLinks, Gallery
from .formulas import Formulas
from .chapters import changes
from .manuscript import Manuscript
from .tally import tally

COMMENT = re.compile(r"\n?[ \t]*<!--(=|[-\s]*pytest[-.]).*?-->", re.DOTALL)
PEEL = re.compile(
    r'<span class="c1"># (<(a|span) class="reference".*?</\2>)</span>'
)
LONG = "`" * 9
TALLY = "<!--tally-->"


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
        md.postprocessors.register(References(md), "weave-references", 5)
        links = FigureLinks(md, Path(self.getConfig("root")))
        md.treeprocessors.register(links, "weave-figure-links", 3)
        md.postprocessors.register(Formulas(md), "weave-formulas", 0)


def makeExtension(**options: Any) -> Weave:  # noqa: N802
    """The extension, as Python-Markdown asks for it."""
    return Weave(**options)


class Weaver(Preprocessor):
    """Rewrites the fences of a page before they are coloured."""

    def __init__(self, md: Markdown, root: Path) -> None:
        super().__init__(md)
        self.root = root

    def run(self, lines: list[str]) -> list[str]:
        """The lines of a page, with its fences rewritten."""
        try:
            return Page(self.md, self.root, lines).woven()
        except WeaveError as error:
            titles = (line[2:] for line in lines if line.startswith("# "))
            page = next(titles, "a page without a heading")
            raise WeaveError(f"{page}, {error}") from error


class Page:
    """One page of the book, on its way from fences to fences."""

    def __init__(self, md: Markdown, root: Path, lines: list[str]) -> None:
        self.md = md
        self.lines = lines
        text = "\n".join(lines)
        self.fences = read(text)
        self.book, pieces = _place(text, root)
        self.upcoming = iter(pieces)
        self.here = {p.fence.name: p.anchor for p in reversed(pieces)}
        self.gallery = Gallery(md, self.fences, root)
        self.chapter = pieces[0].chapter if pieces else ""
        self.root = root

    def woven(self) -> list[str]:
        """The lines of the page, with its fences rewritten."""
        lines, at = [], 0
        for fence in self.fences:
            block = self.lines[fence.line - 1 : fence.end]
            match fence.kind:
                case "fragment":
                    _require_margin(fence, block[0])
                    block = self._fragment(next(self.upcoming))
                case "output":
                    indent = block[0].partition(fence.mark)[0]
                    block[0] = indent + "``` {.text .output}"
                case "plot":
                    _require_margin(fence, block[0])
                    block = self.gallery.hang(fence)
            lines += [*_prose(self.lines[at : fence.line - 1]), *block]
            at = fence.end
        lines += _prose(self.lines[at:])
        lines += self._changes()
        if TALLY in lines:
            at = lines.index(TALLY)
            lines[at : at + 1] = _table(tally(Manuscript(self.root)))
        return lines

    def _fragment(self, piece: Piece) -> list[str]:
        """The piece as a fence with a title, in an element with an id."""
        title = self._title(piece)
        look = f'.{piece.fence.language} .fragment title="{title}"'
        code = REFERENCE.sub(self._reference, piece.fence.body)
        return [
            f'<div id="{piece.anchor}" markdown="1">',
            *["", f"``` {{{look}}}", *code.splitlines(), "```", ""],
            "</div>",
        ]

    def _title(self, piece: Piece) -> str:
        sign = "=" if piece.number == 1 else "+="
        files = ", ".join(self.book.files[piece.fence.name])
        return self.md.htmlStash.store(
            f'<span class="fragment-name">⟨{piece.fence.name}⟩</span> '
            f'<span class="fragment-sign">{sign}</span> '
            f'<span class="fragment-file">{files}</span>'
        )

    def _reference(self, found: re.Match[str]) -> str:
        indent, name = found.groups()
        html = f'<span class="reference">⟨{name}⟩</span>'
        if name in self.here:
            address = f'href="#{self.here[name]}"'
            html = f'<a class="reference" {address}>⟨{name}⟩</a>'
        return f"{indent}# {self.md.htmlStash.store(html)}"

    def _changes(self) -> list[str]:
        """What the chapter changed in the program, as lines of Markdown."""
        if not self.chapter or self.book.faults():
            return []
        lines = [
            '<details class="changes" data-search-exclude markdown="1">',
            *["<summary>What this chapter changed</summary>", ""],
        ]
        for path, difference in changes(self.book, self.chapter).items():
            lines += [f"`{path}`, lines: {_counts(difference)}", ""]
            lines += [f"{LONG}diff", *difference, LONG, ""]
        return [*lines, "</details>"]


class References(Postprocessor):
    """Frees the references from the comments that carried them."""

    def run(self, text: str) -> str:
        """The page, with its references bare."""
        return PEEL.sub(r"\1", text)


def _prose(lines: list[str]) -> list[str]:
    return COMMENT.sub("", "\n".join(lines)).split("\n")


def _place(text: str, root: Path) -> tuple[Book, list[Piece]]:
    """The book of a page, and the pieces of it that stand on the page."""
    draft = Book({"draft": text})
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


def _counts(difference: list[str]) -> str:
    """How many lines a difference adds and removes."""
    added, gone = (sum(x[:1] == s for x in difference) for s in "+-")
    return f"{added} added, {gone} removed"


def _table(counts: dict[str, int]) -> list[str]:
    """Counts as a table in Markdown."""
    rows = [f"| {what} | {number:,} |" for what, number in counts.items()]
    return ["| what | how many |", "|---|---:|", *rows]
