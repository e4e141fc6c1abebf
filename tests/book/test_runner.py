"""What the examples run with in the page is the book's own package."""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from weave.book import Book
from weave.runner import wheels

ROOT = Path(__file__).parents[2]
BOOK = Book.load(ROOT)
MADE = wheels(BOOK, "1.2.3")


def modules(wheel: bytes) -> dict[str, str]:
    """The modules in a wheel, by path."""
    with ZipFile(BytesIO(wheel)) as archive:
        names = [name for name in archive.namelist() if name.startswith("tanglegrad/")]
        return {name: archive.read(name).decode() for name in names}


def test_the_whole_is_the_package_that_is_committed() -> None:
    source = ROOT / "src"
    files = (source / "tanglegrad").glob("*.py")
    assert modules(MADE[""]) == {
        file.relative_to(source).as_posix(): file.read_text("utf-8") for file in files
    }


def test_each_chapter_has_the_package_as_of_itself() -> None:
    chapters = [path for path in BOOK.chapters if path.startswith("docs/book/")]
    assert list(MADE)[1:] == [
        path.removeprefix("docs/").replace(".md", "/") for path in chapters
    ]
    first = modules(MADE["book/01-the-derivative/"])
    assert set(first) == {"tanglegrad/__init__.py", "tanglegrad/numeric.py"}
    last = MADE[list(MADE)[-1]]
    later = modules(MADE[""]).keys() - modules(last).keys()
    assert later == {"tanglegrad/exercises.py"}
    assert modules(last).items() <= modules(MADE[""]).items()


def test_the_same_book_makes_the_same_bytes() -> None:
    assert wheels(BOOK, "1.2.3") == MADE


@pytest.mark.parametrize("address", ["", "book/04-topological-backward/"])
def test_a_wheel_is_one_for_pip(address: str, tmp_path: Path) -> None:
    file = tmp_path / "tanglegrad-1.2.3-py3-none-any.whl"
    file.write_bytes(MADE[address])
    target = tmp_path / "installed"
    words = ["install", "--quiet", "--no-index", "--no-deps", "--target", str(target)]
    subprocess.run([sys.executable, "-m", "pip", *words, str(file)], check=True)
    code = "from importlib.metadata import version; import tanglegrad.micro; "
    done = subprocess.run(
        [sys.executable, "-c", code + "print(version('tanglegrad'))"],
        cwd=target,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.stdout, done.stderr) == ("1.2.3\n", "")
