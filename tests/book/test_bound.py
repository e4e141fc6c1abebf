"""How the pages of a site are bound into one, before a browser prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from bs4 import BeautifulSoup

from weave.bound import Volume
from weave.browser import find_chromium
from weave.printing import filled
from weave.site import Site

if TYPE_CHECKING:
    from pathlib import Path

    from bs4 import Tag

SETTINGS = """
site_name: halves
site_description: A book about halves & more.
site_url: https://halves.example/book/
copyright: MIT licence
nav:
  - The book:
      - index.md
      - The parts:
          - book/01-halves.md
          - book/02-quarters.md
      - program/halves.md
      - program/names.md
      - colophon/01-fences.md
"""
OTHER = "<h1 id='other'>Other</h1><h2 id='half'>Half</h2><p>Text.</p>"
CODE = '<div class="highlight"><pre><code>{}</code></pre></div>'


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder with all that a book needs but for its pages."""
    (tmp_path / "mkdocs.yml").write_text(SETTINGS, encoding="utf-8")
    project = '[project]\nversion = "1.2.3"\n'
    (tmp_path / "pyproject.toml").write_text(project, encoding="utf-8")
    mark = tmp_path / "docs" / "assets" / "favicon.svg"
    mark.parent.mkdir(parents=True)
    mark.write_text("<svg></svg>", encoding="utf-8")
    return tmp_path


def bind(root: Path, article: str) -> Volume:
    """A book in which the first chapter has the given article."""
    site = Site(root, root / "site")
    for address, leaf in site.leaves.items():
        inside = article if address == "book/01-halves/" else OTHER
        leaf.file.parent.mkdir(parents=True, exist_ok=True)
        sheet = '<link rel="stylesheet" href="assets/style.css">'
        html = f"<html><head>{sheet}</head><article>{inside}</article></html>"
        leaf.file.write_text(html, encoding="utf-8")
    return Volume(site)


def chapter(root: Path, article: str) -> Tag:
    """The section that a page with the given article becomes."""
    volume = bind(root, article)
    return next(s for s in volume.sections if s["id"] == "book/01-halves/")


def test_the_indexes_come_last_and_whole_files_not_at_all(shelf: Path) -> None:
    assert [leaf.address for leaf in bind(shelf, OTHER).leaves] == [
        "",
        "book/01-halves/",
        "book/02-quarters/",
        "colophon/01-fences/",
        "program/names/",
    ]


def test_no_id_occurs_twice(shelf: Path) -> None:
    soup = BeautifulSoup(bind(shelf, OTHER).html(), "html.parser")
    ids = [str(element["id"]) for element in soup.find_all(id=True)]
    assert sorted(set(ids)) == sorted(ids)
    assert "book/01-halves/half" in ids


def test_a_link_leads_to_its_section_and_has_room_for_a_number(shelf: Path) -> None:
    page = '<p><a href="../02-quarters/#half">half</a> <a href="#other">here</a></p>'
    assert [str(link) for link in chapter(shelf, page).find_all("a")] == [
        f'<a href="#{place}">{words}<span class="page-number" '
        f'data-of="{place}">000</span></a>'
        for place, words in [
            ("book/02-quarters/half", "half"),
            ("book/01-halves/other", "here"),
        ]
    ]


def test_a_link_to_what_is_not_bound_leads_to_the_site(shelf: Path) -> None:
    page = '<p><a href="../../program/halves/#line-1">file</a></p>'
    assert str(chapter(shelf, page).a) == (
        '<a href="https://halves.example/book/program/halves/#line-1">file</a>'
    )


def test_a_link_to_elsewhere_stays(shelf: Path) -> None:
    link = '<a href="https://elsewhere.example/">out</a>'
    assert str(chapter(shelf, f"<p>{link}</p>").a) == link


def test_a_drawing_keeps_its_parts(shelf: Path) -> None:
    page = (
        '<svg><path id="a"></path><use href="#a"></use>'
        '<g clip-path="url(#a)" style="fill: none"></g></svg>'
    )
    assert str(chapter(shelf, page).svg) == (
        '<svg><path id="book/01-halves/a"></path>'
        '<use href="#book/01-halves/a"></use>'
        '<g clip-path="url(#book/01-halves/a)" style="fill: none"></g></svg>'
    )


def test_references_are_closed_and_solutions_open(shelf: Path) -> None:
    code = CODE.format(
        '  <a class="reference" href="#half">⟨half⟩</a>'
        "<details><summary></summary><span>  x / 2\n</span></details>"
    )
    page = f"{code}<details><summary>Solutions</summary><p>Two.</p></details>"
    section = chapter(shelf, page)
    assert section.find_all("details") == []
    assert section.select("code")[0].get_text() == "  ⟨half⟩000\n"
    assert [p.get_text() for p in section.find_all("p")] == ["Solutions", "Two."]


def test_how_it_is_drawn_and_what_changed_are_left_out(shelf: Path) -> None:
    page = '<details class="drawing">a</details><details class="changes">b</details>'
    assert chapter(shelf, page).get_text() == ""


def test_an_example_is_kept_with_its_words_and_its_output(shelf: Path) -> None:
    output = '<div class="output highlight"><pre>1</pre></div>'
    words = f"<p>{'long ' * 60}</p>"
    page = f"{words}{CODE.format('a')}<p>So:</p>{CODE.format('b')}{output}"
    kept = [el.get_text() for el in chapter(shelf, page).select(".kept")]
    assert kept == ["a", "So:b1"]


def test_long_code_may_break(shelf: Path) -> None:
    short, long = CODE.format("line\n" * 20), CODE.format("line\n" * 50)
    section = chapter(shelf, short + long)
    assert len(section.select(".kept")) == 2
    assert len(section.select(".kept.long")) == 1


def test_a_heading_keeps_its_blanks_and_may_break_at_them(shelf: Path) -> None:
    section = chapter(shelf, "<h1>One <code>a b</code> &amp; two</h1>")
    assert section.h1 is not None
    assert section.h1.decode_contents() == (
        "One\xa0<wbr/><code>a\xa0<wbr/>b</code>\xa0<wbr/>&amp;\xa0<wbr/>two"
    )


def test_only_colours_that_paper_shows_are_kept(shelf: Path) -> None:
    page = CODE.format('<span class="k">def</span> <span class="n">half</span>')
    code = chapter(shelf, page).select("code")[0]
    assert code.decode_contents() == '<span class="k">def</span> half'


def test_an_index_has_pages_for_numbers(shelf: Path) -> None:
    page = (
        '<p>Chapters.</p><div class="index"><ul><li>'
        '<a href="#a" aria-label="chapter 6" title="chapter 6">6</a>; '
        '<a href="#b">⟨half⟩</a></li></ul></div>'
    )
    section = chapter(shelf, page)
    assert [list(link.attrs) for link in section.select("a")] == [["href"], ["href"]]
    assert section.select("li")[0].get_text() == "000; ⟨half⟩000"
    assert section.select("p")[0].get_text().startswith("The numbers are pages.")


def test_the_contents_list_chapters_and_their_headings(shelf: Path) -> None:
    page = "<h1>Halves &amp; more</h1><h2 id='one'>One <code>half</code></h2>"
    contents = BeautifulSoup(bind(shelf, page).contents(), "html.parser")
    rows = [
        (row["href"], " ".join(row.get_text(" ").split()))
        for row in contents.select(".row")
    ]
    assert rows[:3] == [
        ("#front/", "Other 000"),
        ("#book/01-halves/", "1 Halves & more 000"),
        ("#book/01-halves/one", "One half 000"),
    ]
    assert [part.get_text() for part in contents.select(".part")][:2] == [
        "The book",
        "The parts",
    ]


def test_each_chapter_has_its_own_head(shelf: Path) -> None:
    volume = bind(shelf, "<h1>Halves</h1>")
    left, right = volume.heads().split("@page of-book-01-halves:")[1:3]
    assert '@top-right { content: "The parts" }' in left
    assert '@top-left { content: "1\u2002Halves" }' in right.split("@page")[0]
    assert "page: of-book-01-halves" in str(volume.sections[1])


def test_the_title_page_says_name_and_version(shelf: Path) -> None:
    title = BeautifulSoup(bind(shelf, OTHER).title(), "html.parser").get_text(" ")
    assert "A book about halves & more." in title
    assert "Version 1.2.3. MIT licence." in title


def test_the_book_has_the_style_of_the_site(shelf: Path) -> None:
    html = bind(shelf, OTHER).html()
    for file in ("site/assets/style.css", "docs/assets/book.css"):
        assert (shelf / file).as_uri() in html


def test_numbers_are_filled_in_where_they_are_known() -> None:
    html = '<span data-of="a/b">000</span><span data-of="c">000</span>'
    assert filled(html, {"a/b": 7}) == (
        '<span data-of="a/b">7</span><span data-of="c">000</span>'
    )


def test_the_browser_that_is_named_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", "/opt/mine")
    assert find_chromium("/playwrights/own") == "/opt/mine"


def test_playwrights_own_browser_comes_last(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    own = tmp_path / "own"
    assert find_chromium(str(own)) is None
    own.touch()
    assert find_chromium(str(own)) == str(own)
