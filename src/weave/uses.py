"""Where the names that the program defines are used."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache

from .book import Book, Piece, tree_of
from .definitions import Definition, definitions, module_of


Key = tuple[str, bool, str]
Table = dict[Key, list[Definition]]


@lru_cache(maxsize=1)
def uses(book: Book) -> dict[Definition, list[Piece]]:
    """What a book's program defines, with the pieces that use it."""
    table: Table = defaultdict(list)
    for found in definitions(book):
        dotted = "." in found.name
        table[found.module, dotted, found.bare].append(found)
    users: dict[Definition, set[Piece]] = {
        found: set() for group in table.values() for found in group
    }
    for path, lines in book.program.items():
        tree = tree_of("\n".join(line.text for line in lines), path)
        for dotted, name, groups, at in _mentions(module_of(path), tree):
            keys = ([(m, dotted, name) for m in group] for group in groups)
            for meant in _nearest(table, keys):
                users[meant] |= {lines[at - 1].piece} - {meant.piece}
    order = {piece: number for number, piece in enumerate(book.pieces)}
    return {
        found: sorted(pieces, key=order.__getitem__)
        for found, pieces in users.items()
    }


def _nearest(table: Table, groups: Iterable[list[Key]]) -> list[Definition]:
    """What a name means: the first that is found under some keys."""
    for keys in groups:
        if found := [d for key in keys for d in table.get(key, [])]:
            return found
    return []


def _mentions(
    module: str, tree: ast.Module
) -> Iterator[tuple[bool, str, list[list[str]], int]]:
    """The names in a module: dotted, name, where to look, line."""
    nodes = list(ast.walk(tree))
    modules, sources = _imports(module, nodes)
    near = [[module], sources]
    for node in nodes:
        match node:
            case ast.Name(id=name):
                yield False, name, near, node.lineno
            case ast.Attribute(value=ast.Name(id=before), attr=name) if (
                before in modules
            ):
                yield False, name, [[modules[before]]], node.lineno
            case ast.Attribute(attr=name):
                yield True, name, near, node.lineno


def _imports(
    module: str, nodes: Iterable[ast.AST]
) -> tuple[dict[str, str], list[str]]:
    """The modules that a module imports, by name, and its sources."""
    package = module.partition(".")[0]
    modules: dict[str, str] = {}
    sources = []
    for node in nodes:
        match node:
            case ast.Import(names=names):
                modules |= {n.asname or n.name: n.name for n in names}
            case ast.ImportFrom(module=None, names=names):
                modules |= {n.name: f"{package}.{n.name}" for n in names}
            case ast.ImportFrom(module=str(name), level=1):
                sources.append(f"{package}.{name}")
    return modules, sources
