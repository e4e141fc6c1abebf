"""Links inside the book, and the places that they lead to."""

import ast
import re
from collections.abc import Iterator
from os.path import normpath
from pathlib import Path

from .book import Book
from .figures import figure_numbers
from .manuscript import Manuscript, Sheet
from .prose import Block

HTML = re.compile(r"""\b(?:href|src)=["']([^"']+)["']""")
ABROAD = re.compile(r"[a-z]+:")
MODULE = re.compile(r"^::: ([\w.]+)$", re.MULTILINE)


def links(manuscript: Manuscript) -> Iterator[str]:
    """Links inside the book that lead to no file or no place in it."""
    for path, sheet in manuscript.sheets.items():
        for block in sheet.blocks:
            for line, link in _links(block):
                if says := _lost(manuscript, sheet, link):
                    yield f"{path}:{line}: {says}; mend the link"


def _lost(manuscript: Manuscript, sheet: Sheet, link: str) -> str:
    """What a link leads to that is not there, or nothing."""
    file, _, anchor = link.partition("#")
    path = normpath(Path(sheet.path).parent / file) if file else sheet.path
    if not (manuscript.root / path).exists():
        return f"the link leads to {path}, which does not exist"
    there = manuscript.sheets.get(path)
    if anchor and (not there or anchor not in _places(manuscript, there)):
        return f"the link leads to #{anchor}, which {path} does not have"
    return ""


def _links(block: Block) -> Iterator[tuple[int, str]]:
    """The links of a block to places inside the book, by line."""
    for bit in block.of("link", "image", "html"):
        links = HTML.findall(bit.says) if bit.kind == "html" else [bit.says]
        for link in links:
            if not ABROAD.match(link):
                yield bit.line, link


def _places(manuscript: Manuscript, sheet: Sheet) -> set[str]:
    """The addresses on a page."""
    pieces = manuscript.book.pieces
    places = {p.anchor for p in pieces if p.chapter == sheet.path}
    figures = figure_numbers(Book({sheet.path: sheet.text}))
    places |= {f"figure-{name}" for name in figures}
    for found in MODULE.finditer(sheet.text):
        file = f"src/{found[1].replace('.', '/')}.py"
        tree = ast.parse((manuscript.root / file).read_text("utf-8"))
        places |= {found[1], *_described(tree, found[1])}
    return places.union(sheet.anchors)


def _described(tree: ast.AST, owner: str) -> Iterator[str]:
    """The full names of what is described of a module or a class."""
    for node in ast.iter_child_nodes(tree):
        name = getattr(node, "name", "_")
        if not name.startswith("_"):
            yield f"{owner}.{name}"
            yield from _described(node, f"{owner}.{name}")
