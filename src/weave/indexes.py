"""Indexes of the book: its fragments, and the names of its program."""

from collections.abc import Iterable
from itertools import groupby

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
        lines += [f"## {title}", "", '<div class="index" markdown="1">', ""]
        lines += [*found, "", "</div>", ""]
    return lines


def _link(listing: Listing, piece: Piece, text: str) -> str:
    return f"[{text}]({listing.address(piece.chapter, piece.anchor)})"


def _used(listing: Listing, users: list[Piece]) -> str:
    """Links to the pieces in which something is used."""
    names = []
    for name, group in groupby(users, lambda piece: piece.fence.name):
        first, *others = group
        links = [_link(listing, first, f"⟨{name}⟩")]
        links += [_link(listing, p, str(p.number)) for p in others]
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
        _link(listing, piece, piece.chapter_number)
        for piece in book.fragments[name]
    ]
    users = book.users[name]
    files = [
        f"[`{path}`]({listing.address(program_page(path), 'line-1')})"
        for path in book.files[name]
    ]
    rest = _used(listing, users) if users else files[0]
    return f"- **⟨{name}⟩** {', '.join(pieces)}; {rest}"


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
    chapter = _link(listing, piece, piece.chapter_number)
    rest = f"; {_used(listing, users)}" if users else ""
    return f"- **`{found.bare}`** of `{found.owner}` {chapter}{rest}"
