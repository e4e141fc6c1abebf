"""What a page asks a reader's line to carry, and the machine to work out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.site.conftest import Reader, packed

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.site.conftest import Site

LIMIT = 150_000  # bytes, packed, without the faces


def first_visit(site: Site, browser: Browser, page: str) -> dict[str, int]:
    """The files that a first visit to a page fetches, with the bytes of each."""
    context = browser.new_context(base_url=site.address)
    reader = Reader(context.new_page())
    reader.page.goto(page, wait_until="networkidle")
    context.close()
    paths = {url.removeprefix(site.address) for url in reader.asked}
    files = {path: site.folder / path for path in paths if not path.startswith("data:")}
    files[page] /= "index.html"
    return {
        path: len(packed(file))
        for path, file in files.items()
        if file.suffix != ".woff2"
    }


def test_a_first_visit_to_a_chapter_is_light(
    site: Site, browser: Browser, report: list[str]
) -> None:
    visits = {page: first_visit(site, browser, page) for page in site.chapters()}
    weights = {page: sum(files.values()) for page, files in visits.items()}
    heaviest = max(weights, key=weights.__getitem__)
    report.append(
        f"heaviest first visit: {heaviest}, {weights[heaviest]:,} bytes "
        f"(allowed: {LIMIT:,}), of which the page {visits[heaviest][heaviest]:,}"
    )
    assert {page: n for page, n in weights.items() if n > LIMIT} == {}


@pytest.mark.parametrize("page", ["", "book/03-local-derivatives/"])
def test_a_page_is_styled_once(
    site: Site, browser: Browser, report: list[str], page: str
) -> None:
    """While it loads, no script makes the browser style all of it again."""
    context = browser.new_context(base_url=site.address)
    reader = context.new_page()
    browser.start_tracing(page=reader, categories=["devtools.timeline"])
    reader.goto(page, wait_until="networkidle")
    trace = json.loads(browser.stop_tracing())["traceEvents"]
    elements = reader.locator("*").count()
    context.close()
    styled = sum(
        event["args"].get("elementCount", 0)
        for event in trace
        if event["name"] == "UpdateLayoutTree"
    )
    report.append(f"/{page}: {elements:,} elements, styles worked out {styled:,} times")
    assert 0 < styled < 2 * elements
