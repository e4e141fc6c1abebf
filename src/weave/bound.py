"""The pages of the site, bound into one: the book to be printed."""

import re
import tomllib
from collections.abc import Iterator
from html import escape
from json import dumps

from bs4 import BeautifulSoup, Tag

from .site import Leaf, Site, said

ORDER = (
    r"$",  # the front page
    r"reading/",
    r"book/",
    r"exercises/",
    r"reference/",
    r"colophon/",
    r"program/(fragments|names)/",
)
USED = re.compile(r"(?<=^#)|(?<=url\(#)")
INDEXED = """The numbers are pages. First come those where a fragment
stands, piece by piece, or a name is defined, then those of its uses."""
BOXES = ("fragment", "pair")
SHORT = 240
LONG = 30
HEADS = """
@page %s:left {
  @top-left { content: counter(page) }
  @top-right { content: %s }
}
@page %s:right {
  @top-left { content: %s }
  @top-right { content: counter(page) }
}"""
ON_THE_TITLE = ("site_name", "site_description", "copyright", "site_url")
TITLE = """
<section class="title-page md-typeset">
{mark}
<h1>{site_name}</h1>
<p class="says">{heading}</p>
<p class="about">{site_description}</p>
<p class="imprint">Version {version}. {copyright}.<br>
<a href="{site_url}">{site_url}</a></p>
</section>"""
BOOK = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{name}</title>
{styles}
<style>{heads}</style>
</head>
<body data-md-color-scheme="default">
{body}
</body>
</html>"""


class Volume:
    """The pages of a site that belong to the book, bound into one."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.leaves = [
            leaf
            for kind in ORDER
            for leaf in site.leaves.values()
            if re.match(kind, leaf.address)
        ]
        self.bound = {leaf.address for leaf in self.leaves}
        self.sections = [self._section(leaf) for leaf in self.leaves]

    def _section(self, leaf: Leaf) -> Tag:
        """A page of the site as a section of the book."""
        article = leaf.article()
        close(article)
        blacken(article)
        self._lead(leaf, article)
        reindex(article)
        space(article)
        keep(article)
        article.name = "section"
        article["id"] = _id(leaf.address)
        article["class"] = "leaf md-typeset"
        article["style"] = f"page: {_kind(leaf)}"
        return article

    def _lead(self, leaf: Leaf, article: Tag) -> None:
        """Make the ids and the links of a page those of the book."""
        for link in article.find_all("a", href=True):
            self._lead_link(leaf, link)
        for element in article.find_all():
            for key, value in element.attrs.items():
                if key == "id":
                    element[key] = _id(leaf.address, str(value))
                elif isinstance(value, str) and element.name != "a":
                    element[key] = USED.sub(_id(leaf.address), value)

    def _lead_link(self, leaf: Leaf, link: Tag) -> None:
        """Make a link lead to its place in the book, or on the site."""
        place = self.site.place(leaf, str(link["href"]))
        if place and place[0] in self.bound:
            link["href"] = f"#{_id(*place)}"
            kinds = link.get_attribute_list("class")
            if "reference" in kinds or not link.find_parent("pre"):
                link.append(number(_id(*place)))
        elif place:
            address = "#".join(filter(None, place))
            link["href"] = f"{self.site.settings['site_url']}{address}"

    def contents(self) -> str:
        """The table of contents."""
        rows, part = ["<h1>Contents</h1>"], ""
        for leaf, section in zip(self.leaves, self.sections):
            if leaf.part != part:
                part = leaf.part
                rows.append(f'<p class="part">{escape(part)}</p>')
            rows.append(_row(_id(leaf.address), section.h1, ordinal(leaf)))
            if leaf.address.startswith("book/"):
                headings = section.find_all("h2")
                rows += [_row(str(h["id"]), h) for h in headings]
        inside = "\n".join(rows)
        return f'<nav class="contents md-typeset">\n{inside}\n</nav>'

    def heads(self) -> str:
        """The heads of the pages, for the style sheet."""
        rules = []
        for leaf, section in zip(self.leaves, self.sections):
            words = f"{ordinal(leaf)}\u2002{said(section, 'h1')}".strip()
            part, words = _quoted(leaf.part), _quoted(words)
            rules.append(HEADS % (_kind(leaf), part, _kind(leaf), words))
        return "\n".join(rules)

    def title(self) -> str:
        """The title page."""
        root, about = self.site.root, self.site.settings
        project = (root / "pyproject.toml").read_text("utf-8")
        return TITLE.format(
            mark=(root / "docs/assets/favicon.svg").read_text("utf-8"),
            heading=escape(said(self.site.leaves[""].article(), "h1")),
            version=tomllib.loads(project)["project"]["version"],
            **{key: escape(str(about[key])) for key in ON_THE_TITLE},
        )

    def html(self) -> str:
        """The whole book, on one page of HTML."""
        sections = "\n".join(str(section) for section in self.sections)
        return BOOK.format(
            name=escape(self.site.settings["site_name"]),
            styles="\n".join(self._styles()),
            heads=self.heads(),
            body=f"{self.title()}\n{self.contents()}\n{sections}",
        )

    def _styles(self) -> Iterator[str]:
        """The links to the style sheets of the site, and to the book's."""
        front = self.site.leaves[""].file.read_text("utf-8")
        page = BeautifulSoup(front, "html.parser")
        links = page.select("[rel=stylesheet]")
        files = [self.site.folder / str(link["href"]) for link in links]
        for file in [*files, self.site.root / "docs/assets/book.css"]:
            address = file.resolve().as_uri()
            yield f'<link rel="stylesheet" href="{address}">'


def _id(address: str, anchor: str = "") -> str:
    """The id that a place on a page has in the book."""
    return f"{address or 'front/'}{anchor}"


def _kind(leaf: Leaf) -> str:
    """The name that a style sheet knows the pages of a leaf by."""
    return re.sub(r"\W+", "-", f"of {_id(leaf.address)}").strip("-")


def close(article: Tag) -> None:
    """Decide of everything that folds whether it is open."""
    for spared in article.find_all(class_=["drawing", "changes"]):
        spared.decompose()
    for code in article.find_all("pre"):
        for opened in code.find_all("details"):
            opened.replace_with("\n")
    for folded in article.find_all("details"):
        folded.name = "div"
        if folded.summary:
            folded.summary["class"] = "unfolded"
            folded.summary.name = "p"


def blacken(article: Tag) -> None:
    """Take the marks from those signs in code that need no colour."""
    for code in article.find_all("pre"):
        for sign in code.find_all(class_=["n", "w", "p", "o"]):
            sign.unwrap()


def reindex(article: Tag) -> None:
    """Leave of the numbers in an index those of pages, and say so."""
    indexes = article.find_all(class_="index")
    for index in indexes:
        for link in index.find_all("a"):
            if link.contents[0].get_text().isdigit():
                link.contents[0].extract()
                del link["aria-label"], link["title"]
    if indexes and article.p:
        article.p.string = INDEXED


def number(place: str) -> Tag:
    """The element that tells the page on which a place is."""
    known_by = {"class": "page-number", "data-of": place}
    element = Tag(name="span", attrs=known_by)
    element.string = "000"
    return element


def space(article: Tag) -> None:
    """Keep the blanks of headings for the outline of the book."""
    for heading in article.select("h1, h2:not([class])"):
        for text in heading.find_all(string=re.compile(" ")):
            wide = escape(text).replace(" ", "\N{NO-BREAK SPACE}<wbr>")
            text.replace_with(BeautifulSoup(wide, "html.parser"))


def keep(article: Tag) -> None:
    """Tie code to its output, and to the words that lead to it."""
    for box in article.find_all(class_=[*BOXES, "highlight"]):
        if box.find_parent(class_=[*BOXES, "kept"]):
            continue
        kept = box.wrap(Tag(name="div", attrs={"class": "kept"}))
        below = kept.find_next_sibling()
        if below and "output" in below.get_attribute_list("class"):
            kept.append(below)
        above = kept.find_previous_sibling()
        if above and above.name == "p" and len(above.get_text()) < SHORT:
            kept.insert(0, above)
        if kept.get_text().count("\n") > LONG:
            kept["class"] = "kept long"


def _row(place: str, heading: Tag | None, ordinal: str = "") -> str:
    """A row of the table of contents."""
    kind = heading.name if heading else ""
    words = heading.decode_contents() if heading else ""
    return (
        f'<a class="row of-{kind}" href="#{place}">'
        f'<span class="ordinal">{ordinal}</span>'
        f'<span class="words">{words}</span>'
        f"{number(place)}</a>"
    )


def ordinal(leaf: Leaf) -> str:
    """The number of a chapter, or nothing."""
    found = re.search(r"/0*(\d+)-", leaf.address)
    return found[1] if found else ""


def _quoted(text: str) -> str:
    """A text as a style sheet quotes it."""
    return dumps(text, ensure_ascii=False)
