"""The pages of the book as they were written, for the checks to read."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from markdown.extensions.toc import slugify, unique

from .book import Book
from .fences import Fence, read
from .prose import blocks
from . import WeaveError
from .running import Workshop
import re
from importlib.util import find_spec
from os.path import normpath


@dataclass(frozen=True)
class Section:
    """The lines of a section, from its heading; end is the line after.

    own is the line of its first subheading, or end; parent is the
    section that it is part of.
    """

    line: int
    own: int
    end: int
    level: int
    parent: Section | None


class Sheet:
    """A page as it was written: path, text, fences, blocks, sections."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.fences = read(text)
        self.blocks = blocks(text)
        self.sections = self._sections()

    def _sections(self) -> list[Section]:
        heads = [(b.line, b.level) for b in self.blocks if b.level]
        last = self.text.count("\n") + 2
        sections: list[Section] = []
        for number, (line, level) in enumerate([(0, 0), *heads]):
            later = heads[number:]
            own = next((at for at, _ in later), last)
            end = next((at for at, deep in later if deep <= level), last)
            around = [s for s in sections if s.end >= end]
            parent = around[-1] if around else None
            sections.append(Section(line, own, end, level, parent))
        return sections

    def section(self, line: int) -> Section:
        """The innermost section that the line stands in."""
        return [s for s in self.sections if s.line <= line][-1]

    def inside(self, section: Section) -> list[Fence]:
        """The fences that a sentence in a section can see."""
        spans = [range(*span) for span in self.spans(section)]
        return [f for f in self.fences if any(f.line in s for s in spans)]

    def spans(self, section: Section) -> list[tuple[int, int]]:
        """The lines that a sentence in a section can see: from, to."""
        spans = [(section.line, section.end)]
        while section.parent and section.parent.level > 1:
            section = section.parent
            spans.append((section.line, section.own))
        return spans if section.level > 1 else [(section.line, section.own)]

    def example_above(self, line: int) -> Fence | None:
        """The nearest example above a line."""
        above = [f for f in self.fences if f.line < line]
        return next((f for f in above[::-1] if f.kind == "example"), None)

    def output_of(self, example: Fence) -> Fence | None:
        """The output that follows an example, if the next fence is one."""
        after = self.fences[self.fences.index(example) + 1 :]
        return after[0] if after and after[0].kind == "output" else None

    @cached_property
    def anchors(self) -> dict[str, Section]:
        """The sections by the addresses of their headings."""
        taken: set[str] = set()
        heads = [b.of("text", "code") for b in self.blocks if b.level]
        says = ["".join(bit.says for bit in bits) for bits in heads]
        words = [line.partition(" {")[0] for line in says]
        names = [unique(slugify(title, "-"), taken) for title in words]
        return dict(zip(names, self.sections[1:], strict=True))

    @cached_property
    def needs(self) -> dict[int, str]:
        """The module that an example is skipped without, by its line."""
        found = NEEDS.finditer(self.text)
        return {self.text.count("\n", 0, f.end()) + 1: f[1] for f in found}

    def lacks(self, fence: Fence) -> str:
        """The module that an example, or that of an output, lacks here."""
        if fence.kind == "output":
            fence = self.example_above(fence.line) or fence
        module = self.needs.get(fence.line, "").partition(".")[0]
        return module if module and not find_spec(module) else ""


class Manuscript:
    """All that was written: the sheets by path, and the book in them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        below = sorted((root / "docs").rglob("*.md"))
        files = [*root.glob("README.md"), *below]
        paths = [file.relative_to(root).as_posix() for file in files]
        texts = [file.read_text("utf-8") for file in files]
        self.sheets = {p: Sheet(p, t) for p, t in zip(paths, texts)}
        self.book = Book.load(root)

    @cached_property
    def runs(self) -> dict[str, dict[int, Run]]:
        """What came of every example, by page and line."""
        source = self.root / "src"
        return {p: run_all(s, source) for p, s in self.sheets.items()}

    def target(
        self, sheet: Sheet, link: str
    ) -> tuple[Sheet | None, Section | None]:
        """The sheet and the section that a link on a sheet leads to."""
        path, _, anchor = link.partition("#")
        there = normpath(Path(sheet.path).parent / path)
        found = self.sheets.get(there) if path else sheet
        return found, found.anchors.get(anchor) if found else None


@dataclass
class Run:
    """What came of an example: the output, its names, or an error."""

    printed: str = ""
    names: dict[str, Any] = field(default_factory=dict)
    error: str = ""
    lacks: str = ""


def run_all(sheet: Sheet, source: Path) -> dict[int, Run]:
    """The runs of a sheet's examples, by line; source has the package."""
    workshop, runs = Workshop(source), {}
    for fence in sheet.fences:
        if fence.kind == "example":
            run = runs[fence.line] = Run(lacks=sheet.lacks(fence))
            try:
                if not run.lacks:
                    code, line = fence.body, fence.line
                    run.printed = workshop.run(code, line, run.names)
            except WeaveError as error:
                run.error = str(error)
    return runs


NEEDS = re.compile(
    r"<!-- *pytest-codeblocks: *importorskip\(([\w.]+)\) *-->\s*\n"
    r"(?=[ \t]*```python)"
)
