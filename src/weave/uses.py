"""Where the names that the program defines are used."""

import ast
from collections import defaultdict
from collections.abc import Iterator

from .book import Book, Piece
from .definitions import Definition, definitions, module_of


def uses(book: Book) -> dict[Definition, list[Piece]]:
    """What a book's program defines, with the pieces that use it."""
    table = defaultdict(list)
    for found in definitions(book):
        dotted = "." in found.name
        table[found.module, dotted, found.bare].append(found)
    users: dict[Definition, set[Piece]] = {
        found: set() for group in table.values() for found in group
    }
    for path, lines in book.program.items():
        tree = ast.parse("\n".join(line.text for line in lines))
        for dotted, name, groups, at in _mentions(module_of(path), tree):
            found = ([f for m in g for f in table[m, dotted, name]] for g in groups)
            for meant in next(filter(None, found), []):
                users[meant] |= {lines[at - 1].piece} - {meant.piece}
    order = {piece: number for number, piece in enumerate(book.pieces)}
    return {f: sorted(pieces, key=order.get) for f, pieces in users.items()}


Mention = tuple[bool, str, list[list[str]], int]


def _mentions(module: str, tree: ast.Module) -> Iterator[Mention]:
    """The names in a module: dotted, name, where to look, line."""
    modules, sources = _imports(module, tree)
    near = [[module], sources]
    for node in ast.walk(tree):
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
    module: str, tree: ast.Module
) -> tuple[dict[str, str], list[str]]:
    """The modules that a module imports, by name, and its sources."""
    package = module.partition(".")[0]
    modules, sources = {}, []
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                modules |= {n.asname or n.name: n.name for n in names}
            case ast.ImportFrom(module=None, names=names):
                modules |= {n.name: f"{package}.{n.name}" for n in names}
            case ast.ImportFrom(module=str(name), level=1):
                sources.append(f"{package}.{name}")
    return modules, sources
