"""Figures are drawn by the page's own code, and belong to the page."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

import tanglegrad
from weave import WeaveError
from weave.fences import read

if TYPE_CHECKING:
    from collections.abc import Callable

    Weave = Callable[[str], str]

DOCS = Path(__file__).parents[2] / "docs"
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
    assert 'viewBox="0 0 360 208.8"' in drawing
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
    assert '<span class="mi">0</span>' in details
    assert '<span class="n">' not in details


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


def test_the_same_page_gives_the_same_bytes(tmp_path: Path, weave: Weave) -> None:
    once = weave(PAGE)
    shutil.rmtree(tmp_path / "build")
    assert weave(PAGE) == once


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


# Numbers ---------------------------------------------------------------------

NAMED = PAGE.replace("caption:", "name: halves\ncaption:")
TWICE = "A drawing of the double of halves is in [figure](2.md#figure-halves)."


@pytest.fixture
def shelved(shelve: Callable[..., Path]) -> Path:
    """A book of two chapters; the second has a figure, after another one."""
    other = PLOT.replace("caption:", "name: other\ncaption:")
    second = NAMED.replace(PLOT.splitlines()[0], f"{other}\n```plot")
    return shelve(TWICE, second)


def test_a_named_figure_has_the_number_of_its_chapter_and_its_place(
    shelved: Path, weave: Weave
) -> None:
    page = weave((shelved / "docs/2.md").read_text(encoding="utf-8"))
    ids = re.findall(r'<figure class="plot" id="([^"]+)">', page)
    numbers = re.findall(r"<figcaption><strong>Figure ([\d.]+)</strong> ", page)
    assert dict(zip(ids, numbers, strict=True)) == {
        "figure-other": "2.1",
        "figure-halves": "2.2",
    }


def test_a_sentence_gets_the_number_of_the_figure_it_links_to(
    shelved: Path, weave: Weave
) -> None:
    page = weave((shelved / "docs/1.md").read_text(encoding="utf-8"))
    assert '<a href="2.md#figure-halves">figure\N{NO-BREAK SPACE}2.2</a>' in page


def test_a_link_to_a_figure_that_is_not_there_stops_the_build(
    shelved: Path, weave: Weave
) -> None:
    with pytest.raises(WeaveError, match="no figure is named 'halfs'"):
        weave(f"See [figure]({shelved.name}.md#figure-halfs).")


def test_a_name_belongs_to_one_figure(
    shelve: Callable[..., Path], weave: Weave
) -> None:
    shelve(NAMED, NAMED)
    with pytest.raises(WeaveError, match="two figures are named 'halves'"):
        weave("[figure](#figure-halves)")


def test_every_figure_of_the_book_has_a_name() -> None:
    texts = [file.read_text("utf-8") for file in sorted(DOCS.glob("book/*.md"))]
    plots = [f for text in texts for f in read(text) if f.kind == "plot"]
    assert [plot.body for plot in plots if "name:" not in plot.body] == []
    assert len(plots) >= 9


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
        ("alt: A line that climbs,\n", "", "line 11: a plot without a picture needs"),
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
