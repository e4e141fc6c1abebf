"""Formulas are drawn while the page is built."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weave import WeaveError
from weave.formulas import draw

if TYPE_CHECKING:
    from collections.abc import Callable

    Weave = Callable[[str], str]

KATEX = Path(__file__).parents[2] / "docs/assets/katex"


def test_a_formula_in_a_line_is_drawn_in_the_line(weave: Weave) -> None:
    page = weave("The slope $f'(x)$ of it.")
    assert page.startswith('<p>The slope <span class="arithmatex" data-search-exclude>')
    assert page.endswith("</span> of it.</p>")
    assert "katex-display" not in page


def test_a_formula_alone_is_displayed(weave: Weave) -> None:
    page = weave("Text.\n\n$$\n\\frac{a}{b}\n$$\n")
    assert (
        '<div class="arithmatex" data-search-exclude><span class="katex-display">'
        in page
    )


def test_a_formula_carries_its_meaning(weave: Weave) -> None:
    assert "<mfrac><mi>a</mi><mi>b</mi></mfrac>" in weave(r"$\frac{a}{b}$")


@pytest.mark.parametrize(
    "tex", ["a < b", "a > b", r"\begin{aligned} a &= b \end{aligned}"]
)
def test_signs_of_html_are_signs_in_a_formula(weave: Weave, tex: str) -> None:
    display = "aligned" in tex
    page = weave(f"$$\n{tex}\n$$\n" if display else f"${tex}$")
    assert draw(f"\n{tex}\n" if display else tex, display=display) in page


def test_nothing_is_left_of_the_source_but_its_annotation(weave: Weave) -> None:
    page = weave("$a$ and $b$\n\n$$\nc\n$$\n")
    assert not re.search(r"\\[()\[\]]|\$", page)
    assert "<script" not in page


def test_code_that_looks_like_a_formula_is_code(weave: Weave) -> None:
    assert weave("`$a$`") == "<p><code>$a$</code></p>"


@pytest.mark.parametrize("tex", [r"\frac{a}", r"\nonsense", "é"])
def test_a_wrong_formula_stops_the_build_and_is_named(weave: Weave, tex: str) -> None:
    with pytest.raises(WeaveError) as caught:
        weave(f"A ${tex}$ b.")
    assert str(caught.value).startswith(f"the formula '{tex}': ParseError: ")


def test_the_colophon_names_the_version_of_katex() -> None:
    program = (KATEX / "katex.min.js").read_text(encoding="utf-8")
    chapter = (KATEX.parents[1] / "colophon/05-formulas.md").read_text(encoding="utf-8")
    (version,) = set(re.findall(r'version:"([\d.]+)"', program))
    assert f"KaTeX, version {version}." in chapter


def test_the_style_sheet_finds_all_its_fonts() -> None:
    sheet = (KATEX / "katex.min.css").read_text(encoding="utf-8")
    named = set(re.findall(r"url\(([^)]+)\)", sheet))
    there = {f"fonts/{file.name}" for file in (KATEX / "fonts").iterdir()}
    assert named == there
