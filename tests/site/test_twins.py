"""The pages as plain text, and the list of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag

import pytest
import yaml
from bs4 import BeautifulSoup
from bs4.filter import SoupStrainer
from markdown_it import MarkdownIt
from mkdocs.commands.build import build
from mkdocs.config import load_config

from tests.site.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from markdown_it.token import Token

    from tests.site.conftest import Site

MARKDOWN = MarkdownIt("commonmark").enable("table")
ADDRESS = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["site_url"]


@pytest.fixture(scope="session")
def twins(site: Site) -> dict[str, list[Token]]:
    """The twin of each page, by the page's address, as Markdown reads it."""
    files = {page: site.folder / page / "index.md" for page in site.pages()}
    return {
        page: MARKDOWN.parse(file.read_text(encoding="utf-8"))
        for page, file in files.items()
        if page != "404.html"
    }


def flat(tokens: list[Token]) -> list[Token]:
    """Tokens with those inside them."""
    return [t for token in tokens for t in (token, *flat(token.children or []))]


def links(tokens: list[Token]) -> list[str]:
    return [str(t.attrs["href"]) for t in flat(tokens) if "href" in t.attrs]


def parts(site: Site, page: str, only: SoupStrainer) -> BeautifulSoup:
    """Of a page, the elements that pass."""
    html = (site.folder / page / "index.html").read_text(encoding="utf-8")
    return BeautifulSoup(html, "html.parser", parse_only=only)


def arrives(site: Site, folder: Path, link: str) -> bool:
    """Whether a link leads to a file of the site, or to another site."""
    if link.startswith(ADDRESS):
        return (site.folder / link.removeprefix(ADDRESS)).is_file()
    return ":" in link or (folder / urldefrag(link)[0]).is_file()


def test_every_link_of_a_twin_arrives(
    site: Site, twins: dict[str, list[Token]]
) -> None:
    lost = {
        page: wrong
        for page, tokens in twins.items()
        if (
            wrong := [
                link
                for link in links(tokens)
                if not arrives(site, site.folder / page, link)
            ]
        )
    }
    assert lost == {}


def test_a_link_of_a_twin_leads_to_a_twin(twins: dict[str, list[Token]]) -> None:
    inside = [link for t in twins.values() for link in links(t) if ":" not in link]
    assert [link for link in inside if not link.endswith("index.md")] == []
    assert len(inside) > len(twins)


def test_no_twin_holds_html_or_a_comment(twins: dict[str, list[Token]]) -> None:
    found = {
        page: html
        for page, tokens in twins.items()
        if (html := [t.content for t in flat(tokens) if t.type.startswith("html")])
    }
    assert found == {}


def test_a_twin_begins_with_the_heading_and_has_all_others(
    site: Site, twins: dict[str, list[Token]]
) -> None:
    for page, tokens in twins.items():
        headings = parts(site, page, SoupStrainer(re.compile(r"h\d")))
        levels = [h.name for h in headings.find_all(re.compile(r"h\d"))]
        assert [t.tag for t in tokens if t.type == "heading_open"] == levels, page
        assert tokens[0].tag == "h1", page


def test_a_twin_has_all_the_code_of_its_chapter(twins: dict[str, list[Token]]) -> None:
    fence = re.compile(
        r"^```(?:python|\{\.python #.*?\}|text)$\n(.*?)^```$", re.MULTILINE | re.DOTALL
    )
    for source in sorted(ROOT.glob("docs/book/*.md")):
        code = [t.content for t in twins[f"book/{source.stem}/"] if t.type == "fence"]
        for block in fence.findall(source.read_text(encoding="utf-8")):
            named = re.sub(r"^( *)<<(.*?)>>$", r"\1⟨\2⟩", block, flags=re.MULTILINE)
            assert named.strip("\n") + "\n" in code, source.stem


def test_the_list_names_every_page_once(
    site: Site, twins: dict[str, list[Token]]
) -> None:
    tokens = MARKDOWN.parse((site.folder / "llms.txt").read_text(encoding="utf-8"))
    assert [t.tag for t in tokens[::3][:1]] == ["h1"]
    assert sorted(links(tokens)) == sorted(f"{ADDRESS}{p}index.md" for p in twins)


def test_every_page_tells_where_its_twin_is(
    site: Site, twins: dict[str, list[Token]]
) -> None:
    for page in twins:
        heads = parts(site, page, SoupStrainer("link", type="text/markdown"))
        told = heads.select("[rel=alternate]") + parts(
            site, page, SoupStrainer(class_="twin")
        ).select("a")
        assert [link["href"] for link in told] == ["index.md", "index.md"], page


def test_what_is_served_while_one_writes_leads_to_no_twin(tmp_path: Path) -> None:
    """MkDocs serves the site at an address of its own, and nobody writes twins."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# A page\n", encoding="utf-8")
    settings: dict[str, Any] = {
        "site_url": "http://127.0.0.1:8000/tanglegrad/",
        "docs_dir": str(tmp_path / "docs"),
        "site_dir": str(tmp_path / "site"),
        "nav": [],
        "plugins": [],
        "markdown_extensions": [],
    }
    build(load_config(str(ROOT / "mkdocs.yml"), **settings))
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "A page</h1>" in page
    assert '"index.md"' not in page
