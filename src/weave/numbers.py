"""Every number in a sentence, and where it was computed."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

from .fences import PLOT, Fence
from .manuscript import Manuscript, Sheet
from .prose import Bit, Block
from pathlib import Path

DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d[\d_]*)(?:\.\d+)?(?:e[-+]?\d+)?"
SIGN = r"(?:(?<![\w.)\]])[-−])?"
NUMBER = re.compile(rf"{SIGN}(?<![\w.]){DIGITS}")
AND = r"(?:,|,? to|,? and|,? or)\s"
YEAR = r"(?:19|20)\d\d"
NAMES = [
    re.compile(rf"\b[Cc]hapters?\s\d+(?:{AND}\d+)*\b"),
    re.compile(rf"\b(?:Python|version)\s[\d.]+\d(?:{AND}[\d.]+\d)*\b"),
    re.compile(rf"\b[A-Z]\w+(?:,\s{YEAR}(?=[),;])|\s\({YEAR}\))"),
    re.compile(rf"\w\s\([A-Z][a-z]+ {YEAR}\)"),
    re.compile(r"\bIEEE 754\b|\bBackprop in 90 lines\b"),
]
CHAPTER = re.compile(r"(?:^|/)0*(\d+)-[\w-]+\.md")
TIDY: list[tuple[re.Pattern[str], Any]] = [
    (re.compile(r"\\[,;:! ]"), " "),
    (re.compile(r"(?<=\d)\s*\\cdot\s*10\^\{?(-?\d+)\}?"), r"e\1"),
    (
        re.compile(r"(?<![\w.}])(\d+)\^\{?(\d+)\}?"),
        lambda found: str(int(found[1]) ** int(found[2])),
    ),
    (re.compile(r"[_^](?:\{[^{}]*\}|\\\w+|.)"), " "),
]
SHOWN = re.compile(rf"{SIGN}(?<![\w.]){DIGITS}(?![\w.]*\w)")
SPOKEN = re.compile(r'""".*?"""|#[^\n]*', re.DOTALL)
POWER = re.compile(r"(?<![\w.])(\d+) ?\*\* ?(\d{1,3})(?![\w.])")
CHECK = re.compile(r"<!--= *(\S+): (.+?) *-->", re.DOTALL)


@dataclass(frozen=True)
class Number:
    """A number in a sentence: its line, its text, its value."""

    line: int
    says: str
    value: Decimal


def numbers_in(text: str, line: int) -> Iterator[Number]:
    """The numbers in a text that begins in the given line."""
    for found in NUMBER.finditer(text):
        at = line + text.count("\n", 0, found.start())
        plain = re.sub("[,_]", "", found[0]).replace("−", "-")
        yield Number(at, found[0], Decimal(plain))


def _in_words(block: Block) -> Iterator[Number]:
    """The numbers in the words of a block that are not names."""
    words = block.plain
    for name in NAMES:
        words = name.sub(_blank, words)
    links = block.of("link") if words.startswith("|") else []
    found = [CHAPTER.search(bit.says) for bit in links]
    chapters = {Decimal(chapter[1]) for chapter in found if chapter}
    for number in numbers_in(words, block.line):
        if number.value not in chapters:
            yield number


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"\S", " ", found[0])


def _in_formula(bit: Bit) -> Iterator[Number]:
    """The numbers in a formula or in code that are above 2."""
    tex = bit.says
    if bit.kind == "formula":
        for pattern, instead in TIDY:
            tex = pattern.sub(instead, tex)
    for number in numbers_in(tex, bit.line):
        if abs(number.value) not in (0, 1, 2):
            yield number


def said(block: Block) -> list[Number]:
    """The numbers in a block that have to be computed somewhere."""
    found = list(_in_words(block))
    for bit in block.of("formula", "code"):
        found += _in_formula(bit)
    return found


@cache
def shown(fence: Fence) -> frozenset[Decimal]:
    """The numbers in the code of a fence, or in an output."""
    if fence.kind == "other":
        return frozenset()
    plot = PLOT.fullmatch(fence.body)
    text = plot["code"] if plot else fence.body
    if fence.kind != "output":
        text = SPOKEN.sub("", text)
        text = POWER.sub(lambda f: f"{int(f[1]) ** int(f[2])} {f[0]}", text)
    literals = " ".join(found[0] for found in SHOWN.finditer(text))
    return frozenset(n.value for n in numbers_in(literals, 0))


def near(whole: Manuscript, sheet: Sheet, block: Block) -> set[Decimal]:
    """The numbers that are shown near a block, or where it links to."""
    fences = sheet.inside(sheet.section(block.line))
    if example := sheet.example_above(block.line):
        fences += [example, sheet.output_of(example) or example]
    for bit in block.of("link"):
        there, section = whole.target(sheet, bit.says)
        if there and section:
            fences += there.inside(section)
    return {number for fence in fences for number in shown(fence)}


def checks(sheet: Sheet) -> Iterator[tuple[Number, str]]:
    """The numbers that a sheet's comments check, with the expressions."""
    for block in sheet.blocks:
        for bit in block.of("html"):
            if found := CHECK.fullmatch(bit.says):
                for number in numbers_in(found[1], bit.line):
                    yield number, found[2]


def holds(sheet: Sheet, number: Number, block: Block) -> bool:
    """Whether a check of the number is seen from a block."""
    spans = sheet.spans(sheet.section(block.line))
    return any(start <= number.line < end for start, end in spans)


def wrong(number: Number, expression: str, names: dict[str, Any]) -> str:
    """In what a number differs from an expression, or nothing."""
    try:
        code = " ".join(expression.split())
        result = Decimal(eval(code, vars(math) | names))
    except Exception as error:  # noqa: BLE001
        return f"{expression} fails, {type(error).__name__}: {error}"
    _, _, exponent = number.value.as_tuple()
    if abs(result - number.value) <= Decimal(5).scaleb(int(exponent) - 1):
        return ""
    return f"{expression} is {float(result):.10g}"


def numbers(manuscript: Manuscript) -> Iterator[str]:
    """Numbers that nothing computes, and checks that do not hold."""
    for sheet in manuscript.sheets.values():
        for number in unseen(manuscript, sheet):
            place = f"{sheet.path}:{number.line}"
            says = f"nothing near computes {number.says}"
            todo = f"add <!--= {number.says}: expression -->"
            yield f"{place}: {says}; mend it or {todo}"
        yield from _failed(manuscript, sheet)


def unseen(manuscript: Manuscript, sheet: Sheet) -> Iterator[Number]:
    """The numbers of a sheet that are neither shown nor checked."""
    for block in sheet.blocks:
        computed = values(manuscript, sheet, block)
        for number in said(block):
            if number.value not in computed:
                yield number


def values(whole: Manuscript, sheet: Sheet, block: Block) -> set[Decimal]:
    """The values that a block may name: those shown, those checked."""
    checked = (number for number, _ in checks(sheet))
    seen = {n.value for n in checked if holds(sheet, n, block)}
    return near(whole, sheet, block) | seen


def _failed(manuscript: Manuscript, sheet: Sheet) -> Iterator[str]:
    """The checks of a sheet that do not hold, or hold for nothing."""
    for number, expression in checks(sheet):
        place = f"{sheet.path}:{number.line}: the check of {number.says}"
        example = sheet.example_above(number.line)
        runs = manuscript.runs[sheet.path]
        names = runs[example.line].names if example else {}
        if says := wrong(number, expression, names):
            yield f"{place} does not hold, {says}; mend the number"
        if not _needed(sheet, number):
            yield f"{place} stands near no such number; remove it"


def _needed(sheet: Sheet, number: Number) -> bool:
    """Whether a sentence that sees the check says its number."""
    return any(
        number.value == other.value and holds(sheet, number, block)
        for block in sheet.blocks
        for other in said(block)
    )


def chapters(manuscript: Manuscript) -> Iterator[str]:
    """Chapters that are spoken of and do not exist."""
    for path, sheet in manuscript.sheets.items():
        folders = {"docs/book", str(Path(path).parent)}
        known = {
            Decimal(found[1])
            for other in manuscript.book.chapters
            if (found := CHAPTER.search(other))
            and str(Path(other).parent) in folders
        }
        for block in sheet.blocks:
            for name in NAMES[0].finditer(block.plain):
                above = block.plain[: name.start()].count("\n")
                for number in numbers_in(name[0], block.line + above):
                    if number.value not in known:
                        says = f"there is no chapter {number.says}; mend it"
                        yield f"{path}:{number.line}: {says}"
