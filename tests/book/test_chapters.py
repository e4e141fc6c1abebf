"""The program as of every chapter works, and runs the examples up to there."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from weave.book import Book
from weave.tangle import fresh

ROOT = Path(__file__).parents[2]
CHAPTERS = Book.load(ROOT).chapters
ENGINE = [path for path in CHAPTERS if path.startswith("docs/book/")]

program = cache(fresh)


def unpack(files: dict[str, str], folder: Path) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def run(folder: Path, *words: str) -> None:
    """Run Python in the folder, with the program that lies there and no other."""
    own = {"PYTHONPATH": str(folder / "src"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    result = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, **own},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_as_of_each_chapter_every_module_can_be_imported(
    chapter: str, tmp_path: Path
) -> None:
    files = program(ROOT, list(CHAPTERS).index(chapter) + 1)
    unpack(files, tmp_path)
    names = [path.removeprefix("src/").removesuffix(".py") for path in files]
    lines = [f"import {name.replace('/', '.')}" for name in names]
    lines += ["import os", "own = 'src/tanglegrad/__init__.py'"]
    lines += ["assert os.path.samefile(tanglegrad.__file__, own)"]
    run(tmp_path, "-c", "\n".join(lines))


@pytest.mark.parametrize("chapter", ENGINE)
def test_as_of_each_chapter_all_examples_pass(chapter: str, tmp_path: Path) -> None:
    count = ENGINE.index(chapter) + 1
    unpack(program(ROOT, count), tmp_path)
    unpack({path: CHAPTERS[path] for path in ENGINE[:count]}, tmp_path)
    plugins = ["-p", "pytest_codeblocks.plugin", "-p", "no:cacheprovider"]
    run(tmp_path, "-m", "pytest", *plugins, "--codeblocks", "-q", "docs")
