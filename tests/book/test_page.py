"""What a reader sees of fragments and outputs."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

import pytest
from markdown import Markdown
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers.python import PythonLexer

from weave import WeaveError
from weave.book import Book
from weave.fences import read
from weave.listing import coloured

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
HALVES = FIRST.replace("<<more>>\n", "")
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
    bars = re.findall(r'<p class="fragment-title">(.*?)</p>', html)
    return [re.sub("<.*?>", "", bar) for bar in bars]


def links(html: str, look: str) -> list[str]:
    """The addresses of the links of one class, in order."""
    return re.findall(rf'<a class="{look}" href="(.*?)"', html)


def code(html: str, number: int) -> str:
    """The code of a fragment on a page, as text."""
    found = re.findall(r"<code>(.*?)</code>", html, re.DOTALL)
    return unescape(re.sub("<.*?>", "", found[number]))


# The title -------------------------------------------------------------------


def test_a_title_tells_name_sign_neighbours_use_and_file(
    shelve: Shelve, weave: Weave
) -> None:
    shelve(FIRST, SECOND)
    assert titles(weave(FIRST)) == [
        "⟨halves⟩ = src/halves.py",
        "⟨half⟩ = continued in chapter 2 used in ⟨halves⟩ used in ⟨more⟩ src/halves.py",
    ]


def test_a_piece_continues_the_one_of_an_earlier_chapter(
    shelve: Shelve, weave: Weave
) -> None:
    shelve(FIRST, SECOND)
    assert titles(weave(SECOND))[1].startswith("⟨half⟩ += continued from chapter 1 ")


def test_neighbours_on_one_page_are_above_and_below(
    shelve: Shelve, weave: Weave
) -> None:
    text = HALVES + "\n``` {.python #halves}\nA = 1\n```\n"
    shelve(text)
    page = weave(text)
    assert titles(page)[0] == "⟨halves⟩ = continued in below src/halves.py"
    assert titles(page)[-1] == "⟨halves⟩ += continued from above src/halves.py"
    assert links(page, "on") == ["#fragment-halves-2"]
    assert links(page, "from") == ["#fragment-halves"]


def test_links_lead_across_chapters(shelve: Shelve, weave: Weave) -> None:
    shelve(FIRST, SECOND)
    assert set(links(weave(FIRST), "on")) == {"2.md#fragment-half-2"}
    assert links(weave(SECOND), "from") == ["1.md#fragment-half"]
    assert links(weave(FIRST), "use") == ["#fragment-halves", "2.md#fragment-more"]


def test_the_file_leads_to_the_line_of_the_piece(shelve: Shelve, weave: Weave) -> None:
    shelve(FIRST, SECOND)
    page = "program/halves.md"
    assert links(weave(FIRST), "file") == [f"{page}#line-1", f"{page}#line-1"]
    assert links(weave(SECOND), "file") == [f"{page}#line-7", f"{page}#line-5"]


def test_every_file_that_a_fragment_ends_up_in_is_named(
    shelve: Shelve, weave: Weave
) -> None:
    both = FIRST + "\n``` {.python #both file=src/both.py}\n<<half>>\n```\n"
    shelve(both, SECOND)
    assert titles(weave(both))[1].endswith("src/both.py src/halves.py")


def test_pieces_are_counted_over_the_book(shelve: Shelve, weave: Weave) -> None:
    shelve(FIRST, SECOND)
    ids = re.compile(r'<div class="fragment" id="(fragment-[^"]*)">')
    assert ids.findall(weave(FIRST)) == ["fragment-halves", "fragment-half"]
    assert ids.findall(weave(SECOND)) == ["fragment-more", "fragment-half-2"]


# References ------------------------------------------------------------------


def test_a_reference_leads_to_the_definition(shelve: Shelve, weave: Weave) -> None:
    shelve(FIRST, SECOND)
    assert links(weave(FIRST), "reference") == ["#fragment-half"]
    assert links(weave(SECOND), "reference") == ["1.md#fragment-half"]


def test_a_reference_opens_as_far_as_the_chapter_knows(
    shelve: Shelve, weave: Weave
) -> None:
    shelve(FIRST, SECOND)
    first, second = code(weave(FIRST), 0), code(weave(SECOND), 0)
    assert first == (
        "⟨half⟩def half(x):\n    return x / 2\ncontinued in chapter 2\n⟨more⟩"
    )
    assert "return half(x) / 2\n" in second
    assert "continued" not in second


def test_an_opened_reference_stands_as_far_right_as_the_reference(
    shelve: Shelve, weave: Weave
) -> None:
    text = HALVES.replace("<<half>>", "if True:\n    <<half>>")
    shelve(text)
    opened = "    ⟨half⟩    def half(x):\n        return x / 2\n"
    assert code(weave(text), 0) == f"if True:\n{opened}"


def test_references_open_inside_references(shelve: Shelve, weave: Weave) -> None:
    text = HALVES + "\n``` {.python #all file=src/all.py}\n<<halves>>\n```\n"
    shelve(text)
    page = weave(text)
    assert re.search(r"<details>(?:(?!</details>).)*<details>", page, re.DOTALL)
    assert code(page, 2) == "⟨halves⟩⟨half⟩def half(x):\n    return x / 2\n"


def test_an_opened_reference_keeps_the_blank_lines_before_it(
    shelve: Shelve, weave: Weave
) -> None:
    text = HALVES.replace("<<half>>", "A = 1\n<<half>>").replace("def", "\n\ndef")
    shelve(text)
    assert code(weave(text), 0).startswith("A = 1\n⟨half⟩\n\ndef half")


def test_a_reference_to_what_is_not_there_yet_cannot_be_opened(
    shelve: Shelve, weave: Weave
) -> None:
    shelve(FIRST, SECOND)
    assert '<span class="reference">⟨more⟩</span>' in weave(FIRST)


def test_the_search_passes_over_what_is_folded(shelve: Shelve, weave: Weave) -> None:
    shelve(FIRST, SECOND)
    page = weave(FIRST)
    assert page.count("</summary>") == 1
    assert '</summary><span data-search-exclude="">' in page


def test_the_notation_of_the_source_is_not_shown(shelve: Shelve, weave: Weave) -> None:
    shelve(FIRST, SECOND)
    page = weave(SECOND)
    assert page.count("&lt;&lt;") == 1, "the shift in LIMIT is no reference"
    assert "#</span>" not in page


def test_a_circle_of_references_is_an_error(shelve: Shelve, weave: Weave) -> None:
    text = HALVES.replace("return x / 2", "<<half>>")
    shelve(text)
    with pytest.raises(WeaveError, match="uses itself: half -> half"):
        weave(text)


# Code ------------------------------------------------------------------------


def test_blank_lines_around_a_piece_are_not_shown(shelve: Shelve, weave: Weave) -> None:
    shelve(FIRST, SECOND)
    assert code(weave(SECOND), 1).startswith("def quarter(x):")


def test_the_code_is_coloured(shelve: Shelve, weave: Weave) -> None:
    shelve(FIRST, SECOND)
    assert '<div class="language-python highlight"><pre>' in weave(FIRST)
    assert '<span class="nf">half</span>' in weave(FIRST)


def test_a_string_over_a_reference_keeps_its_colour(
    shelve: Shelve, weave: Weave
) -> None:
    text = HALVES.replace("<<half>>", 'A = """\n<<half>>\nend"""')
    shelve(text)
    assert '<span class="s">end&quot;&quot;&quot;</span>' in weave(text).replace(
        '"""</span>', "&quot;&quot;&quot;</span>"
    )


def test_a_draft_is_a_book_of_its_own(shelve: Shelve, weave: Weave) -> None:
    shelve(FIRST, SECOND)
    draft = "# Draft\n\n``` {.python #half file=src/draft.py}\npass\n```\n"
    assert titles(weave(draft)) == ["⟨half⟩ = src/draft.py"]
    assert links(weave(draft), "file") == []


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
        r'<div class="language-python highlight">.*</div>\n'
        r'<div class="language-text output highlight">',
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
    assert '<div class="language-text output highlight"' in page
    assert "pytest" not in page


def test_the_check_of_a_number_is_not_shown(weave: Weave) -> None:
    assert weave("A is 5. <!--= 5: 2\n+ 3 -->\nB is 6.\n<!--= 6: 5 + 1 -->\nEnd.") == (
        "<p>A is 5.\nB is 6.\nEnd.</p>"
    )


def test_a_mark_shown_in_a_fence_stays(weave: Weave) -> None:
    mark = "pytest-codeblocks:expected-output"
    assert mark in weave(f"~~~markdown\n<!--{mark}-->\n~~~\n")


def test_other_pages_lose_the_marks_of_what_has_no_colour(weave: Weave) -> None:
    text = "# Title\n\nText, `code`.\n\n```python\nprint(1 << 2)\n```\n\n    <<x>>\n"
    marked = weave(text, woven=False)
    bare = re.sub(r'<span class="[pno]">(.*?)</span>', r"\1", marked)
    assert len(bare) < len(marked)
    assert weave(text) == bare


def test_a_table_stands_alone_in_a_box(weave: Weave) -> None:
    table = "| a |\n| - |\n| 1 |\n"
    page = weave(f"Before.\n\n{table}\nAfter.\n\n- item\n\n{indent(table, '    ')}")
    assert page.count("<table>") == 2
    assert len(re.findall(r"<div>\s*<table>.*?</table>\s*</div>", page, re.DOTALL)) == 2
    assert page.index("</div>") < page.index("<p>After.</p>")


# The classes that have no colour on our pages, and those of strings, which have one.
SAME = dict.fromkeys(["fm", "n", "o", "p", "sa", "w"], "")
SAME |= dict.fromkeys(["s1", "s2", "si"], "s")


def colours(html: str) -> list[tuple[str, str]]:
    """Each sign of some code but blanks, with its class."""
    mark = re.compile(r'<(?:span class="(\w+)"|/span)>([^<]*)')
    return [
        (sign, SAME.get(look, look))
        for look, text in mark.findall(f"</span>{html}")
        for sign in unescape(text)
        if not sign.isspace()
    ]


def of_pygments(code: str) -> list[tuple[str, str]]:
    """The colours that Pygments itself gives to some Python."""
    lexer, formatter = PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)
    return colours(highlight(code, lexer, formatter))


def test_neighbours_of_one_colour_share_a_mark() -> None:
    (line,) = coloured("f'{x}, {y!r}'", "python")
    assert line == (
        """f<span class="s">'{</span>x<span class="s">}, {</span>y"""
        """<span class="s">!r}'</span>"""
    )


def test_python_has_the_colours_of_pygments() -> None:
    pages = [file.read_text(encoding="utf-8") for file in ROOT.glob("docs/**/*.md")]
    fences = [fence for page in pages for fence in read(page)]
    codes = [f.body for f in fences if f.kind in {"example", "fragment"}]
    assert len(codes) > 1000
    for code in codes:
        assert colours("\n".join(coloured(code, "python"))) == of_pygments(code)


@pytest.mark.parametrize(
    "code",
    [
        "match x:\n    case [.5, 1.5, *_]:\n        type = x.type.sum(y)\n",
        "x = f\"{a.b:{w}.2f} {d['k']!r}\" + rb'\\x' + u'é' if not é else None\n",
        'def f(*, a: int = 0) -> "A":\n    """Say\n    more."""\n    @ b . c\n',
        "class A(B, metaclass=C): ...\nfrom . import (a as b, c)\nlambda: (yield)\n",
        "type X = list[int]\nprint = self.print; __all__ = [...]\nawait x.__len__()\n",
    ],
)
def test_rare_python_has_the_colours_of_pygments(code: str) -> None:
    assert colours("\n".join(coloured(code, "python"))) == of_pygments(code)


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
        assert re.findall(r'<div class="fragment" id="(.*?)">', page) == [
            piece.anchor for piece in pieces
        ]
