"""What stands in the right margin of a wide page, and beside what."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.site.conftest import Reader, Site

# The boxes that are drawn over one another, each by its class and first words.
COVERED = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const says = (box) => `${box.className}: ${box.textContent.trim().slice(0, 30)}`;
  const notes = all(".aside, p.introduced");
  const boxes = all(".aside, p.introduced, .pair, figure, .highlight, table");
  return notes.flatMap((note) => {
    const mine = note.getBoundingClientRect();
    return boxes.filter((box) => {
      const its = box.getBoundingClientRect();
      return box !== note && !box.contains(note)
        && mine.left < its.right - 1 && its.left < mine.right - 1
        && mine.top < its.bottom - 1 && its.top < mine.bottom - 1;
    }).map((box) => `${says(note)} and ${says(box)}`);
  });
}"""
# All boxes are laid out, also those that are not in view.
LAID_OUT = "* { content-visibility: visible !important }"


def test_nothing_in_the_margin_covers_anything(site: Site, reader: Reader) -> None:
    notes, covered = 0, {}
    for path in [page for page in site.pages() if page != "404.html"]:
        html = (site.folder / path / "index.html").read_text(encoding="utf-8")
        if not re.search('class="[^"]*(aside|introduced)', html):
            continue
        reader.page.goto(path)
        reader.page.add_style_tag(content=LAID_OUT)
        notes += reader.page.locator(".aside").count()
        if found := reader.page.evaluate(COVERED):
            covered[path] = found
    assert covered == {}
    assert notes >= 20


def test_a_formula_stands_beside_its_check_or_above_it(reader: Reader) -> None:
    for width, beside in ((1300, True), (390, False)):
        reader.page.set_viewport_size({"width": width, "height": 900})
        reader.page.goto("book/03-local-derivatives/")
        reader.page.add_style_tag(content=LAID_OUT)
        pairs = reader.page.locator(".pair")
        for number in range(pairs.count()):
            formula = pairs.nth(number).locator("div.arithmatex").bounding_box()
            output = pairs.nth(number).locator(".output").bounding_box()
            assert formula is not None
            assert output is not None
            assert (formula["x"] >= output["x"] + output["width"]) == beside
            assert (formula["y"] + formula["height"] <= output["y"]) != beside
        assert pairs.count() >= 7


def test_a_screen_reader_gets_each_formula_once(reader: Reader) -> None:
    reader.page.goto("book/01-the-derivative/")
    reader.page.add_style_tag(content=LAID_OUT)
    reader.page.locator("details").evaluate_all("all => all.map(d => d.open = true)")
    session = reader.page.context.new_cdp_session(reader.page)
    tree = session.send("Accessibility.getFullAXTree")["nodes"]
    spoken = [n for n in tree if n["role"]["value"] == "MathMLMath"]
    assert len(spoken) == reader.page.locator(".katex").count()
    drawn = reader.page.locator(".katex-html:not([aria-hidden=true])")
    assert drawn.count() == 0
