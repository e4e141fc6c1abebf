"""A book small enough to stand in a test, and the page that weave makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from markdown import Markdown

if TYPE_CHECKING:
    from collections.abc import Callable

EXTENSIONS = [
    "attr_list",
    "md_in_html",
    "tables",
    "toc",
    "pymdownx.arithmatex",
    "pymdownx.highlight",
    "pymdownx.superfences",
]


@pytest.fixture
def shelve(tmp_path: Path) -> Callable[..., Path]:
    """Write a book of the given chapters; the folder it lies in."""

    def write(*chapters: str) -> Path:
        paths = [f"docs/{number}.md" for number in range(1, len(chapters) + 1)]
        (tmp_path / "docs").mkdir(exist_ok=True)
        for path, text in zip(paths, chapters, strict=True):
            (tmp_path / path).write_text(text, encoding="utf-8")
        settings = {"version": "2.0", "annotation": "naked", "watch_list": paths}
        lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
        (tmp_path / "entangled.toml").write_text("\n".join(lines), encoding="utf-8")
        return tmp_path

    return write


@pytest.fixture
def weave(tmp_path: Path) -> Callable[..., str]:
    """Make a page of a text; the book it belongs to is the one on the shelf."""

    def convert(text: str, *, woven: bool = True) -> str:
        extensions = [*EXTENSIONS, "weave.page"] if woven else EXTENSIONS
        settings: dict[str, dict[str, Any]] = {
            "pymdownx.arithmatex": {"generic": True},
            "pymdownx.highlight": {"pygments_lang_class": True},
            "weave.page": {"root": str(tmp_path)},
        }
        page = Markdown(extensions=extensions, extension_configs=settings)
        return page.convert(text)

    return convert
