"""The command that compares the book with itself, in every way."""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .fences import PLOT
from .manuscript import Manuscript
from .tangle import fresh
from . import examples
from . import elsewhere
from . import numbers
from . import names
from . import links
from .chapters import stages


def program(manuscript: Manuscript) -> Iterator[str]:
    """Files below src that are not what the book says."""
    if manuscript.book.faults:
        return
    tangled = fresh(manuscript.root)
    for path, text in tangled.items():
        file = manuscript.root / path
        content = file.read_bytes() if file.exists() else b""
        if content != text.encode():
            line = _first_difference(content, text.encode())
            yield (
                f"{path}:{line}: is not what the book says; change the "
                "chapter and run: python -m weave tangle"
            )
    for path in sorted(_files(manuscript.root) - set(tangled)):
        yield f"{path}:1: no chapter makes this file; remove it"


def _first_difference(one: bytes, other: bytes) -> int:
    """The first line, from 1, in which two texts differ."""
    pairs = zip(one.splitlines(), other.splitlines())
    same = [a == b for a, b in pairs]
    return [*same, False].index(False) + 1


def _files(root: Path) -> set[str]:
    """The files below src, without what tools cache there."""
    files = [file for file in root.glob("src/**/*") if file.is_file()]
    paths = {f.relative_to(root).as_posix() for f in files}
    cached = {path for path in paths if re.search(r"/(\.|__p)", path)}
    return paths - cached - {"src/tanglegrad/py.typed"}


def fragments(manuscript: Manuscript) -> Iterator[str]:
    """Faults of the fragments, and chapters that are not listed."""
    book = manuscript.book
    yield from book.faults
    for path, sheet in manuscript.sheets.items():
        pieces = [f for f in sheet.fences if f.kind == "fragment"]
        if pieces and path not in book.chapters:
            place = f"{path}:{pieces[0].line}"
            says = "a fragment in a chapter that is not listed"
            yield f"{place}: {says}; add the chapter to entangled.toml"
        for fence in sheet.fences:
            if not fence.closed and path not in book.chapters:
                says = f"'{fence.mark}{fence.info}' is not closed"
                yield f"{path}:{fence.line}: {says}; end it"


def figures(manuscript: Manuscript) -> Iterator[str]:
    """Pictures that no code draws, and plots that lack their words."""
    for path, sheet in manuscript.sheets.items():
        for block in sheet.blocks:
            for bit in block.of("image", "html"):
                if bit.kind == "image" or PICTURE.match(bit.says):
                    says = "a picture that no code draws; use a plot"
                    yield f"{path}:{bit.line}: {says}"
        for fence in sheet.fences:
            parts = PLOT.fullmatch(fence.body)
            told = parts and (parts["alt"] or "picture =" in parts["code"])
            if fence.kind == "plot" and not told:
                says = "the plot has no caption, or no alt"
                todo = "begin it with 'caption: ...', 'alt: ...' and '---'"
                yield f"{path}:{fence.line}: {says}; {todo}"
            if fence.kind == "plot" and not sheet.example_above(fence.line):
                says = "no example above the plot"
                yield f"{path}:{fence.line}: {says}; write one"


PICTURE = re.compile(r"(?i)<(img|svg|picture|object|canvas|iframe)\b")


Check = Callable[[Manuscript], Iterator[str]]
CHECKS: list[Check] = [
    fragments,
    figures,
    examples.alike,
    examples.collected,
    examples.marked,
    examples.outputs,
    elsewhere.unnoted,
    numbers.numbers,
    numbers.chapters,
    names.names,
    names.public,
    links.links,
]
ASIDE: list[Check] = [
    program,
    stages,
]


def check(manuscript: Manuscript) -> list[str]:
    """The faults of the book, one line for each."""
    with ThreadPoolExecutor(1) as pool:
        aside = pool.map(lambda look: list(look(manuscript)), ASIDE)
        faults = [fault for look in CHECKS for fault in look(manuscript)]
        return faults + [fault for found in aside for fault in found]
