"""Which file of the site's faces a browser draws a sign from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from fontTools.ttLib import TTFont

from weave.faces import ASSETS, PROPERTY, signs_in

if TYPE_CHECKING:
    from pathlib import Path

SHEETS = (ASSETS / "katex" / "katex.min.css", ASSETS / "style.css")


@dataclass(frozen=True)
class Rule:
    """What a style sheet says of a file, for any sign or weight where it is silent."""

    family: str
    style: str
    weights: list[float]
    signs: frozenset[int]
    file: Path

    def serves(self, style: str, weight: float, sign: str) -> bool:
        return (
            self.style in ("", style)
            and self.weights[0] <= weight <= self.weights[-1]
            and (not self.signs or ord(sign) in self.signs)
        )


def rules(sheet: Path) -> list[Rule]:
    """The files of a sheet, but for the stand-ins, which are the reader's own."""
    found = []
    bodies = re.findall(r"@font-face ?\{(.*?)\}", sheet.read_text("utf-8"), re.DOTALL)
    for body in bodies:
        says = dict(PROPERTY.findall(f"{body};"))
        if address := re.search(r"url\(\"?(.+?)\"?\)", body):
            found.append(
                Rule(
                    says["font-family"],
                    says.get("font-style", ""),
                    [float(w) for w in says.get("font-weight", "1 1000").split()],
                    frozenset(signs_in(says.get("unicode-range", ""))),
                    sheet.parent / address[1],
                )
            )
    return found


RULES = [rule for sheet in SHEETS for rule in rules(sheet)]


@cache
def glyphs(file: Path) -> set[int]:
    """The signs that a face can draw."""
    return {*TTFont(file).getBestCmap()}


def file_of(face: str, sign: str) -> Path | None:
    """The file from which a browser draws a sign; of several the last has it."""
    stack, style, weight = face.split("|")
    for family in stack.replace('"', "").split(", "):
        for rule in reversed(RULES):
            if rule.family == family and rule.serves(style, float(weight), sign):
                return rule.file
    return None
