"""What a reader does on a page: search, copy, switch the colours."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.site import crawl
from tests.site.conftest import longest_chapter

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.site.conftest import Reader, Site

DOCS = Path(__file__).parents[2] / "docs"
SRC = DOCS.parent / "src" / "tanglegrad"
CHAPTERS = sorted(DOCS.glob("book/*.md"))


def search(page: Page, words: str) -> list[str]:
    """The pages that the site's search finds for words, best first."""
    query = page.locator("[data-md-component=search-query]")
    query.fill(words)
    query.press("End")  # the search listens for a key
    results = page.locator("a.md-search-result__link")
    results.first.wait_for()
    hrefs: list[str] = results.evaluate_all("links => links.map(link => link.href)")
    return [href for href in hrefs if "#" not in href]  # not the places on them


def drawn(page: Page) -> str:
    """The scheme that a page is drawn in, the browser's own parts with it."""
    scheme = page.locator("body").get_attribute("data-md-color-scheme")
    parts = page.locator("meta[name=color-scheme]").get_attribute("content")
    assert parts == {"default": "light", "slate": "dark"}.get(scheme or "")
    return str(scheme)


def switch_scheme(page: Page) -> str:
    """Press the palette's button; the scheme that is drawn then."""
    page.locator("#palette label:visible").click()
    return drawn(page)


def copy(page: Page, block: Locator) -> str:
    """Press the copy button of a block of code; what the clipboard holds then."""
    block.hover()
    block.locator("[data-md-type=copy]").click()
    return str(page.evaluate("navigator.clipboard.readText()"))


def first_result(page: Page) -> str:
    """What the search shows as its first result, once there is one."""
    return page.locator(".md-search-result__item").first.inner_text()


def asked_by_the_search(reader: Reader) -> int:
    """How many files the search has asked for."""
    files = ("/search/search_index.json", "/workers/search.")
    return sum(file in url for url in reader.asked for file in files)


def test_the_search_waits_until_the_reader_reaches_for_it(reader: Reader) -> None:
    reader.page.goto("", wait_until="networkidle")
    assert asked_by_the_search(reader) == 0
    reader.page.keyboard.press("/")
    reader.page.keyboard.type("zero_grad")
    assert "zero_grad" in first_result(reader.page)
    assert asked_by_the_search(reader) == 2


def test_on_a_phone_the_search_is_a_tap_away(reader: Reader) -> None:
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.page.goto("")
    reader.page.locator("header label.md-header__button[for=__search]").click()
    reader.page.keyboard.type("zero_grad")
    assert "zero_grad" in first_result(reader.page)


def test_an_address_can_carry_a_query(reader: Reader) -> None:
    reader.page.goto("?q=zero_grad")
    assert "zero_grad" in first_result(reader.page)


def test_an_address_can_carry_words_to_mark(reader: Reader) -> None:
    reader.page.goto(f"book/{CHAPTERS[0].stem}/?h=slope")
    assert reader.page.locator("article mark").first.inner_text().lower() == "slope"


@pytest.mark.parametrize("name", ["_prev", "_backward", "backward", "zero_grad"])
def test_search_finds_an_identifier_in_a_chapter(reader: Reader, name: str) -> None:
    reader.page.goto("")
    chapters = [url for url in search(reader.page, name)[:3] if "/book/" in url]
    assert chapters != []
    reader.page.locator(f"a.md-search-result__link[href='{chapters[0]}']").click()
    reader.page.wait_for_url(chapters[0])
    assert name in reader.page.locator("article").inner_text()


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_the_copy_button_copies_the_code(reader: Reader, chapter: Path) -> None:
    text = chapter.read_text(encoding="utf-8")
    example = re.search(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert example is not None
    reader.page.goto(f"book/{chapter.stem}/")
    block = reader.page.locator(".highlight", has_text=example[1]).first
    assert copy(reader.page, block).strip() == example[1].strip()


@pytest.mark.parametrize("references", ["closed", "open"])
def test_a_copied_fragment_is_what_stands_in_the_file(
    reader: Reader, references: str
) -> None:
    reader.page.goto("book/05-checking-it/")
    fragment = reader.page.locator("#fragment-gradcheck")
    if references == "open":
        for reference in fragment.locator("summary").all():
            reference.click()
    copied = copy(reader.page, fragment.locator("pre"))
    assert "def gradcheck(" in copied
    assert copied in (SRC / "numeric.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [1300, 390])
def test_an_address_leads_to_its_heading(
    site: Site, reader: Reader, width: int
) -> None:
    """Although what is out of view has no true height yet."""
    page = longest_chapter(site)
    *_, there, _ = crawl.read(site.folder, site.address)[page].headings
    reader.page.set_viewport_size({"width": width, "height": 900})
    reader.page.goto(f"{page}#{there}", wait_until="networkidle")
    top = reader.page.locator(f"[id='{there}']").evaluate(
        "heading => heading.getBoundingClientRect().top"
    )
    assert 0 <= top < 200


@pytest.mark.parametrize("width", [1300, 390])
def test_a_file_shows_the_names_of_its_fragments(reader: Reader, width: int) -> None:
    reader.page.set_viewport_size({"width": width, "height": 900})
    reader.page.goto("program/tanglegrad/micro/")
    names = reader.page.locator(".program .run").all()
    boxes = [name.bounding_box() for name in names]
    assert len(boxes) > 10
    for box in boxes:
        assert box is not None
        assert 0 < box["x"] < box["x"] + box["width"] < width


def test_a_page_begins_in_the_colours_of_the_system(reader: Reader) -> None:
    """They are there before the scripts are, and change when the system's do."""
    reader.page.route("**/bundle.*.js", lambda route: route.abort())
    reader.page.emulate_media(color_scheme="dark")
    reader.page.goto("")
    assert drawn(reader.page) == "slate"
    reader.page.emulate_media(color_scheme="light")
    reader.page.locator("body[data-md-color-scheme=default]").wait_for()
    assert drawn(reader.page) == "default"


def test_colours_that_were_chosen_are_kept(reader: Reader) -> None:
    reader.page.goto("")
    assert [switch_scheme(reader.page) for _ in range(2)] == ["default", "slate"]
    reader.page.goto(f"book/{CHAPTERS[0].stem}/")
    assert drawn(reader.page) == "slate"
    assert switch_scheme(reader.page) == "default"  # as the system


def test_colours_are_chosen_by_key_as_well(reader: Reader) -> None:
    reader.page.goto("")
    reader.page.locator("#palette :checked").focus()
    reader.page.keyboard.press("Enter")
    reader.page.keyboard.press("Enter")
    assert drawn(reader.page) == "slate"
    reader.page.keyboard.press("ArrowUp")
    assert drawn(reader.page) == "default"


def test_a_wide_box_is_reached_by_tab_before_it_was_in_view(
    site: Site, reader: Reader
) -> None:
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.page.goto(longest_chapter(site))
    reader.page.keyboard.press("Tab")
    wide, reached = reader.page.evaluate(
        """() => {
          const all = [...document.querySelectorAll("article *")];
          const wide = all.filter((box) => box.scrollWidth > box.clientWidth
            && getComputedStyle(box).overflowX === "auto");
          return [wide.length, wide.filter((box) => box.tabIndex === 0).length];
        }"""
    )
    assert reached == wide > 10


def test_reading_asks_no_other_host(site: Site, reader: Reader) -> None:
    reader.page.goto(f"book/{CHAPTERS[0].stem}/")
    copy(reader.page, reader.page.locator(".highlight").first)
    schemes = {switch_scheme(reader.page) for _ in range(3)}
    assert schemes == {"default", "slate"}
    search(reader.page, "derivative")
    reader.page.wait_for_load_state("networkidle")
    assert reader.hosts() == {urlsplit(site.address).netloc}
    assert reader.wrong == []
