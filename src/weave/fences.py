"""The fences of a chapter, read once for every purpose."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

Kind = Literal["fragment", "example", "output", "plot", "other"]
REFERENCE = re.compile(r"^([ \t]*)<<([\w-]+)>>[ \t]*$", re.MULTILINE)
PLAIN: dict[str, Kind] = {"python": "example", "plot": "plot"}
PLOT = re.compile(
    r"(?:name: *(?P<name>[\w-]+)\n)?caption: *(?P<caption>\S.*?)\n"
    r"(?:alt: *(?P<alt>\S.*?)\n)?---\n(?P<code>.*)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Fence:
    """A fenced block: its lines, from 1, what it says, what it is for.

    mark is the run of backticks or tildes that opens it; closed tells
    whether it ends where its author thinks that it ends.
    """

    line: int
    end: int
    mark: str
    info: str
    body: str
    kind: Kind
    language: str
    name: str
    target: str
    closed: bool

    @property
    def lines(self) -> Iterator[tuple[int, str]]:
        """The number of each line of the body, and the line."""
        return enumerate(self.body.splitlines(), self.line + 1)

    @cached_property
    def references(self) -> dict[str, int]:
        """The names of the fragments used here, with the line of each."""
        found = ((REFERENCE.match(text), line) for line, text in self.lines)
        return {match[2]: line for match, line in found if match}


def parser(*without: str) -> MarkdownIt:
    """A parser of our Markdown, which passes over some more rules."""
    markdown = MarkdownIt("commonmark").enable("table")
    return markdown.disable(["code", "html_block", *without])


OUTLINE = parser("inline")
EXPECTED = "pytest-codeblocks:expected-output"


@lru_cache(maxsize=256)
def _read(text: str) -> tuple[Fence, ...]:
    fences, before, lines = [], "", text.splitlines()
    for token in OUTLINE.parse(text):
        if token.type == "inline":
            before = token.content.rpartition("\n")[2]
        elif token.type == "fence":
            fences.append(_fence(token, before, lines))
            before = ""
    return tuple(fences)


def read(text: str) -> tuple[Fence, ...]:
    """The fences of a Markdown text, in order."""
    return _read(text.rstrip("\n"))


def _fence(token: Token, before: str, lines: list[str]) -> Fence:
    start, end = token.map or (0, 0)
    mark, info = token.markup, token.info.strip()
    language, name, target = _attributes(info)
    kind = _kind(mark, info, name, before)
    closed = _closed(mark, lines[start + 1 : end])
    about = (kind, language, name, target, closed)
    return Fence(start + 1, end, mark, info, token.content, *about)


def _attributes(info: str) -> tuple[str, str, str]:
    braces = re.fullmatch(r"\{(.*)\}", info)
    words = shlex.split(braces[1]) if braces else []

    def find(sign: str) -> str:
        found = (word for word in words if word.startswith(sign))
        return next(found, "").removeprefix(sign)

    target = find("file=")
    return find("."), find("#") or target, target


def _kind(mark: str, info: str, name: str, before: str) -> Kind:
    if mark != "```":
        return "other"
    if name:
        return "fragment"
    if EXPECTED in before:
        return "output"
    return PLAIN.get(info, "other")


def _closed(mark: str, inside: list[str]) -> bool:
    *body, last = inside or [""]
    return last.strip(" >").startswith(mark) and not any(
        line.strip(" >").startswith(mark) for line in body
    )
