"""The program as of every chapter, and what a page tells of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weave.book import Book
from weave.chapters import changes, program
from weave.tangle import fresh

if TYPE_CHECKING:
    from collections.abc import Callable

    Shelve = Callable[..., Path]
    Weave = Callable[..., str]

ROOT = Path(__file__).parents[2]
BOOK = Book.load(ROOT)
COUNTS = range(1, len(BOOK.chapters) + 1)

FIRST = """# Halves

``` {.python #halves file=src/halves.py}
def half(x):
    return x / 2
```
"""
SECOND = """# Quarters

``` {.python #halves}


def quarter(x):
    return half(x) / 2
```

``` {.python #more file=src/more.py}
<<limit>>
```

``` {.python #limit}
LIMIT = 1
```
"""


# This book -------------------------------------------------------------------


@pytest.mark.parametrize("count", COUNTS)
def test_the_quick_tangler_makes_what_entangled_makes(count: int) -> None:
    assert program(BOOK.first(count)) == fresh(ROOT, count)


@pytest.mark.parametrize("count", COUNTS)
def test_as_of_each_chapter_every_module_can_be_imported(
    count: int, tmp_path: Path
) -> None:
    files = program(BOOK.first(count))
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    names = [path.removeprefix("src/").removesuffix(".py") for path in files]
    lines = [f"import {name.replace('/', '.')}" for name in names]
    lines += ["import os", "own = 'src/tanglegrad/__init__.py'"]
    lines += ["assert os.path.samefile(tanglegrad.__file__, own)"]
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "src")},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stderr


def test_all_changes_together_are_the_program() -> None:
    added: dict[str, int] = {}
    for chapter in BOOK.chapters:
        for path, difference in changes(BOOK, chapter).items():
            plus = sum(line.startswith("+") for line in difference)
            minus = sum(line.startswith("-") for line in difference)
            added[path] = added.get(path, 0) + plus - minus
    lines = {path: len(text.splitlines()) for path, text in program(BOOK).items()}
    assert added == lines


# Any book --------------------------------------------------------------------


def test_a_chapter_changes_what_it_adds(shelve: Shelve) -> None:
    book = Book.load(shelve(FIRST, SECOND))
    assert changes(book, "docs/1.md") == {
        "src/halves.py": ["@@ -0,0 +1,2 @@", "+def half(x):", "+    return x / 2"]
    }
    second = changes(book, "docs/2.md")
    assert second["src/more.py"] == ["@@ -0,0 +1 @@", "+LIMIT = 1"]
    assert second["src/halves.py"][1:3] == [" def half(x):", "     return x / 2"]


def test_the_page_ends_with_what_its_chapter_changed(
    shelve: Shelve, weave: Weave
) -> None:
    shelve(FIRST, SECOND)
    (block,) = re.findall(
        r'<details class="changes".*</details>\Z', weave(SECOND), re.DOTALL
    )
    text = re.sub("<.*?>", "", block)
    assert "What this chapter changed" in text
    assert "src/halves.py, lines: 4 added, 0 removed" in text
    assert '<span class="gi">+\n+\n+def quarter(x):' in block
    assert "data-search-exclude" in block.partition(">")[0]


def test_a_file_that_is_all_of_one_chapter_is_a_link_to_its_page(
    shelve: Shelve, weave: Weave
) -> None:
    shelve(FIRST, SECOND)
    block = weave(SECOND).partition('<details class="changes"')[2]
    assert re.search(
        r'<a href="[^"]*program/more.md#line-1"><code>src/more.py</code></a>'
        ", a new file, lines: 1",
        block,
    )
    assert "+LIMIT" not in block


def test_the_page_of_a_book_at_fault_tells_no_changes(
    shelve: Shelve, weave: Weave
) -> None:
    shelve(FIRST, SECOND.replace("#limit}", "#limti}"))
    assert "changes" not in weave(FIRST)


def test_a_page_without_fragments_changes_nothing(shelve: Shelve, weave: Weave) -> None:
    shelve(FIRST)
    assert "changes" not in weave("# Title\n\nText.\n")


def test_the_counts_of_the_book_stand_where_they_are_asked_for(
    shelve: Shelve, weave: Weave
) -> None:
    shelve(FIRST, SECOND)
    page = weave("# Counts\n\n<!--tally-->\n")
    cells = re.findall(r"<td.*?>(.*?)</td>", page)
    counts = dict(zip(cells[::2], cells[1::2], strict=True))
    assert counts["fragments"] == "4"
    assert counts["examples run"] == "0"
