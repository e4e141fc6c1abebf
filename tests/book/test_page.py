"""What a reader sees of fragments and outputs."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

import pytest
from markdown import Markdown

from weave import WeaveError
from weave.book import Book

if TYPE_CHECKING:
    from collections.abc import Callable

    Shelve = Callable[..., Path]
    Weave = Callable[..., str]

ROOT = Path(__file__).parents[2]

FIRST = """# Halves

``` {.python #halves file=src/halves.py}
<<half>>
<<more>>
```

``` {.python #half}
def half(x):
    return x / 2
```
"""
SECOND = """# More

``` {.python #more}
<<half>>
LIMIT = 1 << 3
```

``` {.python #half}


def quarter(x):
    return half(x) / 2
```
"""


def titles(html: str) -> list[str]:
    """The title bars of the fragments on a page, as text."""
    bars = re.findall(r'<span class="filename">(.*?)</span></span>', html)
    return [re.sub("<.*?>", "", bar) for bar in bars]


def test_a_title_tells_name_sign_and_file(shelve: Shelve, weave: Weave) -> None:
    shelve(FIRST, SECOND)
    assert titles(weave(FIRST)) == [
        "⟨halves⟩ = src/halves.py",
        "⟨half⟩ = src/halves.py",
    ]


def test_a_piece_continues_the_one_of_an_earlier_chapter(
    shelve: Shelve, weave: Weave
) -> None:
    shelve(FIRST, SECOND)
    assert titles(weave(SECOND)) == [
        "⟨more⟩ = src/halves.py",
        "⟨half⟩ += src/halves.py",
    ]


def test_every_file_that_a_fragment_ends_up_in_is_named(
    shelve: Shelve, weave: Weave
) -> None:
    both = FIRST + "\n``` {.python #both file=src/both.py}\n<<half>>\n```\n"
    shelve(both, SECOND)
    assert titles(weave(both))[1] == "⟨half⟩ = src/both.py, src/halves.py"


def test_pieces_are_counted_over_the_book(shelve: Shelve, weave: Weave) -> None:
    shelve(FIRST, SECOND)
    ids = re.compile(r'<div id="(fragment-[^"]*)">')
    assert ids.findall(weave(FIRST)) == ["fragment-halves", "fragment-half"]
    assert ids.findall(weave(SECOND)) == ["fragment-more", "fragment-half-2"]


def test_a_reference_leads_to_the_definition_on_its_page(
    shelve: Shelve, weave: Weave
) -> None:
    shelve(FIRST, SECOND)
    link = '\n<a class="reference" href="#fragment-half">⟨half⟩</a>\n'
    assert link in weave(FIRST).replace("<code>", "\n")


def test_a_reference_to_another_page_is_drawn_without_a_link(
    shelve: Shelve, weave: Weave
) -> None:
    shelve(FIRST, SECOND)
    assert '<span class="reference">⟨more⟩</span>' in weave(FIRST)


def test_the_notation_of_the_source_is_not_shown(shelve: Shelve, weave: Weave) -> None:
    shelve(FIRST, SECOND)
    page = weave(SECOND)
    assert page.count("&lt;&lt;") == 1, "the shift in LIMIT is no reference"
    assert "# <" not in page


def test_a_reference_keeps_its_indentation(shelve: Shelve, weave: Weave) -> None:
    text = FIRST.replace("<<half>>", "def whole(x):\n    <<half>>")
    shelve(text, SECOND)
    assert '    <a class="reference" href="#fragment-half">⟨half⟩</a>\n' in weave(text)


def test_blank_lines_around_a_piece_are_not_shown(shelve: Shelve, weave: Weave) -> None:
    shelve(FIRST, SECOND)
    code = re.findall(r"<code>(.*?)</code>", weave(SECOND), re.DOTALL)[1]
    assert code.startswith('<span class="k">def</span>')


def test_the_code_is_coloured_as_the_site_says(shelve: Shelve, weave: Weave) -> None:
    shelve(FIRST, SECOND)
    assert '<div class="fragment highlight"><span class="filename">' in weave(FIRST)
    assert '<span class="nf">half</span>' in weave(FIRST)


def test_a_draft_is_a_book_of_its_own(shelve: Shelve, weave: Weave) -> None:
    shelve(FIRST, SECOND)
    draft = "# Draft\n\n``` {.python #half file=src/draft.py}\npass\n```\n"
    assert titles(weave(draft)) == ["⟨half⟩ = src/draft.py"]


def test_a_fragment_must_stand_at_the_margin(shelve: Shelve, weave: Weave) -> None:
    item = indent("``` {.python #half file=src/a.py}\npass\n```\n", "    ")
    text = f"# Lists\n\n- item\n\n{item}"
    shelve(text)
    with pytest.raises(WeaveError, match="Lists, line 5: a fragment must stand at"):
        weave(text)


def test_an_output_gets_its_class_and_loses_its_mark(weave: Weave) -> None:
    page = weave(
        "```python\nprint(1)\n```\n\n"
        "<!--pytest-codeblocks:expected-output-->\n\n```text\n1\n```\n"
    )
    assert re.search(
        r'<div class="highlight">.*</div>\n<div class="output highlight">',
        page,
        re.DOTALL,
    )
    assert "pytest" not in page


def test_an_output_may_stand_in_a_note(weave: Weave) -> None:
    page = weave(
        "- note\n\n    <!--pytest-codeblocks:expected-output-->\n"
        "    ```text\n    1\n    ```\n"
    )
    assert page.startswith("<ul>")
    assert '<div class="output highlight"' in page
    assert "pytest" not in page


def test_the_check_of_a_number_is_not_shown(weave: Weave) -> None:
    assert weave("A is 5. <!--= 5: 2\n+ 3 -->\nB is 6.\n<!--= 6: 5 + 1 -->\nEnd.") == (
        "<p>A is 5.\nB is 6.\nEnd.</p>"
    )


def test_a_mark_shown_in_a_fence_stays(weave: Weave) -> None:
    mark = "pytest-codeblocks:expected-output"
    assert mark in weave(f"~~~markdown\n<!--{mark}-->\n~~~\n")


def test_other_pages_are_left_as_they_are(weave: Weave) -> None:
    text = "# Title\n\nText, `code`.\n\n```python\nprint(1 << 2)\n```\n\n    <<x>>\n"
    assert weave(text) == weave(text, woven=False)


def test_every_chapter_finds_its_place_in_the_book() -> None:
    book = Book.load(ROOT)
    for chapter, text in book.chapters.items():
        page = Markdown(
            extensions=["md_in_html", "pymdownx.superfences", "weave.page"],
            extension_configs={"weave.page": {"root": str(ROOT)}},
        ).convert(
            re.sub(r"^```plot\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
        )
        pieces = [piece for piece in book.pieces if piece.chapter == chapter]
        assert re.findall(r'<div id="(fragment-.*?)">', page) == [
            piece.anchor for piece in pieces
        ]
