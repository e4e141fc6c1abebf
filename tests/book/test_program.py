"""The pages of whole files, the indexes, and where each name was introduced."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weave.book import Book
from weave.definitions import definitions
from weave.indexes import fragments, names
from weave.listing import coloured
from weave.program import _coloured, about, whole_file
from weave.uses import uses

if TYPE_CHECKING:
    from collections.abc import Callable
    from xml.etree.ElementTree import Element

    Shelve = Callable[..., Path]
    Weave = Callable[..., str]

ROOT = Path(__file__).parents[2]
ENGINE = """# Engine

``` {.python #engine file=src/tanglegrad/engine.py}
import math

LIMIT = 1.0


class Value:
    data: float

    <<init>>
```

``` {.python #init}
def __init__(self, data):
    self.data = data
    self.grad = math.log(LIMIT)
```

``` {.python #engine}

def log(value):
    return value.data
```
"""
NET = """# Net

``` {.python #net file=src/tanglegrad/net.py}
from . import engine
from .engine import Value


def run(x):
    return engine.log(Value(x)) + x.grad
```
"""
MICRO = """# Micro

``` {.python #micro file=src/tanglegrad/micro.py}
class Value:
    def __init__(self):
        self.grad = 0.0

    def show(self):
        return self.grad
```
"""
SMALL = Book({"docs/1.md": ENGINE, "docs/2-net.md": NET, "docs/3.md": MICRO})
MODULE = "src/tanglegrad/engine.py"


@pytest.fixture(scope="module")
def book() -> Book:
    """The real book."""
    return Book.load(ROOT)


# Line by line ----------------------------------------------------------------


def test_the_lines_of_the_book_are_those_of_the_files(book: Book) -> None:
    for path, lines in book.program.items():
        text = "".join(f"{line.text}\n" for line in lines)
        assert text == (ROOT / path).read_text(encoding="utf-8"), path


def test_every_line_knows_its_chapter_and_its_number(book: Book) -> None:
    for lines in book.program.values():
        for line in lines:
            chapter = book.chapters[line.piece.chapter].splitlines()
            assert chapter[line.number - 1].strip() == line.text.strip()


def test_a_piece_begins_at_its_first_line_with_something_on_it() -> None:
    rows = [SMALL.row(piece, MODULE) for piece in SMALL.fragments["engine"]]
    assert rows == [1, 13]
    (init,) = SMALL.fragments["init"]
    assert SMALL.row(init, MODULE) == 9


# A file as a page ------------------------------------------------------------


def text(element: Element) -> str:
    """The text below an element, without what a copy leaves out."""
    left_out = {"row", "run"}
    own = "" if element.get("class") in left_out else element.text or ""
    return own + "".join(text(child) + (child.tail or "") for child in element)


def test_a_page_shows_the_whole_file(book: Book) -> None:
    for path in book.targets:
        written = (ROOT / path).read_text(encoding="utf-8")
        assert text(whole_file(book, path)) + "\n" == written


def test_every_line_leads_to_its_piece(book: Book) -> None:
    for path, lines in book.program.items():
        rows = [a for a in whole_file(book, path).iter("a") if a.get("class") == "row"]
        assert [row.get("id") for row in rows] == [
            f"line-{number}" for number in range(1, len(lines) + 1)
        ]
        for row, line in zip(rows, lines, strict=True):
            if line.text:
                address = f"{line.piece.chapter.removeprefix('docs/')}"
                wanted = f"../../{address}#{line.piece.anchor}"
                assert row.get("href") == wanted


def test_the_tab_key_stops_at_the_first_line_of_each_run() -> None:
    page = whole_file(SMALL, MODULE)
    stops = [a for a in page.iter("a") if a.get("tabindex") != "-1"]
    assert [a.text for a in stops] == ["⟨engine⟩", "⟨init⟩", "⟨engine⟩"]


def test_a_file_has_the_colours_that_it_has_as_a_whole() -> None:
    book = Book.load(ROOT)
    blanks = re.compile(r'(<span class="\w+">)( +)')
    for path, lines in book.program.items():
        whole = coloured("\n".join(line.text for line in lines), "python")
        expected = [blanks.sub(r"\2\1", line) for line in whole]
        shown = [blanks.sub(r"\2\1", line) for line in _coloured(lines)]
        assert shown == expected, path


def test_a_fragment_in_a_string_has_the_colours_of_the_string() -> None:
    chapter = (
        f"``` {{.python #names file={MODULE}}}\n"
        'NAMES = """\n<<the-names>>\n"""\n```\n\n'
        "``` {.python #the-names}\nclass is in\n```\n"
    )
    page = whole_file(Book({"docs/1.md": chapter}), MODULE)
    assert [mark.text for mark in page.iter("span")][-2:] == ["class is in", '"""']


def test_the_page_names_the_chapters_that_wrote_the_file() -> None:
    assert about(SMALL, MODULE) == (
        "`src/tanglegrad/engine.py`, 14 lines, written in "
        "[chapter 1](../../1.md#fragment-engine)."
    )


def test_a_comment_stands_for_the_file(shelve: Shelve, weave: Weave) -> None:
    shelve(ENGINE)
    page = weave(f"# engine.py\n\n<!--file: {MODULE}-->\n")
    assert 'id="line-14"' in page
    assert "<p><code>src/tanglegrad/engine.py</code>, 14 lines" in page


def test_every_file_has_a_page() -> None:
    pages = (ROOT / "docs/program").glob("*/*.md")
    shown = re.compile(r"^<!--file: (.*)-->$", re.MULTILINE)
    files = [shown.findall(page.read_text(encoding="utf-8")) for page in pages]
    assert sorted(files) == [[path] for path in Book.load(ROOT).targets]


# Definitions and uses --------------------------------------------------------


def test_functions_classes_assignments_and_attributes_define() -> None:
    found = [d for d in definitions(SMALL) if d.path == MODULE]
    assert [(d.name, d.line, d.piece.fence.name) for d in found] == [
        ("LIMIT", 3, "engine"),
        ("Value", 6, "engine"),
        ("Value.data", 7, "engine"),
        ("Value.__init__", 9, "init"),
        ("Value.grad", 11, "init"),
        ("log", 13, "engine"),
    ]


def used(name: str, module: str = "tanglegrad.engine") -> list[str]:
    """The fragments that use what a module of the small book defines."""
    (pieces,) = (
        pieces
        for found, pieces in uses(SMALL).items()
        if (found.module, found.name) == (module, name)
    )
    return [piece.fence.name for piece in pieces]


def test_a_name_is_used_where_it_is_mentioned() -> None:
    assert used("LIMIT") == ["init"]
    assert used("Value") == ["net"]


def test_a_name_behind_a_module_is_that_modules() -> None:
    assert used("log") == ["net"], "math.log is another"


def test_an_attribute_means_the_nearest_class() -> None:
    assert used("Value.grad") == ["net"]
    assert used("Value.grad", "tanglegrad.micro") == [], "its own piece is no news"
    assert used("Value.data") == ["init", "engine"]


# Indexes ---------------------------------------------------------------------


def told(lines: list[str]) -> str:
    """What an index says, as HTML."""
    return unescape("\n".join(lines))


def numbered(number: str, address: str, says: str) -> str:
    """A link of an index that shows a number."""
    return f'<a href="{address}" aria-label="{says}" title="{says}">{number}</a>'


def test_the_links_of_an_index_have_names_of_their_own(book: Book) -> None:
    numbers = re.compile('<a href="([^"]*)" aria-label="([^"]*)"[^>]*>(.*?)</a>')
    links = {*numbers.findall(told(fragments(book)))}
    assert len({there for there, _, _ in links}) == len(book.pieces)
    assert len({called for _, called, _ in links}) == len(book.pieces)
    assert [link for link in links if link[2] not in link[1]] == []


def test_the_index_of_fragments_has_all_of_them(book: Book) -> None:
    listed = re.findall("<li><strong>⟨(.*?)⟩</strong>", told(fragments(book)))
    assert sorted(listed) == sorted(book.fragments)


def test_a_fragment_is_listed_with_its_pieces_and_users() -> None:
    lines = told(fragments(SMALL))
    init = numbered("1", "../1.md#fragment-init", "chapter 1: ⟨init⟩")
    assert f"<li><strong>⟨init⟩</strong> {init}; " in lines
    says = "chapter 1: ⟨engine⟩, piece"
    assert (
        "<li><strong>⟨engine⟩</strong> "
        f"{numbered('1', '../1.md#fragment-engine', f'{says} 1 of 2')}, "
        f"{numbered('1', '../1.md#fragment-engine-2', f'{says} 2 of 2')}; "
        '<a href="tanglegrad/engine.md#line-1">'
        "<code>src/tanglegrad/engine.py</code></a></li>\n"
    ) in lines


def test_the_index_of_names_has_every_definition(book: Book) -> None:
    listed = told(names(book)).count("<li>")
    assert listed == len(list(definitions(book)))


def test_a_name_is_listed_with_its_class_and_its_users() -> None:
    init = numbered("1", "../1.md#fragment-init", "chapter 1: ⟨init⟩")
    assert (
        "<li><strong><code>grad</code></strong> of <code>engine.Value</code> "
        f"{init}; "
        'used in <a href="../2-net.md#fragment-net">⟨net⟩</a></li>\n'
    ) in told(names(SMALL))


def test_a_comment_stands_for_an_index(shelve: Shelve, weave: Weave) -> None:
    shelve(ENGINE)
    page = weave("# Index\n\n<!--fragments-->\n\n<!--names-->\n")
    assert page.count("⟨init⟩") > 1
    assert '<div class="index"><ul>\n<li><strong><code>' in page
    assert "data-list" not in page
    assert "<code>LIMIT</code>" in page
    assert "<!--" not in page


# Introductions ---------------------------------------------------------------


def test_an_entry_of_the_reference_says_where_it_was_introduced(
    shelve: Shelve, weave: Weave
) -> None:
    shelve(ENGINE)
    entry = '<h2 id="tanglegrad.engine.log" class="doc doc-heading">log</h2>'
    page = weave(f"::: tanglegrad.engine\n\n<div>{entry}</div>\n")
    (said,) = re.findall(f"{entry}(<p.*?</p>)", page)
    assert unescape(re.sub("<.*?>", "", said)) == (
        "Introduced in chapter 1, ⟨engine⟩; line 13 of engine.py"
    )
    assert 'href="../1.md#fragment-engine-2"' in said
    assert 'href="../program/tanglegrad/engine.md#line-13"' in said
    assert page.count("Introduced in") == 1, "names without an entry are not told"
