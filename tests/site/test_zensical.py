"""Zensical, the successor of Material, builds the same site."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.site import crawl
from tests.site.conftest import ROOT
from weave.book import Book

if TYPE_CHECKING:
    from tests.site.conftest import Site

ADDRESS = "https://tanglegrad.github.io/tanglegrad/"
SOURCES = ("docs", "src", "build/drawn", "entangled.toml", "mkdocs.yml")

# What an article has in one of the two alone, and why.
ONLY_MKDOCS: dict[str, str] = {}
ONLY_ZENSICAL = {
    "#__skip": "the place where 'Skip to content' leads; with MkDocs, the heading",
}


@pytest.fixture(scope="module")
def ours(site: Site) -> dict[str, crawl.Leaf]:
    """The pages that MkDocs makes."""
    return crawl.read(site.folder, ADDRESS)


@pytest.fixture(scope="module")
def theirs(
    ours: dict[str, crawl.Leaf], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, crawl.Leaf]:
    """The pages that Zensical makes, from a copy: it leaves its cache beside them.

    The figures were drawn when MkDocs made ours.
    """
    assert ours
    top = tmp_path_factory.mktemp("zensical")
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        copy(ROOT / name, top / name)
    build = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "-f", "mkdocs.yml"],
        cwd=top,
        env=os.environ | {"PYTHONPATH": str(top / "src"), "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert build.returncode == 0, build.stdout
    return crawl.read(top / "site", ADDRESS)


def test_it_makes_the_same_pages(
    ours: dict[str, crawl.Leaf], theirs: dict[str, crawl.Leaf]
) -> None:
    assert theirs.keys() == ours.keys()


def test_its_articles_have_the_same_ids_and_links(
    ours: dict[str, crawl.Leaf], theirs: dict[str, crawl.Leaf]
) -> None:
    for page, leaf in ours.items():
        mine = [x for x in leaf.article if x not in ONLY_MKDOCS]
        other = [x for x in theirs[page].article if x not in ONLY_ZENSICAL]
        assert other == mine, page


def test_each_difference_is_one(
    ours: dict[str, crawl.Leaf], theirs: dict[str, crawl.Leaf]
) -> None:
    mine = {name for leaf in ours.values() for name in leaf.article}
    other = {name for leaf in theirs.values() for name in leaf.article}
    assert ONLY_MKDOCS.keys() <= mine - other
    assert ONLY_ZENSICAL.keys() <= other - mine


def test_its_pages_have_the_fragments(theirs: dict[str, crawl.Leaf]) -> None:
    anchors = {x for leaf in theirs.values() for x in leaf.article}
    assert {"#" + piece.anchor for piece in Book.load(ROOT).pieces} <= anchors
