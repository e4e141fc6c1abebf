"""What holds on every page of the site, whichever page it is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tests.site import crawl
from tests.site.conftest import give_up
from tests.site.signs import file_of, glyphs
from weave.faces import UNDRAWN, faces

if TYPE_CHECKING:
    from tests.site.conftest import Site, Visit

ADDRESS = "https://tanglegrad.github.io/tanglegrad/"  # where the site is published


def twice(names: list[str]) -> list[str]:
    """The names that come more than once."""
    return [name for name, count in Counter(names).items() if count > 1]


def test_the_site_is_built_without_a_warning(site: Site) -> None:
    assert [line for line in site.log.splitlines() if "WARN" in line] == []


def test_every_page_of_the_book_is_there(site: Site) -> None:
    assert "" in site.pages()
    assert len(site.chapters()) >= 9


# In the files, as they are served and without a script -----------------------


def test_every_file_has_one_first_heading(site: Site) -> None:
    leaves = crawl.read(site.folder, ADDRESS)
    assert {page: leaf.titles for page, leaf in leaves.items()} == dict.fromkeys(
        site.pages(), 1
    )


def test_no_file_uses_an_id_twice(site: Site) -> None:
    leaves = crawl.read(site.folder, ADDRESS)
    assert {p: names for p, leaf in leaves.items() if (names := twice(leaf.ids))} == {}


def test_every_link_into_the_site_arrives(site: Site) -> None:
    leaves = crawl.read(site.folder, ADDRESS)
    assert ADDRESS in leaves[""].targets  # the front page says where it is
    assert list(crawl.lost(site.folder, ADDRESS, leaves)) == []


# In the browser --------------------------------------------------------------


def test_axe_finds_nothing_wrong(missing: str, visits: list[Visit]) -> None:
    if missing:
        give_up(missing)
    found = Counter(violation for v in visits for violation in v.seen["violations"])
    assert not found, "\n".join(f"{n} visits: {what}" for what, n in found.items())


def test_every_page_has_one_first_heading(visits: list[Visit]) -> None:
    wrong = {str(v): h for v in visits if len(h := v.seen["headings"]) != 1}
    assert wrong == {}


def test_no_page_uses_an_id_twice(visits: list[Visit]) -> None:
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


def test_every_sign_is_in_a_face_that_was_cut_for_it(visits: list[Visit]) -> None:
    asked = {
        (face, sign): str(visit)
        for visit in visits
        for face, text in visit.seen["written"].items()
        for sign in text
        if ord(sign) not in UNDRAWN
    }
    assert len(asked) > 500
    whole = {face.source for face in faces()}
    lacking = [
        f"{sign!r} in {face}, {page}"
        for (face, sign), page in asked.items()
        if not (file := file_of(face, sign))
        or file in whole
        or ord(sign) not in glyphs(file)
    ]
    assert lacking == []
