"""A fragment as the page shows it: titled, coloured, with open ends."""

import builtins
import keyword
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import PurePosixPath
from posixpath import relpath
from typing import Any, ClassVar
from xml.etree.ElementTree import Element, fromstring

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer, inherit
from pygments.lexers import get_lexer_by_name
from pygments.lexers.python import PythonLexer
from pygments.token import Name, Operator, Punctuation, String, Text

from .book import Book, Piece
from .fences import REFERENCE, Fence

FORMATTER = HtmlFormatter(nowrap=True)
INK = [Name, Name.Function.Magic, Operator, Punctuation, String.Affix]
PARTS = [String.Double, String.Interpol, String.Single]
SAME: dict[Any, Any] = dict.fromkeys([*INK, Text.Whitespace], Text)
SAME |= dict.fromkeys(PARTS, String)
OWN = [*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "self", "cls"]
NAME = rf"(?!(?:{'|'.join(OWN)}|__\w+__)\b)[^\W\d]\w*\b(?![\"'])"
SIGNS = r"(?<=\S)(?:[-+*/%=<>&^|,:;()\[\]{} ]|\.(?!\d))+"


class Quick(PythonLexer):
    """Python as Pygments sees it, but what has no colour is first."""

    tokens: ClassVar[Any] = {
        "root": [(f"(?:{NAME}|{SIGNS})+", Text), inherit]
    }

    def get_tokens_unprocessed(self, *text: Any) -> Iterator[Any]:
        """The places, kinds and texts of the pieces of a program."""
        for at, kind, piece in super().get_tokens_unprocessed(*text):
            yield at, SAME.get(kind, kind), piece


class Listing:
    """Draws code of a book for the page that has the path here."""

    def __init__(self, book: Book, here: str) -> None:
        self.book = book
        self.here = here
        self.order = list(book.chapters)

    def address(self, path: str, anchor: str) -> str:
        """The address of an anchor on the page that has the path."""
        return f"{_between(path, self.here)}#{anchor}"

    def link(self, look: str, path: str, anchor: str, html: str) -> str:
        """A link to that address."""
        address = escape(self.address(path, anchor))
        return f'<a class="{look}" href="{address}">{html}</a>'

    def to(self, piece: Piece, look: str, html: str) -> str:
        """A link to a piece."""
        return self.link(look, piece.chapter, piece.anchor, html)

    def _way(self, piece: Piece, look: str, says: str, near: str) -> str:
        """A link to a piece that says where it is, near or in a chapter."""
        where = near if piece.chapter == self.here else piece.place
        return self.to(piece, look, f"<span>{says} </span>{where}")

    def title(self, piece: Piece) -> Iterator[str]:
        """The parts of a piece's title, as HTML."""
        sign = "=" if piece.number == 1 else "+="
        yield f'<span class="fragment-name">⟨{piece.fence.name}⟩</span>'
        yield f'<span class="fragment-sign">{sign}</span>'
        kin = self.book.fragments[piece.fence.name]
        for before in kin[: piece.number - 1][-1:]:
            yield self._way(before, "from", "continued from", "above")
        for after in kin[piece.number :][:1]:
            yield self._way(after, "on", "continued in", "below")
        for user in self.book.users[piece.fence.name]:
            name = f"<span>used in </span>⟨{user.fence.name}⟩"
            yield self.to(user, "use", name)
        for path in self.book.files[piece.fence.name]:
            yield self.file(path, self.book.row(piece, path))

    def file(self, path: str, line: int) -> str:
        """A link to a line of a file of the program, named by the file."""
        *_, folder, name = path.split("/")
        html = f"<span>{folder}/</span>{escape(name)}"
        if not self.here:
            return f'<span class="file">{html}</span>'
        return self.link("file", program_page(path), f"line-{line}", html)

    def fragment(self, piece: Piece) -> list[Element]:
        """The title and the code of a piece, as elements."""
        title = " ".join(self.title(piece))
        code = "".join(self.code(piece)).strip("\n")
        return [
            fromstring(f'<p class="fragment-title">{title}</p>'),
            fromstring(boxed(code, piece.fence.language)),
        ]

    def code(self, piece: Piece, indent: str = "") -> Iterator[str]:
        """The lines of a piece as HTML; its references can be opened."""
        body = piece.fence.body
        for plain, line in zip(body.splitlines(), in_colour(piece.fence)):
            if found := REFERENCE.match(plain):
                yield self._reference(found[2], indent + found[1])
            else:
                yield f"{indent if plain else ''}{line}\n"

    def _reference(self, name: str, indent: str) -> str:
        """A reference, with the code that it stands for folded away."""
        pieces = self.book.fragments.get(name, [])
        known = [p for p in pieces if self._is_known(p)]
        if not known:
            return f'{indent}<span class="reference">⟨{name}⟩</span>\n'
        link = self.to(known[0], "reference", f"⟨{name}⟩")
        lines = (line for p in known for line in self.code(p, indent))
        code = "".join(lines)
        for later in pieces[len(known) :][:1]:
            more = self._way(later, "on", "continued in", "below")
            code += f'<span class="more">{indent}{more}\n</span>'
        call = f'<span class="call">{indent}{link}</span>'
        summary = f'<summary aria-label="Open ⟨{name}⟩ here"></summary>'
        folded = f'<span data-search-exclude="">{code}</span>'
        return f"{call}<details>{summary}{folded}</details>"

    def _is_known(self, piece: Piece) -> bool:
        """Whether a reader of this page has seen the piece."""
        if self.here not in self.order:
            return True
        index = self.order.index
        return index(piece.chapter) <= index(self.here)


@cache
def _between(path: str, here: str) -> str:
    """The way to a path from the page that has the path here."""
    same = path == here
    return "" if same else relpath(path, PurePosixPath(here).parent)


def program_page(path: str) -> str:
    """The path of the page that shows a file of the program."""
    inside = PurePosixPath(path).relative_to("src").with_suffix(".md")
    return f"docs/program/{inside}"


def boxed(code: str, look: str) -> str:
    """Coloured code in the elements that the site's styles expect."""
    pre = f"<pre><span></span><code>{code}</code></pre>"
    return f'<div class="language-{look} highlight">{pre}</div>'


@cache
def coloured(code: str, language: str) -> list[str]:
    """The lines of some code as HTML."""
    html = highlight(code, _lexer(language), FORMATTER)
    return html.removesuffix("\n").split("\n")


@cache
def _lexer(language: str) -> Lexer:
    """What takes code of a language to pieces."""
    if language == "python":
        return Quick(stripnl=False)
    return get_lexer_by_name(language, stripnl=False)


@cache
def in_colour(fence: Fence) -> list[str]:
    """The lines of a fragment as HTML, before they are linked."""
    code = REFERENCE.sub(r"\1#", fence.body)
    return coloured(code, fence.language)


def shown(code: str, look: str) -> str:
    """A program or a text as HTML; look is its language and its class."""
    language, *_ = look.split()
    lines = coloured(code.strip("\n"), language)
    return boxed("\n".join([*lines, ""]), look)
