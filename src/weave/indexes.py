"""Indexes of the book: its fragments, and the names of its program."""

from collections.abc import Iterable
from html import escape
from itertools import groupby
from xml.etree.ElementTree import Element, fromstring

from .book import Book, Piece
from .definitions import Definition
from .listing import Listing, program_page
from .uses import uses


PARTS = {"src/tanglegrad/": "The package", "src/weave/": "The weaver"}


def _parts(entries: Iterable[tuple[str, str, str]]) -> list[str]:
    """An index of entries: each a path, a key, and a line."""
    order = sorted(entries, key=lambda entry: entry[1].lower())
    lines = []
    for folder, title in PARTS.items():
        found = [line for path, _, line in order if path.startswith(folder)]
        lines += [f"## {title}", "", *_listed(found), ""]
    return lines


def _listed(lines: list[str]) -> list[str]:
    """Lines of HTML as a list, which is still to be unpacked."""
    items = "".join(f"<li>{line}</li>\n" for line in lines)
    html = escape(f"<ul>\n{items}</ul>\n")
    opening = f'<div class="index" data-list="{html}" markdown="1">'
    return [opening, "", "</div>"]


def unpack(place: Element) -> None:
    """Put the list that an element has in an attribute into it."""
    if html := place.attrib.pop("data-list", ""):
        place.append(fromstring(html))


def _link(
    listing: Listing, path: str, anchor: str, html: str, more: str = ""
) -> str:
    address = escape(listing.address(path, anchor))
    return f'<a href="{address}"{more}>{html}</a>'


def _to(listing: Listing, piece: Piece, html: str, more: str = "") -> str:
    return _link(listing, piece.chapter, piece.anchor, html, more)


def _numbered(listing: Listing, piece: Piece, number: str) -> str:
    """A link to a piece that shows a number, and is called more."""
    says = f"{piece.place}: ⟨{piece.fence.name}⟩"
    kin = listing.book.fragments[piece.fence.name]
    if len(kin) > 1:
        says += f", piece {piece.number} of {len(kin)}"
    more = f' aria-label="{says}" title="{says}"'
    return _to(listing, piece, number, more)


def _used(listing: Listing, users: list[Piece]) -> str:
    """Links to the pieces in which something is used."""
    names = []
    for name, group in groupby(users, lambda piece: piece.fence.name):
        first, *others = group
        links = [_to(listing, first, f"⟨{name}⟩")]
        links += [_numbered(listing, p, str(p.number)) for p in others]
        names.append(" ".join(links))
    return f"used in {', '.join(names)}"


def fragments(book: Book) -> list[str]:
    """The index of the fragments, as lines of Markdown."""
    listing = Listing(book, "docs/program/fragments.md")
    return _parts(
        (book.files[name][0], name, _fragment(listing, name))
        for name in book.fragments
    )


def _fragment(listing: Listing, name: str) -> str:
    """The line of a fragment in the index."""
    book = listing.book
    pieces = [
        _numbered(listing, piece, piece.chapter_number)
        for piece in book.fragments[name]
    ]
    users = book.users[name]
    files = [
        _link(listing, program_page(path), "line-1", f"<code>{path}</code>")
        for path in book.files[name]
    ]
    rest = _used(listing, users) if users else files[0]
    return f"<strong>⟨{name}⟩</strong> {', '.join(pieces)}; {rest}"


def names(book: Book) -> list[str]:
    """The index of the program's names, as lines of Markdown."""
    listing = Listing(book, "docs/program/names.md")
    return _parts(
        (found.path, found.bare.strip("_"), _name(listing, found, users))
        for found, users in uses(book).items()
    )


def _name(listing: Listing, found: Definition, users: list[Piece]) -> str:
    """The line of a name in the index."""
    piece = found.piece
    chapter = _numbered(listing, piece, piece.chapter_number)
    rest = f"; {_used(listing, users)}" if users else ""
    owner = f"of <code>{found.owner}</code> {chapter}{rest}"
    return f"<strong><code>{found.bare}</code></strong> {owner}"
