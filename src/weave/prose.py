"""The sentences of a page: what stands on it outside the fences."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from .fences import PLOT, parser, read

KINDS = {
    "text": "text",
    "text_special": "text",
    "code_inline": "code",
    "formula": "formula",
    "display": "display",
    "html_inline": "html",
    "link_open": "link",
    "image": "image",
}


@dataclass(frozen=True)
class Bit:
    """A stretch of a block: its kind, its line, and what it says."""

    kind: str
    line: int
    says: str

    @property
    def plain(self) -> str:
        """The words; code and formulas are a mark, all else is left out."""
        if self.kind == "text":
            return self.says
        mark = "¤" if self.kind in ("code", "formula") else ""
        return mark + "\n" * self.says.count("\n")


@dataclass(frozen=True)
class Block:
    """A paragraph, a heading, a row of a table or a caption.

    level is that of a heading, from 1; it is 0 for all else.
    """

    line: int
    level: int
    bits: tuple[Bit, ...]

    def of(self, *kinds: str) -> list[Bit]:
        """The bits of the given kinds."""
        return [bit for bit in self.bits if bit.kind in kinds]

    @property
    def plain(self) -> str:
        """The words of the block."""
        return "".join(bit.plain for bit in self.bits)

    @property
    def words(self) -> str:
        """What a reader sees of the block, formulas as they were typed."""
        seen = self.of("text", "code", "formula")
        return "".join(bit.says for bit in seen)


def _formula(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    """The rule of the parser for what stands between dollars."""
    source, at = state.src, state.pos
    sign = "$$" if source.startswith("$$", at) else "$"
    end = source.find(sign, at + len(sign))
    if source[at] != "$" or end < 0:
        return False
    if not silent:
        kind = "display" if sign == "$$" else "formula"
        state.push(kind, "", 0).content = source[at + len(sign) : end]
    state.pos = end + len(sign)
    return True


MARKDOWN = parser()
MARKDOWN.inline.ruler.before("escape", "formula", _formula)


@lru_cache(maxsize=256)
def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of a Markdown text, captions included, in order."""
    found, level = list(_captions(text)), 0
    cells: list[Bit] = []
    for token in MARKDOWN.parse(text):
        line = token.map[0] + 1 if token.map else 0
        match token.type:
            case "heading_open":
                level = int(token.tag[1])
            case "tr_open":
                cells = [Bit("text", line, "| ")]
            case "inline" if cells:
                cells += [*_bits(token, line), Bit("text", line, " | ")]
            case "tr_close":
                found.append(Block(cells[0].line, 0, tuple(cells)))
                cells = []
            case "inline":
                found.append(Block(line, level, tuple(_bits(token, line))))
                level = 0
    return tuple(sorted(found, key=lambda block: block.line))


def _bits(token: Token, line: int) -> Iterator[Bit]:
    """The bits of a token with children, which begins in line."""
    for child in token.children or ():
        kind, says = KINDS.get(child.type), child.content
        if child.type in ("softbreak", "hardbreak"):
            kind, says = "text", "\n"
        if child.attrs:
            says = str(child.attrs.get("href") or child.attrs["src"])
        if kind:
            yield Bit(kind, line, says)
            line += says.count("\n")


def _captions(text: str) -> Iterator[Block]:
    """The captions and text alternatives of the plots in a text."""
    for fence in read(text):
        if fence.kind == "plot" and (parts := PLOT.fullmatch(fence.body)):
            for part in filter(parts.group, ("caption", "alt")):
                above = fence.body[: parts.start(part)].count("\n")
                line = fence.line + 1 + above
                (token,) = MARKDOWN.parseInline(parts[part])
                yield Block(line, 0, tuple(_bits(token, line)))
