"""What stands in the book's fences, and how they are read."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from pytest_codeblocks.main import extract_from_file

from weave.book import Book
from weave.fences import Fence, read

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCES = [
    (page.relative_to(ROOT).as_posix(), fence)
    for page in PAGES
    for fence in read(page.read_text(encoding="utf-8"))
]

CODE = ("fragment", "example", "plot")
CLOCKS = {"time", "timeit", "resource", "profile", "cProfile", "datetime.datetime"}


def place(path: str, fence: Fence, line: int = 0) -> str:
    return f"{path}:{fence.line + line}"


def imports(code: str) -> set[str]:
    """The modules that a program imports, and what it takes out of them."""
    imported = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported |= {f"{node.module}.{alias.name}" for alias in node.names}
            imported.add(str(node.module))
    return imported


def clocks(code: str) -> set[str]:
    """What a program imports that tells it how late it is, or how long it took."""
    return imports(code) & CLOCKS


# This book -------------------------------------------------------------------


@pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix()
)
def test_every_example_is_run(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    examples = [fence.line for fence in read(text) if fence.kind == "example"]
    blocks = extract_from_file(page, max_num_lines=100_000)
    assert [b.lineno for b in blocks if b.syntax == "python"] == examples
    assert not [b.lineno for b in blocks if b.syntax == "python" and b.marks]


def test_what_looks_like_an_example_is_one() -> None:
    alike = [
        place(path, fence)
        for path, fence in FENCES
        if fence.kind not in ("fragment", "example")
        and fence.info.strip("{. ").lower().startswith("py")
    ]
    assert alike == []


def test_no_example_asks_what_time_it_is() -> None:
    """A busy machine would print something else."""
    late = [
        place(path, fence)
        for path, fence in FENCES
        if fence.kind == "example" and clocks(fence.body)
    ]
    assert late == []


@pytest.mark.parametrize(
    "code",
    [
        "from time import process_time",
        "import random, time",
        "def f():\n    import timeit as clock",
        "from datetime import date, datetime",
    ],
)
def test_a_program_that_asks_for_the_time_is_found(code: str) -> None:
    assert clocks(code)
    assert not clocks("# from timeit import timeit\nfrom datetime import timedelta")


@pytest.mark.parametrize("page", ["README.md", "docs/reading.md"])
def test_a_reader_is_told_to_install_what_the_chapters_need(page: str) -> None:
    needed = set()
    for chapter in (ROOT / "docs/book").glob("*.md"):
        for block in extract_from_file(chapter, max_num_lines=100_000):
            if block.syntax == "python" and not block.importorskip:
                needed |= {name.partition(".")[0] for name in imports(block.code)}
    others = needed - sys.stdlib_module_names - {"tanglegrad"}
    text = (ROOT / page).read_text(encoding="utf-8")
    told = re.search(r"pip install(.*)\npytest --codeblocks docs/book\n", text)
    assert told
    assert set(told[1].split()) - {"."} == {"pytest", "pytest-codeblocks", *others}


def test_no_line_of_code_is_wider_than_the_page() -> None:
    wide = []
    for path, fence in FENCES:
        lines = fence.body.splitlines() if fence.kind in CODE else []
        start = lines.index("---") if fence.kind == "plot" else 0
        wide += [
            place(path, fence, number)
            for number, line in enumerate(lines[start:], start + 1)
            if len(line) > 76
        ]
    assert wide == []


def test_no_fragment_is_longer_than_a_dozen_lines() -> None:
    lengths = {
        place(path, fence): sum(1 for line in fence.body.splitlines() if line.strip())
        for path, fence in FENCES
        if fence.kind == "fragment"
    }
    assert {where: length for where, length in lengths.items() if length > 12} == {}


def test_every_piece_of_the_book_has_its_own_address() -> None:
    anchors = Counter(piece.anchor for piece in Book.load(ROOT).pieces)
    assert [anchor for anchor, count in anchors.items() if count > 1] == []


# Reading ---------------------------------------------------------------------


def test_a_fence_knows_its_lines_and_its_text() -> None:
    (fence,) = read("# Title\n\n```text\none\ntwo\n```\n")
    assert (fence.line, fence.end, fence.body) == (3, 6, "one\ntwo\n")
    assert (fence.kind, fence.closed) == ("other", True)


@pytest.mark.parametrize(
    ("opening", "kind"),
    [
        ("``` {.python #half}", "fragment"),
        ("``` {.python file=src/half.py}", "fragment"),
        ("```{.python #half file=src/half.py}", "fragment"),
        ("```python", "example"),
        ("```plot", "plot"),
        ("```text", "other"),
        ("```", "other"),
        ("```Python", "other"),
        ("```python title", "other"),
        ("``` {.python}", "other"),
        ("~~~python", "other"),
        ("~~~ {.python #half}", "other"),
        ("```` {.python #half}", "other"),
    ],
)
def test_the_opening_line_says_what_a_fence_is_for(opening: str, kind: str) -> None:
    closing = opening[: len(opening) - len(opening.lstrip("`~"))]
    (fence,) = read(f"{opening}\n{closing}\n")
    assert fence.kind == kind


def test_a_root_without_a_name_goes_by_its_target() -> None:
    (fence,) = read("``` {.python file=src/half.py}\n```\n")
    assert (fence.language, fence.name, fence.target) == (
        "python",
        "src/half.py",
        "src/half.py",
    )


@pytest.mark.parametrize("gap", ["", "\n", "\n\n"])
def test_an_output_follows_its_mark(gap: str) -> None:
    text = f"<!--pytest-codeblocks:expected-output-->\n{gap}```text\n3\n```\n"
    (fence,) = read(text)
    assert fence.kind == "output"


def test_only_the_next_fence_is_the_output() -> None:
    text = "<!--pytest-codeblocks:expected-output-->\n```text\n3\n```\n"
    assert [fence.kind for fence in read(text + text[41:])] == ["output", "other"]


@pytest.mark.parametrize(
    "text",
    [
        "!!! note\n\n    ```python\n    pass\n    ```\n",
        "- a list\n\n    ```python\n    pass\n    ```\n",
        "<details>\n```python\npass\n```\n</details>\n",
        "> ```python\n> pass\n> ```\n",
    ],
    ids=["admonition", "list", "html", "quotation"],
)
def test_a_fence_is_a_fence_wherever_it_stands(text: str) -> None:
    (fence,) = read(text)
    assert (fence.kind, fence.body, fence.closed) == ("example", "pass\n", True)


def test_a_fence_shown_in_a_fence_is_not_one() -> None:
    (fence,) = read("~~~markdown\n```python\n```\n~~~\n")
    assert (fence.kind, fence.closed) == ("other", True)


def test_a_reference_stands_alone_on_its_line() -> None:
    body = "<<one>>\n    <<two-three>>  \nx << y >> z\nprint('<<four>>')\n"
    (fence,) = read(f"``` {{.python #x}}\n{body}```\n")
    assert fence.references == {"one": 2, "two-three": 3}
