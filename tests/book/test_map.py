"""The map on the front page shows the chapters that there are."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_map_lists_every_chapter_in_reading_order() -> None:
    front = (DOCS / "index.md").read_text(encoding="utf-8")
    the_map = front.partition('<div class="map"')[2]
    listed = re.findall(r"^- \[[^]]+\]\((book/[^)]+)\)", the_map, re.MULTILINE)
    chapters = sorted(f"book/{file.name}" for file in DOCS.glob("book/*.md"))
    assert listed == chapters


def test_the_map_calls_every_chapter_by_its_name() -> None:
    front = (DOCS / "index.md").read_text(encoding="utf-8")
    named = dict(re.findall(r"^- \[([^]]+)\]\((book/[^)]+)\)", front, re.MULTILINE))
    titles = {
        (DOCS / path).read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
        for path in named.values()
    }
    assert set(named) == titles
