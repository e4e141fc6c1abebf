"""Scenes: examples of a page, with the figures drawn from them."""

from collections.abc import Iterable
from dataclasses import dataclass

from . import WeaveError
from .fences import PLOT, Fence


@dataclass(frozen=True)
class Plot:
    """What a plot says, and where it stands on its page."""

    line: int
    code_line: int
    id: str
    name: str
    caption: str
    alt: str
    code: str


def _plot(fence: Fence, number: int) -> Plot:
    """What stands in a fence, the plot with a number on its page."""
    parts = PLOT.fullmatch(fence.body)
    if not parts:
        raise WeaveError(
            f"line {fence.line}: a plot begins with 'caption: ...', "
            "'alt: ...' and '---', each on a new line"
        )
    heads = [parts["name"], parts["caption"], parts["alt"]]
    name, caption, alt = (" ".join((h or "").split()) for h in heads)
    line = fence.line + fence.body[: parts.start("code")].count("\n")
    about = (name, caption, alt, parts["code"])
    return Plot(fence.line, line, f"plot-{number}", *about)


@dataclass(frozen=True)
class Scene:
    """An example, and the plots that are drawn from it."""

    example: Fence
    plots: list[Plot]

    @property
    def told(self) -> list[list[str]]:
        """All that the page says about how the scene is drawn."""
        parts = [[plot.id, plot.alt, plot.code] for plot in self.plots]
        return [[self.example.body], *parts]


def scenes(fences: Iterable[Fence]) -> list[Scene]:
    """The scenes among the fences of a page."""
    found: list[Scene] = []
    example, number = None, 0
    for fence in fences:
        if fence.kind == "example":
            example = fence
        if fence.kind == "plot":
            if not example:
                says = "no example above the plot"
                raise WeaveError(f"line {fence.line}: {says}")
            number += 1
            if not found or found[-1].example is not example:
                found.append(Scene(example, []))
            found[-1].plots.append(_plot(fence, number))
    return found
