"""Figures are drawn by the page's own code, and belong to the page."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

import tanglegrad
from weave import WeaveError

if TYPE_CHECKING:
    from collections.abc import Callable

    Weave = Callable[[str], str]

PAGE = """# Halves

```python
def half(x):
    return x / 2


print(half(7))
```

```plot
caption: Half of $x$,
  *again*.
alt: A line that climbs,
  "slowly".
---
ax.plot([0, 1], [half(0), half(1)], label="half")
ax.plot([1], [half(1)], "o", color="C1")
ax.legend()
```
"""
PLOT = PAGE[PAGE.index("```plot") :]


def drawings(page: str) -> list[str]:
    return re.findall(r"<svg.*?</svg>", page, re.DOTALL)


def test_a_plot_becomes_a_figure(weave: Weave) -> None:
    page = weave(PAGE)
    (figure,) = re.findall(r'<figure class="plot">.*?</figure>', page, re.DOTALL)
    (drawing,) = drawings(figure)
    ET.fromstring(drawing.replace(" data-search-exclude", ""))
    assert 'viewBox="0 0 460.8 244.8"' in drawing
    assert "caption:" not in page


def test_a_figure_can_be_read_without_seeing_it(weave: Weave) -> None:
    (drawing,) = drawings(weave(PAGE))
    assert 'role="img"' in drawing
    assert 'aria-label="A line that climbs, &quot;slowly&quot;."' in drawing


def test_a_caption_is_markdown(weave: Weave) -> None:
    (caption,) = re.findall(r"<figcaption>.*?</figcaption>", weave(PAGE), re.DOTALL)
    assert "<em>again</em>" in caption
    assert 'class="katex"' in caption


def test_the_drawing_code_is_shown_in_colour(weave: Weave) -> None:
    (details,) = re.findall(r"<details.*?</details>", weave(PAGE), re.DOTALL)
    assert "<summary>" in details
    assert '<span class="n">half</span>' in details


def test_a_figure_has_the_letters_and_colours_of_the_page(weave: Weave) -> None:
    (drawing,) = drawings(weave(PAGE))
    assert ">half</text>" in drawing
    assert "font-family" not in drawing
    assert "stroke: currentColor" in drawing
    assert "stroke: var(--tg-series-1, #" in drawing
    assert "fill: var(--tg-series-2, #" in drawing
    assert not re.search(r"(?:fill|stroke): #", drawing)
    assert "<style" not in drawing


def test_powers_of_ten_on_an_axis_survive(weave: Weave) -> None:
    text = PAGE.replace("ax.legend()", "ax.loglog([1e-3, 1], [1, 1e5])")
    (drawing,) = drawings(weave(text))
    root = ET.fromstring(drawing.replace(" data-search-exclude", ""))
    labels = {"".join("".join(t.itertext()).split()) for t in root.iter("text")}
    assert {"10−3", "10−1", "101", "105"} <= labels


def test_the_same_page_gives_the_same_bytes(weave: Weave) -> None:
    assert weave(PAGE) == weave(PAGE)


def test_two_figures_on_a_page_share_no_id(weave: Weave) -> None:
    first, second = drawings(weave(f"{PAGE}\n{PLOT}"))
    for drawing in (first, second):
        ids = re.findall(r' id="([^"]+)"', drawing)
        used = re.findall(r'(?:url\(|href=")#([^")]+)', drawing)
        assert set(ids) == set(used)
        assert len(ids) == len(set(ids))
    assert not set(re.findall(r' id="([^"]+)"', first)) & set(
        re.findall(r' id="([^"]+)"', second)
    )


def test_an_example_runs_once_for_all_its_figures(
    weave: Weave, capsys: pytest.CaptureFixture[str]
) -> None:
    counting = PAGE.replace("print(half(7))", "runs = []\nruns.append(1)\nprint(runs)")
    counted = PLOT.replace("---\n", "---\nruns.append(1)\nassert len(runs) == {}\n")
    text = counting.replace(PLOT, counted.format(2) + "\n" + counted.format(3))
    assert len(drawings(weave(text))) == 2
    assert capsys.readouterr().out == "", "what an example prints is swallowed"


def test_the_nearest_example_above_is_the_one_that_runs(weave: Weave) -> None:
    failing = "```python\n1 / 0\n```\n"
    assert len(drawings(weave(f"{failing}\n{PAGE}\n{failing}"))) == 1


def test_every_page_imports_the_package_anew(weave: Weave) -> None:
    text = PAGE.replace(
        "print(half(7))", "import tanglegrad\n\ntanglegrad.stained = True"
    ).replace("ax.legend()", "import tanglegrad as again\nassert again.stained")
    assert drawings(weave(text))
    assert sys.modules["tanglegrad"] is tanglegrad
    assert not hasattr(tanglegrad, "stained")


# Pages at fault --------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("half(7)", "hafl(7)", "line 8: NameError: name 'hafl' is not defined"),
        ("half(0)", "half(None)", "line 5: TypeError"),
        ("ax.legend()", "ax.legend(", "line 19: SyntaxError"),
        ("ax.legend()", "ax.legned()", "line 19: AttributeError"),
        ("ax.legend()", "figure", "line 19: NameError"),
        ("ax.legend()", "ax.set_title('$^$')", "line 11: ValueError"),
        ("caption: ", "title: ", "line 11: a plot begins with 'caption: ...'"),
        ("alt: A line that climbs,\n", "", "line 11: a plot begins with"),
        ("---\n", "", "line 11: a plot begins with"),
        ("```python", "```text", "line 11: no example above the plot"),
        ("```plot", "> ```plot", "line 11: a plot must stand at the left margin"),
    ],
)
def test_a_fault_stops_the_build_with_heading_and_line(
    weave: Weave, old: str, new: str, complaint: str
) -> None:
    with pytest.raises(WeaveError) as caught:
        weave(PAGE.replace(old, new))
    assert str(caught.value).startswith(f"Halves, {complaint}")
