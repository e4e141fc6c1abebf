"""Whole files of the program, line by line, as pages show them."""

from itertools import groupby
from xml.etree.ElementTree import Element

from .book import Book, Line
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
    rows = []
    for piece, run in groupby(zip(lines, html), lambda row: row[0].piece):
        label = listing.to(piece, "run", f"⟨{piece.fence.name}⟩")
        for line, text in run:
            rows.append(_row(listing, len(rows) + 1, line) + text + label)
            label = ""
    return framed("\n".join(rows), "python")


def _row(listing: Listing, number: int, line: Line) -> str:
    """The head of a line: its number, which leads to its piece."""
    address = listing.address(line.piece.chapter, line.piece.anchor)
    return (
        f'<a class="line" id="line-{number}" href="{address}" '
        f'tabindex="-1">{number:4d}  </a>'
    )
