"""What holds on every page of the site, whichever page it is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from tests.site.conftest import Site, Visit


def test_the_site_is_built_without_a_warning(site: Site) -> None:
    assert [line for line in site.log.splitlines() if "WARN" in line] == []


def test_every_page_of_the_book_is_there(site: Site) -> None:
    chapters = [page for page in site.pages() if page.startswith("book/")]
    assert "" in site.pages()
    assert len(chapters) >= 9


def test_every_page_has_one_first_heading(visits: list[Visit]) -> None:
    wrong = {str(v): h for v in visits if len(h := v.seen["headings"]) != 1}
    assert wrong == {}


def test_no_page_uses_an_id_twice(visits: list[Visit]) -> None:
    def twice(ids: list[str]) -> list[str]:
        return [name for name, count in Counter(ids).items() if count > 1]

    wrong = {str(v): names for v in visits if (names := twice(v.seen["ids"]))}
    assert wrong == {}


def test_no_page_logs_an_error_or_misses_a_file(visits: list[Visit]) -> None:
    assert {str(v): v.wrong for v in visits if v.wrong} == {}


def test_no_page_asks_another_host(site: Site, visits: list[Visit]) -> None:
    def foreign(urls: list[str]) -> list[str]:
        inside = (site.address, "data:", "blob:")
        return [url for url in urls if not url.startswith(inside)]

    assert {str(v): urls for v in visits if (urls := foreign(v.asked))} == {}


def test_every_page_follows_the_scheme_of_the_system(visits: list[Visit]) -> None:
    drawn = {(v.scheme, v.seen["scheme"]) for v in visits}
    assert drawn == {("light", "default"), ("dark", "slate")}


def test_no_page_is_wider_than_the_screen(visits: list[Visit]) -> None:
    assert {str(v): over for v in visits if (over := v.seen["overflow"]) > 0} == {}
    assert {str(v): out for v in visits if (out := v.seen["pokingOut"])} == {}


def test_every_picture_says_what_it_shows(visits: list[Visit]) -> None:
    wrong = {str(v): some for v in visits if (some := v.seen["silentPictures"])}
    assert wrong == {}


def test_every_formula_is_drawn(visits: list[Visit]) -> None:
    assert {str(v): some for v in visits if (some := v.seen["rawFormulas"])} == {}
    assert sum(v.seen["formulas"] for v in visits) > 0


def test_every_link_inside_the_site_arrives(site: Site, visits: list[Visit]) -> None:
    ids = {v.page: set(v.seen["ids"]) for v in visits}

    def arrives(url: str) -> bool:
        address, _, anchor = url.partition("#")
        if urlsplit(address).netloc != urlsplit(site.address).netloc:
            return True  # another host's page is not ours to keep
        path = unquote(address.removeprefix(site.address))
        if path in ids:
            return unquote(anchor) in ids[path] | {""}
        return (site.folder / path).is_file()

    wrong = {
        str(v): lost
        for v in visits
        if (lost := [url for url in v.seen["links"] if not arrives(url)])
    }
    assert wrong == {}
