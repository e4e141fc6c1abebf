"""Printing the book: through the browser until the numbers are right."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from pypdf import PdfReader

from . import WeaveError
from .bound import Volume
from .browser import FLAGS, find_chromium
from .site import Site

UNSEEN = "<style>* { visibility: hidden !important }</style></head>"
Press = Callable[[str, Path], None]
PRINTINGS = 6
NUMBER = re.compile(r'(data-of="([^"]*)">)\d+')
NO_BROWSER = """\
no Chromium, Chrome or Edge was found to print the book; install one, or
name one: CHROMIUM=/path/to/chromium"""


def print_book(site: Site, file: Path) -> int:
    """Print a built site into file as a book; the number of pages."""
    html = Volume(site).html()
    with press() as printed:
        pages = _known(file) or _drafted(html, file, printed)
        for _ in range(PRINTINGS):
            printed(filled(html, pages), file)
            book = PdfReader(file)
            if (found := places(book)) == pages:
                _require(html, pages)
                return len(book.pages)
            pages = found
    raise WeaveError("the page numbers change with every printing")


def _known(file: Path) -> dict[str, int]:
    """The places in a book that was printed before, if one was."""
    return places(PdfReader(file)) if file.exists() else {}


def _drafted(html: str, file: Path, printed: Press) -> dict[str, int]:
    """The places in a book, from a draft that is thrown away."""
    draft = file.with_suffix(".draft")
    printed(html.replace("</head>", UNSEEN), draft)
    pages = places(PdfReader(draft))
    draft.unlink()
    return pages


def filled(html: str, pages: dict[str, int]) -> str:
    """The book with the numbers of its pages, as far as known."""
    return NUMBER.sub(lambda m: f"{m[1]}{pages.get(m[2], '000')}", html)


def places(book: PdfReader) -> dict[str, int]:
    """The page, from 1, of every place that a link leads to."""
    return {
        name.lstrip("/"): 1 + (book.get_destination_page_number(at) or 0)
        for name, at in book.named_destinations.items()
    }


def _require(html: str, pages: dict[str, int]) -> None:
    lost = {place for _, place in NUMBER.findall(html)} - set(pages)
    if lost:
        names = ", ".join(sorted(lost))
        raise WeaveError(f"links lead to what the book has not: {names}")


@contextmanager
def press() -> Iterator[Press]:
    """A function that prints HTML into a file."""
    with sync_playwright() as playwright:
        path = find_chromium(playwright.chromium.executable_path)
        if not path:
            raise WeaveError(NO_BROWSER)
        start = playwright.chromium.launch
        with start(executable_path=path, args=FLAGS) as browser:
            yield partial(_print, browser.new_page())


def _print(page: Page, html: str, file: Path) -> None:
    """Print HTML into a file, and leave it there beside it."""
    file.parent.mkdir(exist_ok=True)
    source = file.with_suffix(".html").resolve()
    source.write_text(html, "utf-8")
    page.goto(source.as_uri(), timeout=0)
    page.evaluate("document.fonts.ready")
    part = file.with_suffix(".part")
    page.pdf(
        path=part,
        prefer_css_page_size=True,
        print_background=True,
        tagged=True,
        outline=True,
    )
    part.replace(file)
