"""Faces of type, cut to what the style sheet says of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

from . import WeaveError

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "docs" / "assets"
CUT = ASSETS / "cut"
RULE = re.compile(r"@font-face \{(.*?)\}", re.DOTALL)
PROPERTY = re.compile(r'([\w-]+): *"?([^";]+)"?;')
ADDRESS = re.compile(r'url\("cut/(.+?)"\)')
RANGE = re.compile(r"U\+(\w+)(?:-(\w+))?")
FEATURES = ["calt", "ccmp", "kern", "liga", "locl"]
FEATURES += ["mark", "pnum", "rvrn", "tnum"]
UNDRAWN = {0x9, 0xA, 0x200B}
NAMING = {1, 3, 4, 6}


@dataclass(frozen=True)
class Face:
    """What the style sheet says of a cut face."""

    file: Path
    family: str
    weights: str
    signs: frozenset[int]

    @property
    def source(self) -> Path:
        """The whole face that this one is cut from."""
        name = self.file.name.partition(".")[0]
        return next(ASSETS.rglob(f"fonts/{name}.woff2"))


def faces() -> list[Face]:
    """The cut faces that the style sheet names."""
    sheet = (ASSETS / "style.css").read_text("utf-8")
    found: dict[str, Face] = {}
    for rule in RULE.findall(sheet):
        if address := ADDRESS.search(rule):
            found.setdefault(address[1], _face(address[1], rule))
    return list(found.values())


def _face(name: str, rule: str) -> Face:
    says = dict(PROPERTY.findall(rule))
    signs = frozenset(signs_in(says["unicode-range"]))
    weights = says.get("font-weight", "400")
    return Face(CUT / name, says["font-family"], weights, signs)


def signs_in(ranges: str) -> Iterator[int]:
    """The signs of a unicode-range, by their numbers."""
    for first, last in RANGE.findall(ranges):
        yield from range(int(first, 16), int(last or first, 16) + 1)


def cut(face: Face) -> bytes:
    """The file of a face, cut from the whole one.

    Raises WeaveError if the whole one lacks a sign.
    """
    font = TTFont(face.source, recalcTimestamp=False)
    if lacking := face.signs - font.getBestCmap().keys() - UNDRAWN:
        signs = ", ".join(f"U+{sign:X}" for sign in sorted(lacking))
        raise WeaveError(f"{face.source.name} has no {signs}")
    options = Options(layout_features=FEATURES, name_IDs=["*"])
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=face.signs)
    subsetter.subset(font)
    if "fvar" in font:
        first, *last = map(float, face.weights.split())
        kept = (first, *last) if last else first
        instantiateVariableFont(font, {"wght": kept}, inplace=True)
    names = font["name"]
    whole = names.getDebugName(1)
    for record in names.names:
        if record.nameID in NAMING:
            record.string = str(record).replace(whole, face.family)
    font.flavor = "woff2"
    font.save(file := BytesIO())
    return file.getvalue()


def write() -> list[Path]:
    """Write the cut faces anew; those that were written."""
    made = {face.file: cut(face) for face in faces()}
    there = {file: file.read_bytes() for file in CUT.glob("*.woff2")}
    for file in there.keys() - made.keys():
        file.unlink()
    written = [file for file in made if made[file] != there.get(file)]
    for file in written:
        file.write_bytes(made[file])
    return written
