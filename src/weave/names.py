"""Names in the sentences, and what the package has under them."""

import ast
import builtins
import keyword
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path

from .book import Book
from .fences import Fence
from .manuscript import Manuscript, Sheet

SPECIAL = {"__init__", "__slots__", "__name__", "__main__"}.union(
    *(dir(kind) for kind in (object, type, float, list, dict, set))
)
FOREIGN = {
    "Axes": "a class of Matplotlib",
    "C0": "a colour of Matplotlib",
    "C3": "a colour of Matplotlib",
    "Makefile": "a file without an ending",
    "cont": "a word of pytest-codeblocks",
    "markdown-it-py": "a library, and its name is no difference",
    "superfences": "an extension of Python-Markdown",
    "nan": "how Python prints what is not a number",
    "utf8": "an option of Python",
    "~~~markdown": "the opening of a fence",
}
FILE = re.compile(r"\.?[\w-]+(/[\w.-]+)+/?|[\w-]+\.(py|md|toml|yml|txt)")


class Vocabulary:
    """The names of the modules in some files, and to what they belong."""

    def __init__(self, files: list[Path]) -> None:
        self.names: set[str] = set()
        self.owners: dict[str, set[str]] = {}
        for file in files:
            init = file.stem == "__init__"
            name = file.parent.name if init else file.stem
            tree = ast.parse(file.read_text("utf-8"))
            self._add(name, tree)
            self.owners.setdefault(file.parent.name, set()).add(file.stem)
            self.names.update(*map(_bound, ast.walk(tree)))
        self.names.update(self.owners, *self.owners.values())

    def _add(self, name: str, tree: ast.Module | ast.ClassDef) -> None:
        """Add a module or a class, and the classes inside."""
        own = self.owners.setdefault(name, set())
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                own.add(node.name)
            else:
                own.update(*map(_bound, ast.walk(node)))
            if isinstance(node, ast.ClassDef):
                self._add(node.name, node)
        if isinstance(tree, ast.ClassDef):
            for part in ast.walk(tree):
                if isinstance(part, ast.Attribute):
                    own |= _bound(part)
            for base in tree.bases:
                own |= self.owners.get(ast.unparse(base), set())

    def knows(self, name: str, here: set[str]) -> bool:
        """Whether a name is one of ours, of Python, or in the set here."""
        head, *parts = name.split(".")
        owner = self.owners.get(head)
        if owner is None and _python(name):
            return True
        known = head in self.names | here
        for part in parts:
            known &= part in (owner or self.names | here) | SPECIAL
            owner = self.owners.get(part)
        return known


def _bound(node: ast.AST) -> set[str]:
    """The name that a node of a program gives to something, if any."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            return {name}
        case ast.Attribute(attr=name, ctx=ast.Store()):
            return {name}
        case ast.alias(asname=str(name)) | ast.alias(name=name):
            return {name}
        case ast.arg(arg=name):
            return {name}
    return set()


def meant(code: str) -> Iterator[str]:
    """The names, with their dots, in code from a sentence."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            yield re.sub(r".*[^\w.]", "", ast.unparse(node)).strip(".")
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg


def _python(name: str) -> bool:
    """Whether Python has the name, in itself or in its library."""
    head, *parts = name.split(".")
    if keyword.iskeyword(name) or name in SPECIAL:
        return True
    thing: object = getattr(builtins, head, None)
    if head in sys.stdlib_module_names and not hasattr(builtins, head):
        thing = import_module(head)
    for part in parts:
        thing = getattr(thing, part, None)
    return thing is not None or name == "None"


def _commands(root: Path) -> set[str]:
    """The targets of the Makefile in a folder, if there is one."""
    texts = [file.read_text("utf-8") for file in root.glob("Makefile")]
    return set(re.findall(r"^(\w+):", "".join(texts), re.MULTILINE))


def _exists(root: Path, sheet: Sheet, path: str) -> bool:
    """Whether a path in a sentence is that of a file or a folder."""
    beside = Path(sheet.path).parent
    modules = ("src", "src/tanglegrad", "src/weave")
    places = [root / place for place in ("", beside, "docs", *modules)]
    return any((place / path).exists() for place in places)


def names(manuscript: Manuscript) -> Iterator[str]:
    """Names in code font that nothing defines, and files not there."""
    ours = _vocabulary(manuscript, "tanglegrad")
    both = _vocabulary(manuscript, "*")
    commands = _commands(manuscript.root)
    for path, sheet in manuscript.sheets.items():
        colophon = path.startswith("docs/colophon/")
        vocabulary = both if colophon else ours
        here = commands.union(*map(_words, sheet.fences))
        for bit in chain.from_iterable(b.of("code") for b in sheet.blocks):
            if bit.says in FOREIGN:
                continue
            if FILE.fullmatch(bit.says):
                if not _exists(manuscript.root, sheet, bit.says):
                    says = f"there is no file {bit.says}; mend the path"
                    yield f"{path}:{bit.line}: {says}"
                continue
            for name in meant(bit.says):
                if not vocabulary.knows(name, here):
                    says = f"nothing has the name '{name}'; mend it"
                    yield f"{path}:{bit.line}: {says}"


def _vocabulary(manuscript: Manuscript, package: str) -> Vocabulary:
    files = sorted(manuscript.root.glob(f"src/{package}/*.py"))
    return Vocabulary(files)


def _words(fence: Fence) -> set[str]:
    """The words in the code of a fence that could be names."""
    code = fence.body if fence.kind != "other" else ""
    return set(re.findall(r"[^\W\d]\w*", code))


def public(manuscript: Manuscript) -> Iterator[str]:
    """Public names without a docstring, a chapter or an example."""
    used = _used(manuscript)
    for file in sorted(manuscript.root.glob("src/tanglegrad/*.py")):
        path = file.relative_to(manuscript.root).as_posix()
        for name, node in _offered(ast.parse(file.read_text("utf-8"))):
            place = _introduced(manuscript.book, path, name)
            where = place or f"{path}:{node.lineno}"
            if not place:
                yield f"{where}: no chapter introduces {name}; write one"
            if not ast.get_docstring(node):
                yield f"{where}: {name} has no docstring; say what it does"
            if name.rpartition(".")[2] not in used:
                yield f"{where}: no example uses {name}; write one"


Definition = ast.FunctionDef | ast.ClassDef


def _offered(
    tree: ast.Module | ast.ClassDef, owner: str = ""
) -> Iterator[tuple[str, Definition]]:
    """The public functions, classes and methods, with their dots."""
    for node in tree.body:
        if isinstance(node, Definition) and node.name[0] != "_":
            yield owner + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from _offered(node, f"{node.name}.")


def _introduced(book: Book, path: str, name: str) -> str:
    """The file and line of the fragment that defines a name, or none."""
    last = name.rpartition(".")[2]
    defined = re.compile(rf"^ *(?:def|class) {last}\b", re.MULTILINE)
    for piece in book.pieces:
        found = defined.search(piece.fence.body)
        if found and path in book.files[piece.fence.name]:
            above = piece.fence.body[: found.start()].count("\n")
            return f"{piece.chapter}:{piece.fence.line + 1 + above}"
    return ""


def _used(manuscript: Manuscript) -> set[str]:
    """The names that the examples of the book use."""
    return {
        word
        for path, sheet in manuscript.sheets.items()
        for fence in sheet.fences
        if fence.kind == "example" and "colophon" not in path
        for word in _words(fence)
    }
