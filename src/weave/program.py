"""Whole files of the program, line by line, as pages show them."""

from itertools import groupby
from operator import itemgetter
from xml.etree.ElementTree import Element, fromstring

from .book import Book, Line, Piece
from .fences import Fence
from .listing import Listing, boxed, coloured, in_colour, program_page

COMMENT = '<span class="c1">#</span>'


def about(book: Book, path: str) -> str:
    """A sentence about a file of the program, as Markdown."""
    lines = book.program[path]
    listing = Listing(book, program_page(path))
    firsts = {line.piece.chapter: line.piece for line in lines[::-1]}
    chapters = [
        f"[{piece.place}]({listing.address(chapter, piece.anchor)})"
        for chapter, piece in sorted(firsts.items())
    ]
    written = f"written in {' and '.join(chapters)}"
    return f"`{path}`, {len(lines)} lines, {written}."


def whole_file(book: Book, path: str) -> Element:
    """A file of the program, each line with a link to its piece."""
    lines = book.program[path]
    listing = Listing(book, program_page(path))
    html = _coloured(lines)
    rows: list[str] = []
    for piece, run in groupby(zip(_owners(lines), html), itemgetter(0)):
        label = listing.to(piece, "run", f"⟨{piece.fence.name}⟩")
        for _, text in run:
            number = _number(listing, len(rows) + 1, piece)
            rows.append(label + number + text)
            label = ""
    return fromstring(boxed("\n".join(rows), "python"))


def _coloured(lines: list[Line]) -> list[str]:
    """The lines of a file as HTML."""
    if _has_fragment_in_string(lines):
        return coloured("\n".join(line.text for line in lines), "python")
    rows = ((line, _row(line.piece.fence, line.number)) for line in lines)
    return [line.indent + row if line.text else "" for line, row in rows]


def _row(fence: Fence, number: int) -> str:
    """The line of a chapter that stands in a fragment, as HTML."""
    return in_colour(fence)[number - fence.line - 1]


def _has_fragment_in_string(lines: list[Line]) -> bool:
    """Whether a reference in a file stands inside a string."""
    fences = {piece.fence for line in lines for piece in line.trail}
    return any(
        COMMENT not in _row(fence, number)
        for fence in fences
        for number in fence.references.values()
    )


def _owners(lines: list[Line]) -> list[Piece]:
    """The piece that each line is shown with."""
    pieces = [lines[0].piece]
    for line in lines[1:]:
        pieces.append(line.piece if line.text else pieces[-1])
    return pieces


def _number(listing: Listing, number: int, piece: Piece) -> str:
    """The number of a line, as a link to its piece."""
    address = listing.address(piece.chapter, piece.anchor)
    return (
        f'<a class="row" id="line-{number}" href="{address}" '
        f'tabindex="-1">{number:4d}  </a>'
    )
