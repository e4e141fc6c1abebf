"""A graph can be walked through on its page, one step at a time."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest

from tests.site.conftest import ROOT
from weave.fences import PLOT
from weave.manuscript import Manuscript

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

    from tests.site.conftest import Reader, Site
    from weave.manuscript import Sheet

CHAPTER = "book/10-seeing-the-graph/"


@pytest.fixture
def figure(reader: Reader) -> Locator:
    """The diamond, in a page that has come to rest."""
    reader.page.goto(CHAPTER)
    figure = reader.page.locator("#figure-diamond-steps")
    figure.locator(".stepper").wait_for()
    return figure


Walks = dict[str, list[dict[str, Any]]]


def walks(figure: Locator) -> Walks:
    """The recorded walks of a figure, by name."""
    data = figure.locator(".graph").get_attribute("data-walks")
    found: Walks = json.loads(data or "")
    return found


def shown(figure: Locator) -> list[tuple[str, str]]:
    """The numbers and gradients in the boxes of a figure."""
    boxes = figure.locator("[data-value]").all()
    texts = [box.locator("text").all_text_contents()[-2:] for box in boxes]
    return [(number, grad) for number, grad in texts]


def walked(sheet: Sheet) -> dict[str, Walks]:
    """The walks of a sheet's figures, by name, from programs that are run anew."""
    found: dict[str, Walks] = {}
    body = ""
    for fence in sheet.fences:
        plot = PLOT.fullmatch(fence.body) if fence.kind == "plot" else None
        if fence.kind == "example":
            body = fence.body
        elif plot and "walks = " in plot["code"]:
            names: dict[str, Any] = {}
            exec(body, names)
            exec(plot["code"], names)
            told = {name: [*map(asdict, walk)] for name, walk in names["walks"].items()}
            found[plot["name"]] = json.loads(json.dumps(told))
    return found


def test_the_steps_of_every_figure_are_those_of_a_fresh_run(
    reader: Reader, report: list[str]
) -> None:
    count = 0
    for path, sheet in Manuscript(ROOT).sheets.items():
        for name, fresh in walked(sheet).items():
            page = path.removeprefix("docs/").replace(".md", "/")
            reader.page.goto(page, wait_until="commit")
            assert walks(reader.page.locator(f"#figure-{name}")) == fresh
            count += sum(len(walk) for walk in fresh.values())
    report.append(f"steps below graphs, each as in a fresh run: {count}")
    assert count


def test_on_a_phone_the_box_of_each_step_is_scrolled_into_sight(
    figure: Locator,
) -> None:
    figure.page.set_viewport_size({"width": 390, "height": 844})
    sight = figure.locator(".graph").bounding_box()
    scrolled = set()
    for n in range(len(walks(figure)["topological order"])):
        figure.locator("input").fill(str(n))
        box = figure.locator("g.at").bounding_box()
        assert sight
        assert box
        assert sight["x"] <= box["x"] + 1
        assert box["x"] + box["width"] <= sight["x"] + sight["width"] + 1
        scrolled.add(figure.locator(".graph").evaluate("graph => graph.scrollLeft"))
    assert len(scrolled) > 1


def test_every_step_is_shown_as_recorded(figure: Locator) -> None:
    final = [number for number, _ in shown(figure)]
    for name, steps in walks(figure).items():
        figure.locator("select").select_option(name)
        for n, step in enumerate(steps):
            figure.locator("input").fill(str(n))
            said = figure.locator(".step").text_content()
            assert said == f"{n + 1} of {len(steps)}: {step['says']}"
            here = figure.locator("g.at").get_attribute("data-value")
            assert here == str(step["value"])
            known = step["known"]
            assert shown(figure) == [
                (number, grad) if box < known else ("", "")
                for box, (number, grad) in enumerate(
                    zip(final, step["grads"], strict=True)
                )
            ]


def test_the_walk_is_done_by_keyboard(reader: Reader, figure: Locator) -> None:
    last = len(walks(figure)["topological order"])
    previous = figure.get_by_role("button", name="Previous")
    previous.focus()
    reader.page.keyboard.press("Enter")
    reader.page.keyboard.press("Enter")
    reader.page.keyboard.press("Tab")
    reader.page.keyboard.press("Enter")
    sentence = figure.locator(".step")
    assert (sentence.text_content() or "").startswith(f"{last - 1} of {last}: ")
    assert sentence.get_attribute("aria-live") == "polite"


def test_the_ends_of_the_walk_cannot_be_passed(figure: Locator) -> None:
    assert figure.get_by_role("button", name="Next").is_disabled()
    figure.locator("input").fill("0")
    assert figure.get_by_role("button", name="Previous").is_disabled()


def test_play_goes_on_by_itself_until_it_is_paused(figure: Locator) -> None:
    figure.get_by_role("button", name="Play").click()
    sentence = figure.locator(".step")
    sentence.filter(has_text="3 of").wait_for()
    figure.get_by_role("button", name="Pause").click()
    figure.get_by_role("button", name="Play").wait_for()


def test_without_scripts_the_picture_shows_the_end(
    site: Site, browser: Browser
) -> None:
    context = browser.new_context(base_url=site.address, java_script_enabled=False)
    page = context.new_page()
    page.goto(CHAPTER)
    figure = page.locator("#figure-diamond-steps")
    last = walks(figure)["topological order"][-1]["grads"]
    assert [grad for _, grad in shown(figure)] == last
    assert figure.locator("button").count() == 0
    context.close()
