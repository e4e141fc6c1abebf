"""What the program defines, and where."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter

from .book import Book, Piece, tree_of


@dataclass(frozen=True)
class Definition:
    """A name that a file gives to something, and where it does.

    name has the classes around it: Value.backward.
    """

    path: str
    name: str
    line: int
    piece: Piece

    @property
    def module(self) -> str:
        """The module that has the name."""
        return module_of(self.path)

    @property
    def bare(self) -> str:
        """The name without what is before it."""
        return self.name.rpartition(".")[2]

    @property
    def owner(self) -> str:
        """The class, in its module, or the module that has the name."""
        module = self.module.rpartition(".")[2]
        return ".".join([module, *self.name.split(".")[:-1]])


def module_of(path: str) -> str:
    """The name of the module in a file of the program."""
    inside = path.removeprefix("src/").removesuffix(".py")
    return inside.removesuffix("/__init__").replace("/", ".")


@lru_cache(maxsize=1)
def definitions(book: Book) -> tuple[Definition, ...]:
    """What the files of a book define, in the order of the files."""
    return tuple(_definitions(book))


def _definitions(book: Book) -> Iterator[Definition]:
    for path, lines in book.program.items():
        tree = tree_of("\n".join(line.text for line in lines), path)
        found = dict(reversed(list(_defined(tree, ""))))
        for name, line in sorted(found.items(), key=itemgetter(1)):
            yield Definition(path, name, line, lines[line - 1].piece)


def _defined(
    tree: ast.Module | ast.ClassDef, owner: str
) -> Iterator[tuple[str, int]]:
    """The names that a module or a class defines, with their lines."""
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield owner + name, node.lineno
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield owner + name, node.lineno
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield owner + name, node.lineno
        if isinstance(node, ast.ClassDef):
            yield from _defined(node, f"{owner}{node.name}.")
    if isinstance(tree, ast.ClassDef):
        for part in ast.walk(tree):
            match part:
                case ast.Attribute(ast.Name("self"), name, ast.Store()):
                    yield owner + name, part.lineno
