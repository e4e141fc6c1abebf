"""Formulas, drawn by KaTeX while the page is built."""

import re
from collections.abc import Callable
from functools import cache
from html import unescape
from pathlib import Path

import quickjs
from markdown.postprocessors import Postprocessor

from . import WeaveError

ROOT = Path(__file__).resolve().parents[2]
KATEX = ROOT / "docs" / "assets" / "katex" / "katex.min.js"
DRAW = """
function draw(tex, displayMode) {
  const options = {displayMode, strict: "error", throwOnError: true};
  return [katex.renderToString(tex, options)].join("");
}
"""
FORMULA = re.compile(
    r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL
)


@cache
def _katex() -> Callable[[str, bool], str]:
    engine = quickjs.Context()
    engine.eval(KATEX.read_text("utf-8"))
    engine.eval(DRAW)
    drawer: Callable[[str, bool], str] = engine.get("draw")
    return drawer


@cache
def draw(tex: str, *, display: bool) -> str:
    """The formula as HTML with MathML inside; display: on a line alone."""
    try:
        return _katex()(tex, display)
    except quickjs.JSException as error:
        why = str(error).partition("\n")[0]
        raise WeaveError(f"the formula '{tex.strip()}': {why}") from error


class Formulas(Postprocessor):
    """Draws the formulas that arithmatex has found."""

    def run(self, text: str) -> str:
        """The page, with its formulas drawn."""
        return FORMULA.sub(_drawn, text)


def _drawn(found: re.Match[str]) -> str:
    tag, tex = found.groups()
    html = draw(unescape(tex), display=tag == "div")
    opening = f'<{tag} class="arithmatex" data-search-exclude>'
    return f"{opening}{html}</{tag}>"
