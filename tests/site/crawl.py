"""A built site, read from its files: what its pages hold and where links lead."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The attributes that hold the address of something.
POINTERS = frozenset({"href", "src", "poster", "data", "action", "xlink:href"})


@dataclass
class Leaf(HTMLParser):
    """One page as it stands in its file."""

    address: str  # an absolute one
    ids: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)  # absolute addresses
    article: list[str] = field(default_factory=list)  # what of both is in it
    titles: int = 0  # headings of the first level
    headings: list[str] = field(default_factory=list)  # of the second, by id

    def __post_init__(self) -> None:
        super().__init__()
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take down an element's id, and where it leads."""
        self.titles += tag == "h1"
        self.inside |= tag == "article"
        for name, value in attrs:
            if name == "id" and value is not None:
                self.ids.append(value)
                self.headings += [value] * (tag == "h2")
                self.article += [f"#{value}"] * self.inside
            elif name in POINTERS and value is not None:
                self.targets.append(urljoin(self.address, value))
                self.article += self.targets[-1:] * self.inside

    def handle_endtag(self, tag: str) -> None:
        """Leave the article at its end."""
        self.inside &= tag != "article"


def pages(folder: Path) -> list[str]:
    """The addresses of all pages of a site, below that of the site."""
    files = sorted(folder.rglob("*.html"))
    names = [file.relative_to(folder).as_posix() for file in files]
    return [name.removesuffix("index.html") for name in names]


@cache
def read(folder: Path, address: str) -> dict[str, Leaf]:
    """The pages of the site in a folder that is served at an address."""
    leaves = {}
    for page in pages(folder):
        file = folder / page
        text = (file / "index.html" if file.is_dir() else file).read_text("utf-8")
        leaves[page] = Leaf(address + page)
        leaves[page].feed(text)
    return leaves


def lost(folder: Path, address: str, leaves: dict[str, Leaf]) -> Iterator[str]:
    """The links of a site into itself that lead to no file or no place."""
    ids = {page: {*leaf.ids, ""} for page, leaf in leaves.items()}
    for page, leaf in leaves.items():
        for target in leaf.targets:
            where, _, anchor = target.partition("#")
            if not where.startswith(address):
                continue  # another host's page is not ours to keep
            path = unquote(urlsplit(where).path).removeprefix(urlsplit(address).path)
            known = path in ids or (folder / path).is_file()
            if not known or unquote(anchor) not in ids.get(path, {"", anchor}):
                yield f"{page or 'the front page'}: {target}"
