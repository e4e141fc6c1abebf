"""The printed book, read back from its PDF."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pypdfium2
import pytest
from pypdf import PdfReader

from tests.site.conftest import ROOT
from weave import printing
from weave import site as weave_site
from weave.printing import places

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    from tests.site.conftest import Site

CHAPTERS = [
    path
    for part in ("book", "exercises", "colophon")
    for path in sorted(ROOT.glob(f"docs/{part}/*.md"))
]


@dataclass(frozen=True)
class Printed:
    """The book as printed: its file, the text of each page, where it begins."""

    pdf: PdfReader
    texts: list[str]
    boxes: list[list[tuple[float, float, float, float]]]


@pytest.fixture(scope="session")
def printed(site: Site, browser: Browser) -> Printed:
    """The whole book, printed from the built site."""
    assert browser.is_connected(), "there is a browser to print with"
    command: list[str | Path] = [sys.executable, "-m", "weave", "print", site.folder]
    subprocess.run(command, cwd=ROOT, check=True)
    file, texts, boxes = ROOT / "build" / "tanglegrad.pdf", [], []
    for page in pypdfium2.PdfDocument(file):
        text = page.get_textpage()
        texts.append(text.get_text_range())
        boxes.append([text.get_rect(i) for i in range(text.count_rects())])
    return Printed(PdfReader(file), texts, boxes)


def outline(pdf: PdfReader) -> list[tuple[str, int]]:
    """The titles of the outline's first rank, with their pages from 1."""
    tops = [entry for entry in pdf.outline if not isinstance(entry, list)]
    pages = [pdf.get_destination_page_number(entry) for entry in tops]
    return [
        (" ".join(str(top.title).split()), (page or 0) + 1)
        for top, page in zip(tops, pages, strict=True)
    ]


def solid(text: str) -> str:
    """A text without blanks: PDFium reads some lines sign by sign."""
    return "".join(text.split())


def titles() -> list[str]:
    """The headings of all chapters, of the book and of the colophon."""
    texts = [path.read_text(encoding="utf-8") for path in CHAPTERS]
    return [text.split("\n", 1)[0].removeprefix("# ") for text in texts]


def links(pdf: PdfReader) -> Iterator[dict[str, Any]]:
    """The links of all pages."""
    for page in pdf.pages:
        for annotation in page.get("/Annots") or []:
            link = annotation.get_object()
            if link["/Subtype"] == "/Link":
                yield link


def test_the_outline_has_every_chapter(printed: Printed) -> None:
    found = [title for title, _ in outline(printed.pdf)]
    assert [title for title in titles() if title not in found] == []


def test_every_chapter_begins_on_a_page_of_its_own(printed: Printed) -> None:
    pages = [page for _, page in outline(printed.pdf)]
    assert pages == sorted(set(pages))


def test_every_link_inside_leads_to_a_page(printed: Printed) -> None:
    known = places(printed.pdf)
    inside = [
        str(link["/Dest"]).lstrip("/") for link in links(printed.pdf) if "/Dest" in link
    ]
    assert len(inside) > len(CHAPTERS)
    assert [place for place in inside if place not in known] == []


def test_every_other_link_leads_out(printed: Printed) -> None:
    actions = [link["/A"] for link in links(printed.pdf) if "/Dest" not in link]
    assert [
        a for a in actions if not re.match("https?:|mailto:", a.get("/URI", ""))
    ] == []


def test_the_contents_tell_the_true_pages(printed: Printed) -> None:
    entries = outline(printed.pdf)
    behind = [title for title, _ in entries].index("Contents")
    (_, first), (_, last) = entries[behind : behind + 2]
    pages = printed.pdf.pages[first - 1 : last - 1]
    contents = " ".join(" ".join(page.extract_text() for page in pages).split())
    for title, page in entries:
        if title not in titles():
            continue
        # A section may be called like a chapter; each is where it is said to be.
        told = re.findall(rf"(?<!\w){re.escape(title)} (\d+)(?!\w)", contents)
        for number in map(int, told):
            heading = printed.texts[number - 1]
            assert solid(title) in solid(heading), title
        assert str(page) in told, title


def test_every_page_has_its_number(printed: Printed) -> None:
    missing = [
        number
        for number, text in enumerate(printed.texts, 1)
        if number > 1 and str(number) not in text.split()
    ]
    assert missing == []


def test_no_page_is_empty(printed: Printed) -> None:
    empty = [n for n, text in enumerate(printed.texts, 1) if len(text.split()) < 5]
    assert empty == []


def test_no_text_lies_outside_its_page(printed: Printed) -> None:
    for page, boxes in zip(printed.pdf.pages, printed.boxes, strict=True):
        width, height = float(page.mediabox.width), float(page.mediabox.height)
        assert boxes
        assert [
            box
            for box in boxes
            if not (0 < box[0] < box[2] < width and 0 < box[1] < box[3] < height)
        ] == []


def test_the_fonts_are_in_the_file(printed: Printed) -> None:
    fonts: dict[str, Any] = {}
    for page in printed.pdf.pages:
        resources: Any = page["/Resources"]
        for name, font in resources.get("/Font", {}).items():
            fonts[name] = font.get_object()
    assert fonts != {}
    for font in fonts.values():
        if font["/Subtype"] == "/Type3":
            assert "/CharProcs" in font
            continue
        inner = font.get("/DescendantFonts", [font])[0].get_object()
        assert {"/FontFile2", "/FontFile3"} & set(inner["/FontDescriptor"]), font


def test_a_new_book_is_drafted_unseen_and_goes_through_the_press_once(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    html = (
        "<head><style>h1 { break-before: page }</style></head><h1>One</h1>"
        '<a href="#two">two: <b data-of="two">000</b></a><h1 id="two">Two</h1>'
    )
    page = browser.new_page()
    pressed: list[tuple[str, list[str]]] = []

    def press(html: str, file: Path) -> None:
        printing._print(page, html, file)
        texts = [page.extract_text() for page in PdfReader(file).pages]
        pressed.append((file.name, texts))

    book: Any = SimpleNamespace(html=lambda: html)
    monkeypatch.setattr(printing, "press", lambda: nullcontext(press))
    monkeypatch.setattr(printing, "Volume", lambda book: book)
    assert printing.print_book(book, tmp_path / "book.pdf") == 2
    page.close()
    assert pressed == [
        ("book.draft", ["", ""]),
        ("book.pdf", ["One\ntwo: 2", "Two"]),
    ]
    assert {file.name for file in tmp_path.iterdir()} == {"book.html", "book.pdf"}


def test_what_has_not_changed_goes_through_the_press_once(
    site: Site, printed: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = ROOT / "build" / "tanglegrad.pdf"
    html = file.with_suffix(".html").read_text(encoding="utf-8")
    bare = re.sub(r'(data-of="[^"]*">)\d+', r"\g<1>000", html)
    pressed: list[str] = []
    press = nullcontext(lambda html, _: pressed.append(html))
    monkeypatch.setattr(printing, "press", lambda: press)
    volume = SimpleNamespace(html=lambda: bare)
    monkeypatch.setattr(printing, "Volume", lambda _: volume)
    book = weave_site.Site(ROOT, site.folder)
    assert printing.print_book(book, file) == len(printed.pdf.pages)
    assert pressed == [html]


def test_no_number_is_missing(printed: Printed) -> None:
    assert [
        n for n, text in enumerate(printed.texts, 1) if "p.000" in solid(text)
    ] == []
