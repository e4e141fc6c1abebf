"""How much there is to check: the book in numbers."""

from collections.abc import Callable

from .manuscript import Manuscript
from .numbers import said
import tomllib

from .chapters import program


COUNTS: dict[str, Callable[[Manuscript], int]] = {
    "fragments": lambda whole: len(whole.book.pieces),
}


def tally(manuscript: Manuscript) -> dict[str, int]:
    """The counts of a manuscript, by what is counted."""
    return {what: count(manuscript) for what, count in COUNTS.items()}


def _fences(kind: str) -> Callable[[Manuscript], int]:
    return lambda whole: sum(
        fence.kind == kind and not sheet.lacks(fence)
        for sheet in whole.sheets.values()
        for fence in sheet.fences
    )


COUNTS["examples run"] = _fences("example")
COUNTS["outputs compared"] = _fences("output")


COUNTS["examples run elsewhere"] = lambda whole: sum(
    bool(fence.kind == "example" and sheet.lacks(fence))
    for sheet in whole.sheets.values()
    for fence in sheet.fences
)
COUNTS["numbers checked"] = lambda whole: sum(
    len(said(block))
    for sheet in whole.sheets.values()
    for block in sheet.blocks
)


def _lines(manuscript: Manuscript) -> int:
    """The lines of the package that are not blank."""
    files = program(manuscript.book).items()
    ours = [text for path, text in files if "/tanglegrad/" in path]
    return sum(bool(line) for text in ours for line in text.splitlines())


COUNTS["lines of the package"] = _lines


def _mutants(kind: str) -> Callable[[Manuscript], int]:
    def count(manuscript: Manuscript) -> int:
        file = manuscript.root / "docs/colophon/mutants.toml"
        text = file.read_text("utf-8") if file.exists() else ""
        return sum(m[kind] for m in tomllib.loads(text).values())

    return count


COUNTS["mutants made"] = _mutants("made")
COUNTS["mutants killed"] = _mutants("killed")
