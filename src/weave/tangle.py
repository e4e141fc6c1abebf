"""Writing the program from the book; Entangled does the tangling."""

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from . import WeaveError
from .book import Book


def fresh(root: Path, chapters: int | None = None) -> dict[str, str]:
    """The files of the book in root, by path, as a clean tangle has them.

    chapters: tangle only so many, from the first. Raises WeaveError
    with a line for every fault of the book.
    """
    whole = Book.load(root)
    book = whole if chapters is None else whole.first(chapters)
    if faults := whole.faults:
        raise WeaveError("\n".join(faults))
    return _entangle(book, (root / "entangled.toml").read_text("utf-8"))


def _entangle(book: Book, settings: str) -> dict[str, str]:
    with TemporaryDirectory() as folder:
        scratch = Path(folder)
        write(scratch / "entangled.toml", settings)
        for path, text in book.chapters.items():
            write(scratch / path, text)
        run = subprocess.run(
            [sys.executable, "-Xutf8", "-m", "entangled.main", "tangle"],
            cwd=scratch,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        made = {}
        for file in sorted(scratch.glob("src/**/*.*")):
            path = file.relative_to(scratch).as_posix()
            made[path] = tidy(file.read_text("utf-8"))
        if sorted(made) != book.targets:
            said = f"{run.stdout}{run.stderr}"
            wrong = f"Entangled made {sorted(made)}, not {book.targets}"
            raise WeaveError(f"{wrong}:\n{said}")
        return made


def write(file: Path, text: str) -> None:
    """Write a text, the same bytes everywhere, and make its folder."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())


def tidy(text: str) -> str:
    """The text without blanks at line ends, with one newline at its end."""
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).rstrip() + "\n"


def tangle(root: Path) -> list[str]:
    """Bring the book's files in root up to date; which were written.

    Raises WeaveError, and writes none, if one was edited by hand.
    """
    made = fresh(root)
    old = [path for path in made if _differs(root / path, made[path])]
    book = Book.load(root)
    if edited := [path for path in old if _is_youngest(root, path, book)]:
        raise WeaveError(
            f"edited by hand: {', '.join(edited)}. Carry the change into a "
            "chapter (weave check names the line); to let it go, "
            "remove the file. Nothing was written."
        )
    for path in old:
        write(root / path, made[path])
    return old


def _differs(file: Path, text: str) -> bool:
    return not file.exists() or file.read_bytes() != text.encode()


def _is_youngest(root: Path, path: str, book: Book) -> bool:
    chapters = [root / chapter for chapter in book.chapters_of(path)]
    newest = max(chapter.stat().st_mtime_ns for chapter in chapters)
    file = root / path
    return file.exists() and file.stat().st_mtime_ns > newest
