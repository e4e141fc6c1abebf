"""The program as of each chapter, and what a chapter changes in it."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from difflib import unified_diff
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from .book import Book, Line
from .manuscript import Manuscript, Sheet, run_all
from .running import Workshop
from .tangle import tidy, write
from . import WeaveError


def program(book: Book) -> dict[str, str]:
    """The files that a book makes, by path."""
    if faults := [*book.missing(), *book.circle]:
        raise WeaveError("\n".join(faults))
    return {
        path: tidy("\n".join(line.text for line in lines))
        for path, lines in sorted(book.program.items())
    }


def stages(manuscript: Manuscript) -> Iterator[str]:
    """Chapters after which the package does not work."""
    book = manuscript.book
    if book.faults:
        return
    makers = {
        piece.chapter
        for piece in book.pieces
        for file in book.files[piece.fence.name]
        if file.startswith("src/tanglegrad/")
    }
    books = [
        book.first(count).chapters
        for count, chapter in enumerate(book.chapters, start=1)
        if chapter in makers
    ]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        for faults in pool.map(attempt, books[:-1]):
            yield from faults


def attempt(chapters: dict[str, str]) -> list[str]:
    """What fails on the program that some chapters make, if anything."""
    *_, last = chapters
    with TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        files = program(Book(chapters))
        for path, text in files.items():
            write(Path(folder) / path, text)
        faults = list(_imports(source, list(files), last))
        for path in _reached(chapters, files) if not faults else ():
            faults += _failures(Sheet(path, chapters[path]), source, last)
    return faults


def _reached(chapters: dict[str, str], files: dict[str, str]) -> list[str]:
    """The chapters whose examples the last one may have changed."""
    *before, last = chapters
    earlier = program(Book({path: chapters[path] for path in before}))
    return [last] if earlier.items() <= files.items() else [*chapters]


def _imports(source: Path, paths: list[str], last: str) -> Iterator[str]:
    """The modules that cannot be imported as of a chapter."""
    for path in paths:
        module = path.removeprefix("src/").removesuffix(".py")
        try:
            code = f"import {module.replace('/', '.')}"
            Workshop(source).run(code, 0, {})
        except WeaveError as error:
            says = f"as of this chapter {path} does not import, {error}"
            yield f"{last}:1: {says}; use only what is there by then"


def _failures(sheet: Sheet, source: Path, last: str) -> Iterator[str]:
    """The examples of a sheet that fail as of a chapter."""
    for line, run in run_all(sheet, source).items():
        (example,) = (f for f in sheet.fences if f.line == line)
        output = sheet.output_of(example)
        if run.lacks:
            continue
        if run.error or (output and run.printed != output.body):
            says = run.error or "it prints something else than is shown"
            todo = "make it work with what the book has by then"
            yield f"{sheet.path}:{line}: as of {last}, {says}; {todo}"


def changes(book: Book, chapter: str) -> dict[str, list[str]]:
    """The files that a chapter changes, with the difference in each."""
    count = list(book.chapters).index(chapter)
    before, after = (
        {*list(book.chapters)[:number]} for number in (count, count + 1)
    )
    found = {}
    for path, lines in sorted(book.program.items()):
        if any(chapter in line.chapters for line in lines):
            old, new = _known(lines, before), _known(lines, after)
            found[path] = list(_difference(old, new))
    return found


def _known(lines: list[Line], chapters: set[str]) -> str:
    """The text of those lines of a file that some chapters lead to."""
    known = [x.text for x in lines if chapters.issuperset(x.chapters)]
    return "\n".join(known).rstrip()


def _difference(old: str, new: str) -> Iterator[str]:
    found = unified_diff(old.splitlines(), new.splitlines(), lineterm="")
    return islice(found, 2, None)
