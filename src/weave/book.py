"""The chapters together: every fragment, and where it ends up."""

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from graphlib import CycleError, TopologicalSorter
from itertools import islice
from pathlib import Path, PurePosixPath

from .fences import REFERENCE, Fence, read


@dataclass(frozen=True)
class Piece:
    """One fence of a fragment, at its place in the book."""

    chapter: str
    number: int
    fence: Fence

    @property
    def anchor(self) -> str:
        """The id of this piece on its page; no other piece has it."""
        slug = re.sub(r"\W+", "-", self.fence.name)
        count = f"-{self.number}" if self.number > 1 else ""
        return f"fragment-{slug}{count}"

    def fault(self, line: int, says: str) -> str:
        """An error message about the given line of this piece."""
        place = f"{self.chapter}:{line}"
        return f"{place}: fragment '{self.fence.name}' {says}"

    @property
    def told(self) -> tuple[str, str]:
        """What a reader sees of this piece: its name and its code."""
        return self.fence.name, self.fence.body

    @property
    def chapter_number(self) -> str:
        """The number of the chapter that the piece stands in."""
        name = PurePosixPath(self.chapter).stem
        number = re.match(r"\d+", name)
        return str(int(number[0])) if number else name

    @property
    def place(self) -> str:
        """Where the piece stands, in words."""
        number = self.chapter_number
        return f"chapter {number}" if number.isdigit() else f"the {number}"


@dataclass(frozen=True)
class Line:
    """A line of the program, and where it stands in the book.

    trail: the pieces that lead to it, from the root to its own.
    """

    text: str
    trail: tuple[Piece, ...]
    number: int
    indent: str

    @property
    def piece(self) -> Piece:
        """The piece that the line stands in."""
        return self.trail[-1]

    @cached_property
    def chapters(self) -> set[str]:
        """The chapters that the line needs."""
        return {piece.chapter for piece in self.trail}


class Book:
    """Chapters, by path, in reading order, and their fragments."""

    def __init__(self, chapters: dict[str, str]) -> None:
        self.chapters = chapters
        self.pieces: list[Piece] = []
        self.fragments: dict[str, list[Piece]] = {}
        for path, text in chapters.items():
            for fence in read(text):
                if fence.kind == "fragment":
                    pieces = self.fragments.setdefault(fence.name, [])
                    pieces.append(Piece(path, len(pieces) + 1, fence))
                    self.pieces.append(pieces[-1])

    @staticmethod
    def load(root: Path) -> "Book":
        """The book whose entangled.toml lies in the folder root."""
        settings = (root / "entangled.toml").read_text("utf-8")
        listed = tomllib.loads(settings)["watch_list"]
        texts = [(root / path).read_text("utf-8") for path in listed]
        return _shelved(tuple(listed), tuple(texts))

    def first(self, count: int) -> "Book":
        """The book as far as its first count chapters."""
        return Book(dict(islice(self.chapters.items(), count)))

    @cached_property
    def uses(self) -> dict[str, list[str]]:
        """For each fragment, the names of those that it refers to."""
        return {
            name: [used for p in pieces for used in p.fence.references]
            for name, pieces in self.fragments.items()
        }

    @cached_property
    def files(self) -> dict[str, list[str]]:
        """For each fragment, the files that it ends up in."""
        order = list(TopologicalSorter(self.uses).static_order())
        files: dict[str, set[str]] = {name: set() for name in order}
        for piece in self.pieces:
            files[piece.fence.name] |= {piece.fence.target} - {""}
        for name in reversed(order):
            for used in self.uses.get(name, []):
                files[used] |= files[name]
        return {name: sorted(found) for name, found in files.items()}

    def lines(
        self, name: str, indent: str = "", trail: tuple[Piece, ...] = ()
    ) -> Iterator[Line]:
        """The lines that a fragment stands for."""
        for piece in self.fragments.get(name, []):
            here = (*trail, piece)
            for number, text in piece.fence.lines:
                if found := REFERENCE.match(text):
                    yield from self.lines(found[2], indent + found[1], here)
                else:
                    line = (indent + text).rstrip()
                    yield Line(line, here, number, indent)

    @cached_property
    def program(self) -> dict[str, list[Line]]:
        """The lines of every file that the book makes, by its path."""
        files = {}
        for piece in self.pieces:
            if path := piece.fence.target:
                lines = files[path] = list(self.lines(piece.fence.name))
                while lines and not lines[-1].text:
                    lines.pop()
        return files

    def unclosed(self) -> Iterator[str]:
        """Fences that do not end where they seem to."""
        for path, text in self.chapters.items():
            for fence in read(text):
                if not fence.closed:
                    opening = f"{fence.mark}{fence.info}"
                    says = f"'{opening}' is not closed; end it with"
                    yield f"{path}:{fence.line}: {says} {fence.mark} alone"

    def missing(self) -> Iterator[str]:
        """References to fragments that no chapter defines."""
        for piece in self.pieces:
            for name, line in piece.fence.references.items():
                if name not in self.fragments:
                    says = f"uses <<{name}>>, which no chapter defines"
                    yield piece.fault(line, f"{says}; define it or rename")

    def early(self) -> Iterator[str]:
        """References to fragments that only a later chapter defines."""
        order = list(self.chapters)
        for piece in self.pieces:
            for name, line in piece.fence.references.items():
                first = self.fragments.get(name, [piece])[0].chapter
                if order.index(first) > order.index(piece.chapter):
                    says = f"uses <<{name}>>, which only {first} defines"
                    yield piece.fault(line, f"{says}; define it sooner")

    @cached_property
    def circle(self) -> list[str]:
        """A fragment that uses itself by way of others, if there is one."""
        try:
            TopologicalSorter(self.uses).prepare()
        except CycleError as error:
            names = error.args[1][::-1]
            first = self.fragments[names[0]][0]
            says = "uses itself: " + " -> ".join(names)
            says += "; open the circle"
            return [first.fault(first.fence.line, says)]
        return []

    def unused(self) -> Iterator[str]:
        """Fragments that no file needs."""
        for piece in self.pieces:
            if not self.files[piece.fence.name]:
                says = "is used nowhere; refer to it or remove it"
                yield piece.fault(piece.fence.line, says)

    def doubled(self) -> Iterator[str]:
        """Roots of a file that an earlier fragment is the root of."""
        roots: dict[str, Piece] = {}
        for piece in self.pieces:
            target = piece.fence.target
            if target and roots.setdefault(target, piece) is not piece:
                says = f"is a second root of {target}"
                todo = f"continue '{roots[target].fence.name}' by its name"
                yield piece.fault(piece.fence.line, f"{says}; {todo}")

    def unreadable(self) -> Iterator[str]:
        """Lines at which Python cannot read a file."""
        for path, lines in self.program.items():
            try:
                tree_of("\n".join(line.text for line in lines), path)
            except SyntaxError as error:
                at = min(error.lineno or 1, len(lines))
                says = f"makes {path} unreadable: {error.msg}; mend it here"
                line = lines[at - 1]
                yield line.piece.fault(line.number, says)

    @cached_property
    def faults(self) -> list[str]:
        """Everything in the book that Entangled would let pass."""
        faults = [
            *self.unclosed(),
            *self.missing(),
            *self.early(),
            *self.doubled(),
            *(self.circle or self.unused()),
        ]
        return faults or list(self.unreadable())

    @property
    def targets(self) -> list[str]:
        """The files that the book makes."""
        return sorted({p.fence.target for p in self.pieces} - {""})

    def chapters_of(self, path: str) -> set[str]:
        """The chapters that the file of this path is made from."""
        return {
            piece.chapter
            for piece in self.pieces
            if path in self.files[piece.fence.name]
        }

    @cached_property
    def users(self) -> dict[str, list[Piece]]:
        """For each fragment, the pieces in which it is used."""
        users: dict[str, list[Piece]] = {n: [] for n in self.fragments}
        for piece in self.pieces:
            for name in piece.fence.references:
                users.setdefault(name, []).append(piece)
        return users

    def row(self, piece: Piece, path: str) -> int:
        """The number of a piece's first line in a file of the program."""
        return self._rows.get((path, piece.anchor), 1)

    @cached_property
    def _rows(self) -> dict[tuple[str, str], int]:
        """The first lines of the pieces, by file and anchor."""
        rows: dict[tuple[str, str], int] = {}
        for path, lines in self.program.items():
            for number, line in enumerate(lines, start=1):
                for piece in line.trail if line.text else ():
                    rows.setdefault((path, piece.anchor), number)
        return rows


@lru_cache(maxsize=1)
def _shelved(paths: tuple[str, ...], texts: tuple[str, ...]) -> Book:
    return Book(dict(zip(paths, texts)))


@lru_cache(maxsize=256)
def tree_of(text: str, path: str) -> ast.Module:
    """What Python reads in the text of a file."""
    return ast.parse(text, path)
