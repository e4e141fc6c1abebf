"""The faces of type are cut as the style sheet says."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.ttLib import TTFont

from weave import WeaveError, faces
from weave.faces import UNDRAWN, Face

if TYPE_CHECKING:
    from pathlib import Path

FACES = faces.faces()
ids = pytest.mark.parametrize("face", FACES, ids=lambda face: str(face.file.name))


@pytest.fixture
def assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of assets with one whole face and no sheet yet."""
    for folder in ("cut", "fonts"):
        (tmp_path / folder).mkdir()
    whole = next(face.source for face in FACES if face.family == "Letters")
    (tmp_path / "fonts" / "whole.woff2").write_bytes(whole.read_bytes())
    monkeypatch.setattr(faces, "ASSETS", tmp_path)
    monkeypatch.setattr(faces, "CUT", tmp_path / "cut")
    return tmp_path


def rule(ranges: str) -> str:
    """A rule of a sheet for the face of the folder."""
    return (
        '@font-face {\n  font-family: "Mine";\n'
        '  src: url("cut/whole.part.woff2") format("woff2");\n'
        f"  unicode-range: {ranges};\n}}\n"
    )


@ids
def test_a_face_cut_anew_is_the_one_that_is_here(face: Face) -> None:
    assert faces.cut(face) == face.file.read_bytes()


def test_no_other_faces_lie_among_them() -> None:
    assert {face.file for face in FACES} == {*faces.CUT.glob("*.woff2")}


def drawn(font: TTFont, sign: int, weight: float) -> list[tuple[str, Any]]:
    """How a face draws a sign, and how wide it is."""
    shapes = font.getGlyphSet(location={"wght": weight})
    glyph = shapes[font.getBestCmap()[sign]]
    pen = DecomposingRecordingPen(shapes)
    glyph.draw(pen)
    return [("width", ((glyph.width, 0),)), *pen.value]


@ids
def test_a_cut_face_draws_what_the_whole_one_draws(face: Face) -> None:
    """To a thousandth of the letters' size: points lie on whole units."""
    both = [TTFont(file) for file in (face.file, face.source)]
    signs = sorted(face.signs - UNDRAWN)
    for sign, weight in product(signs, map(float, face.weights.split())):
        ours, whole = (drawn(font, sign, weight) for font in both)
        assert [how for how, _ in ours] == [how for how, _ in whole], chr(sign)
        for (_, points), (_, others) in zip(ours, whole, strict=True):
            for point, other in zip(points, others, strict=True):
                assert point == pytest.approx(other, abs=1.01), chr(sign)


@ids
def test_no_cut_face_has_a_name_that_is_reserved(face: Face) -> None:
    names = TTFont(face.file)["name"]
    reserved = "KaTeX"
    for number in (1, 3, 4, 6, 16):
        assert reserved not in (names.getDebugName(number) or "")
    assert names.getDebugName(1) == face.family
    assert "OFL" in names.getDebugName(14)


def test_the_licence_beside_them_names_their_makers() -> None:
    licence = (faces.CUT / "LICENSE.txt").read_text("utf-8")
    for name in ("Literata", "JetBrains Mono", "KaTeX_Main", "KaTeX_Math", "Khan"):
        assert name in licence
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence


def test_what_differs_is_written_and_what_is_not_named_goes(assets: Path) -> None:
    (assets / "style.css").write_text(rule("U+61-63, U+78"))
    (assets / "cut" / "old.woff2").write_bytes(b"")
    file = assets / "cut" / "whole.part.woff2"
    assert faces.write() == [file]
    assert [*(assets / "cut").iterdir()] == [file]
    assert {*TTFont(file).getBestCmap()} == {0x61, 0x62, 0x63, 0x78}
    assert faces.write() == []


def test_a_sign_that_the_whole_face_lacks_is_named(assets: Path) -> None:
    (assets / "style.css").write_text(rule("U+61, U+1F600"))
    with pytest.raises(WeaveError, match=r"^whole\.woff2 has no U\+1F600$"):
        faces.write()
