"""Whole files of the program, line by line, as pages show them."""

from itertools import groupby
from operator import itemgetter
from xml.etree.ElementTree import Element

from .book import Book, Line, Piece
from .listing import Listing, coloured, framed, program_page


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
    html = coloured("\n".join(line.text for line in lines), "python")
    rows: list[str] = []
    for piece, run in groupby(zip(_owners(lines), html), itemgetter(0)):
        label = listing.to(piece, "run", f"⟨{piece.fence.name}⟩")
        for _, text in run:
            number = _number(listing, len(rows) + 1, piece)
            rows.append(number + text + label)
            label = ""
    return framed("\n".join(rows), "python")


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
