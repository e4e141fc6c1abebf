"""The built site: its pages, in the order of the book."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from bs4 import BeautifulSoup, Tag
from bs4.filter import SoupStrainer

from . import WeaveError
from .links import ABROAD

FURNITURE = ["md-content__button", "md-button", "headerlink", "twin"]


@dataclass(frozen=True)
class Leaf:
    """A page of the built site: its address, its part of the book."""

    address: str
    part: str
    file: Path

    def article(self) -> Tag:
        """What there is to read on the page, as a tree of its own."""
        html, only = self.file.read_text("utf-8"), SoupStrainer("article")
        soup = BeautifulSoup(html, "lxml", parse_only=only)
        article = soup.article
        if not article:
            raise WeaveError(f"{self.file} has no article to be read")
        for element in article.find_all(class_=FURNITURE):
            element.decompose()
        return article


class Site:
    """A site that was built into folder from the settings in root."""

    def __init__(self, root: Path, folder: Path) -> None:
        text = (root / "mkdocs.yml").read_text("utf-8")
        self.settings: dict[str, Any] = yaml.safe_load(text)
        self.root, self.folder = root, folder
        self.leaves: dict[str, Leaf] = {}
        for source, part in _listed(self.settings["nav"]):
            address = _address(source)
            file = folder / address / "index.html"
            self.leaves[address] = Leaf(address, part, file)

    def place(self, leaf: Leaf, link: str) -> tuple[str, str] | None:
        """The address and the id that a link on leaf leads to, if any."""
        if ABROAD.match(link):
            return None
        path, _, anchor = link.partition("#")
        joined = posixpath.join("/", leaf.address, path)
        address = posixpath.normpath(joined).lstrip("/")
        if not address or f"{address}/" in self.leaves:
            address = f"{address}/".lstrip("/")
        return address, anchor


def _listed(tree: list[Any], part: str = "") -> Iterator[tuple[str, str]]:
    """The sources that a tree of pages lists, each with its part."""
    for item in tree:
        named = item if isinstance(item, dict) else {"": item}
        for title, inside in named.items():
            if isinstance(inside, str):
                yield inside, part
            else:
                yield from _listed(inside, title)


def _address(source: str) -> str:
    """The address of the page that is made of a source."""
    return re.sub(r"(^|/)index\.md$|\.md$", "/", source).lstrip("/")


def said(article: Tag, kind: str) -> str:
    """The text of the first element of a kind."""
    element = article.find(kind)
    return " ".join(element.get_text().split()) if element else ""
