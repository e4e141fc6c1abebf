"""What a page becomes when it is written down as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from weave import WeaveError
from weave.site import Site
from weave.twins import write

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = """
site_name: halves
site_description: A book about halves.
site_url: https://halves.example/book/
nav:
  - The book:
      - Front page: index.md
      - Halves:
          - book/01-halves.md
          - book/02-quarters.md
"""
PAGES = ["", "book/01-halves/", "book/02-quarters/"]


def build(root: Path, article: str, page: str = "book/01-halves/") -> Site:
    """A site in which one page has the given article."""
    (root / "mkdocs.yml").write_text(SETTINGS, encoding="utf-8")
    for address in PAGES:
        inside = article if address == page else "<h1>Other</h1><p>Text.</p>"
        file = root / "site" / address / "index.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        html = f"<nav>Menu</nav><article>{inside}</article><footer>Foot</footer>"
        file.write_text(html, encoding="utf-8")
    return Site(root, root / "site")


def twin(root: Path, article: str, page: str = "book/01-halves/") -> str:
    """The twin of a page with the given article."""
    write(build(root, article, page))
    return (root / "site" / page / "index.md").read_text(encoding="utf-8")


def test_the_pages_come_in_the_order_of_the_settings(tmp_path: Path) -> None:
    site = build(tmp_path, "")
    assert list(site.leaves) == PAGES
    assert [leaf.part for leaf in site.leaves.values()] == [
        "The book",
        "Halves",
        "Halves",
    ]


@pytest.mark.parametrize(
    ("link", "place"),
    [
        ("#half", ("book/01-halves/", "half")),
        ("../02-quarters/", ("book/02-quarters/", "")),
        ("../02-quarters/#quarter", ("book/02-quarters/", "quarter")),
        ("../..", ("", "")),
        ("../../#top", ("", "top")),
        ("../../assets/style.css", ("assets/style.css", "")),
        ("https://elsewhere.example/", None),
        ("mailto:somebody@elsewhere.example", None),
    ],
)
def test_a_link_leads_to_a_place(
    tmp_path: Path, link: str, place: tuple[str, str] | None
) -> None:
    site = build(tmp_path, "")
    assert site.place(site.leaves["book/01-halves/"], link) == place


def test_a_page_without_an_article_is_an_error(tmp_path: Path) -> None:
    site = build(tmp_path, "")
    site.leaves[""].file.write_text("<p>Text.</p>", encoding="utf-8")
    with pytest.raises(WeaveError, match=r"index\.html has no article"):
        write(site)


def test_a_twin_has_what_there_is_to_read(tmp_path: Path) -> None:
    assert twin(
        tmp_path,
        '<a class="md-content__button" href="edit">Edit</a>'
        '<h1 id="halves">Halves<a class="headerlink" href="#halves">¶</a></h1>'
        "<p>One <em>half</em>,\nof <code>a_b * 2</code>.</p>"
        '<p class="twin"><a href="index.md">As text</a></p>',
    ) == ("# Halves\n\nOne *half*,\nof `a_b * 2`.\n")


def test_the_number_of_a_chapter_stands_in_the_heading(tmp_path: Path) -> None:
    page = '<p class="eyebrow">Chapter 1</p><h1>Halves</h1>'
    assert twin(tmp_path, page) == "# Chapter 1: Halves\n"


def test_a_fragment_has_its_title_and_its_code(tmp_path: Path) -> None:
    assert twin(
        tmp_path,
        '<div class="fragment" id="fragment-half"><p class="fragment-title">'
        '<span class="fragment-name">⟨half⟩</span> '
        '<span class="fragment-sign">+=</span> '
        '<a class="from" href="../02-quarters/#fragment-half">chapter 2</a></p>'
        '<div class="language-python highlight"><pre><span></span><code>'
        '<span class="k">def</span> half(x):\n'
        '<details><summary>    <a href="#b">⟨body⟩</a></summary>'
        "<span>    return x / 2\n</span></details></code></pre></div></div>",
    ) == (
        "**⟨half⟩** += [chapter 2](../02-quarters/index.md)\n\n"
        "```python\ndef half(x):\n    ⟨body⟩\n```\n"
    )


def test_an_output_is_marked_as_one(tmp_path: Path) -> None:
    page = '<div class="language-text output highlight"><pre>3.5\n</pre></div>'
    assert twin(tmp_path, page) == "Output:\n\n```text\n3.5\n```\n"


def test_a_fence_around_fences_is_longer(tmp_path: Path) -> None:
    page = '<div class="language-text highlight"><pre>```python\n1\n```\n</pre></div>'
    assert twin(tmp_path, page) == "````text\n```python\n1\n```\n````\n"


def test_formulas_are_written_in_tex(tmp_path: Path) -> None:
    tex = "<math><mi>x</mi><annotation>{}</annotation></math><span>x</span>"
    assert twin(
        tmp_path,
        f'<p>A <span class="arithmatex">{tex.format("x_1 * 2")}</span>.</p>'
        f'<div class="arithmatex">{tex.format("a * b")}</div>',
    ) == ("A $x_1 * 2$.\n\n$$\na * b\n$$\n")


def test_a_bar_in_a_cell_does_not_end_it(tmp_path: Path) -> None:
    page = (
        "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>"
        '<span class="arithmatex"><annotation>|x|</annotation></span>'
        "</td></tr></tbody></table>"
    )
    assert r"| $\|x\|$ |" in twin(tmp_path, page)


def test_a_figure_is_told_in_words(tmp_path: Path) -> None:
    assert twin(
        tmp_path,
        '<figure>\n<div><svg aria-label="A line that falls."></svg></div>\n'
        "<figcaption>Figure 1.1 A half.</figcaption>\n"
        '<details class="drawing"><summary>How it is drawn</summary>\n'
        '<div class="language-python highlight"><pre>ax.plot(x)\n</pre></div>'
        "</details></figure>",
    ) == (
        "[Picture: A line that falls.]\n\nFigure 1.1 A half.\n\n"
        "**How it is drawn**\n\n```python\nax.plot(x)\n```\n"
    )


def test_a_note_is_a_quotation(tmp_path: Path) -> None:
    page = '<div class="admonition note"><p>One.</p><p>Two.</p></div>'
    assert twin(tmp_path, page) == "> One.\n>\n> Two.\n"


def test_links_lead_to_twins(tmp_path: Path) -> None:
    assert twin(
        tmp_path,
        '<p><a href="../02-quarters/#q">there</a>, <a href="#h">here</a>, '
        '<a href="../..">front</a>, <a href="https://a.example/">out</a>.</p>',
    ) == (
        "[there](../02-quarters/index.md), here, [front](../../index.md), "
        "[out](https://a.example/).\n"
    )


def test_the_front_page_leads_down(tmp_path: Path) -> None:
    page = '<p><a href="book/01-halves/">begin</a></p>'
    assert twin(tmp_path, page, "") == "[begin](book/01-halves/index.md)\n"


def test_a_pointed_bracket_is_no_element(tmp_path: Path) -> None:
    assert twin(tmp_path, "<p>a &lt;!-- b --&gt;</p>") == "a \\<!-- b -->\n"


def test_numbers_of_lines_and_changes_are_left_out(tmp_path: Path) -> None:
    assert twin(
        tmp_path,
        '<div class="language-python highlight"><pre><code>'
        '<a class="row" href="x">   1  </a>half = 2<a class="run" href="x">⟨half⟩</a>'
        '\n</code></pre></div><details class="changes"><p>+ half</p></details>',
    ) == ("```python\nhalf = 2\n```\n")


def test_the_list_has_a_line_for_each_page(tmp_path: Path) -> None:
    write(build(tmp_path, "<h1>Halves</h1><p>We halve:\none. And two.</p>"))
    text = (tmp_path / "site" / "llms.txt").read_text(encoding="utf-8")
    assert text.startswith("# halves\n\n> A book about halves.\n\n")
    assert text.endswith(
        "## The book\n\n"
        "- [Other](https://halves.example/book/index.md): Text.\n\n"
        "## Halves\n\n"
        "- [Halves](https://halves.example/book/book/01-halves/index.md): "
        "We halve: one.\n"
        "- [Other](https://halves.example/book/book/02-quarters/index.md): Text.\n"
    )
