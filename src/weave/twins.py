"""A twin of each page in plain Markdown, and the list of all."""

import posixpath
import re
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

from bs4 import Tag
from markdownify import MarkdownConverter

from .site import Leaf, Site, said

BLANK = re.compile(r"^\s+$")
SPARED = ["changes", "row", "run", "more"]
NOTATION = """\
Each link leads to a page as Markdown. A name in angle brackets is that of
a fragment of the program: where it stands alone on a line of code, the
fragment of that name belongs there. Above a fragment = says that it
begins, and += that it continues one of the same name."""


def simplify(article: Tag) -> None:
    """Leave of a page what can stand in a text."""
    for spared in article.find_all(class_=SPARED):
        spared.decompose()
    if (number := article.find(class_="eyebrow")) and article.h1:
        article.h1.insert(0, f"{number.get_text(strip=True)}: ")
        number.decompose()
    for reference in article.select("pre details"):
        name = reference.summary.get_text() if reference.summary else ""
        reference.replace_with(f"{name}\n")
    for code in article.find_all("pre"):
        code.string = code.get_text()
    for formula in article.find_all(class_="arithmatex"):
        source = formula.find("annotation")
        formula.string = source.get_text().strip() if source else ""
    for figure in article.find_all("figure"):
        for blank in figure.find_all(string=BLANK, recursive=False):
            blank.extract()


LIBRARY: Any = MarkdownConverter


class Converter(LIBRARY):  # type: ignore[misc]
    """Writes the elements of a page as Markdown."""

    def __init__(self, site: Site, leaf: Leaf) -> None:
        super().__init__(heading_style="atx", bullets="-")
        self.site, self.leaf = site, leaf

    def convert_pre(self, el: Tag, text: str, **_: object) -> str:
        """Code, in a fence that says its language."""
        box = el.find_parent("div")
        names = " ".join(box.get_attribute_list("class")) if box else ""
        language = re.search(r"\blanguage-(\S+)", names)
        ticks = [len(run) for run in re.findall("`{3,}", text)]
        fence = "`" * (max([2, *ticks]) + 1)
        opening = fence + (language[1] if language else "")
        code = text.strip("\n")
        return f"\n\n{opening}\n{code}\n{fence}\n\n"

    def convert_div(self, el: Tag, text: str, **around: object) -> str:
        """A block, by its class."""
        kinds = el.get_attribute_list("class")
        if "arithmatex" in kinds:
            return f"\n\n$$\n{el.get_text()}\n$$\n\n"
        if "admonition" in kinds:
            return str(self.convert_blockquote(el, text, **around))
        if "output" in kinds:
            text = f"Output:\n\n{text.strip()}"
        return str(super().convert_div(el, text, **around))

    def convert_span(self, el: Tag, text: str, **_: object) -> str:
        """A stretch of a line, by its class."""
        kinds = el.get_attribute_list("class")
        if "arithmatex" in kinds:
            return f"${el.get_text()}$"
        if "fragment-name" in kinds:
            return f"**{text}**"
        if "doc-object-name" in kinds:
            return f"`{el.get_text()}`"
        return text

    def convert_a(self, el: Tag, text: str, **around: object) -> str:
        """A link: to another twin, or out of the site, or none."""
        place = self.site.place(self.leaf, str(el.get("href", "")))
        if place and place[0] == self.leaf.address:
            return text
        if place and place[0] in self.site.leaves:
            twin, here = f"{place[0]}index.md", self.leaf.address or "."
            el["href"] = posixpath.relpath(twin, here)
        del el["title"]
        return str(super().convert_a(el, text, **around))

    def convert_svg(self, el: Tag, _: str, **__: object) -> str:
        """A drawing, by its description."""
        says = el.get("aria-label")
        return f"\n\n[Picture: {says}]\n\n" if says else ""

    def convert_summary(self, _: Tag, text: str, **__: object) -> str:
        """The line by which something unfolds."""
        return f"\n\n**{text.strip()}**\n\n"

    def convert_td(self, el: Tag, text: str, **around: object) -> str:
        """A cell of a table."""
        cell = text.replace("|", r"\|")
        return str(super().convert_td(el, cell, **around))

    def escape(self, text: str, around: set[str]) -> str:
        """The text of a sentence."""
        return str(super().escape(text, around)).replace("<", r"\<")


def twin(site: Site, leaf: Leaf) -> str:
    """Write the twin of a page; the line of the list that leads to it."""
    article = leaf.article()
    simplify(article)
    text = str(Converter(site, leaf).convert_soup(article))
    file = leaf.file.with_suffix(".md")
    file.write_text(f"{text.strip()}\n", "utf-8", newline="\n")
    address = f"{site.settings['site_url']}{leaf.address}index.md"
    link = f"[{said(article, 'h1')}]({address})"
    first = re.split(r"(?<=[.?]) ", said(article, "p"))[0]
    return f"- {link}: {first.removesuffix(':')}"


def write(site: Site) -> None:
    """Write a twin beside each page of a site, and the list of all."""
    leaves = site.leaves.values()
    with ProcessPoolExecutor() as pool:
        entries = [*pool.map(partial(twin, site), leaves)]
    about = site.settings
    lines = [f"# {about['site_name']}", ""]
    lines += [f"> {about['site_description']}", "", NOTATION]
    part = ""
    for leaf, entry in zip(leaves, entries):
        if leaf.part != part:
            part = leaf.part
            lines += ["", f"## {part}", ""]
        lines.append(entry)
    text = "\n".join(lines) + "\n"
    (site.folder / "llms.txt").write_text(text, "utf-8", newline="\n")
