"""The examples: whether each is run, and prints what the page shows."""

import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from itertools import pairwise, zip_longest
from pathlib import Path

from pytest_codeblocks.main import CodeBlock, extract_from_buffer

from . import WeaveError
from .fences import Fence
from .manuscript import Manuscript, Run, Sheet

LIKE = re.compile(r"(py|sh\b|bash\b)")
RUN = ("python", "sh", "bash")
REASON = re.compile(r"""reason=(["'])(.+?)\1""")
MARK = "<!--pytest-codeblocks:expected-output-->"


def alike(manuscript: Manuscript) -> Iterator[str]:
    """Fences that look like examples to a reader and are none."""
    for path, sheet in manuscript.sheets.items():
        for fence in sheet.fences:
            word = fence.info.strip("{. ").lower()
            if fence.kind == "other" and LIKE.match(word):
                says = f"'{fence.mark}{fence.info}' is not run by anything"
                todo = "open an example with ```python and no more"
                yield f"{path}:{fence.line}: {says}; {todo}"


def collected(manuscript: Manuscript) -> Iterator[str]:
    """Examples that the tests would pass over, or would run unasked."""
    for path, sheet in manuscript.sheets.items():
        ours = {f.line for f in sheet.fences if f.kind == "example"}
        try:
            theirs = {b.lineno for b in _collect(sheet) if b.syntax in RUN}
        except RuntimeError as error:
            yield f"{path}:1: pytest-codeblocks: {error}; mend the comment"
            continue
        for line in sorted(ours - theirs):
            says = "the tests pass this example over"
            yield f"{path}:{line}: {says}; look at the comment above it"
        for line in sorted(theirs - ours):
            says = "the tests would run this, though it is no example"
            yield f"{path}:{line}: {says}; write it without fences"


def _collect(sheet: Sheet) -> list[CodeBlock]:
    """What pytest-codeblocks makes of a sheet, or its RuntimeError."""
    size = sheet.text.count("\n") + 9
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(extract_from_buffer(StringIO(sheet.text), size))


def _blocks(sheet: Sheet) -> list[CodeBlock]:
    """The same, but nothing from a page that it cannot read."""
    with suppress(RuntimeError):
        return _collect(sheet)
    return []


def marked(manuscript: Manuscript) -> Iterator[str]:
    """Examples with a mark whose reason the reader is not told."""
    for path, sheet in manuscript.sheets.items():
        words = " ".join(" ".join(b.words for b in sheet.blocks).split())
        for line, reason in _marks(sheet):
            if not reason or reason not in words:
                says = "this example may be skipped and does not say why"
                todo = "give the mark a reason that stands in the text"
                yield f"{path}:{line}: {says}; {todo}"


def _marks(sheet: Sheet) -> Iterator[tuple[int, str]]:
    """The lines of a sheet's marked examples, with the reasons."""
    for block in _blocks(sheet):
        for mark in block.marks:
            reason = REASON.search(mark)
            yield block.lineno, reason[2] if reason else ""
        if block.importorskip:
            yield block.lineno, block.importorskip.split(".")[0]


def outputs(manuscript: Manuscript) -> Iterator[str]:
    """Examples that fail, or print something else than is shown."""
    for path, sheet in manuscript.sheets.items():
        for line, run in manuscript.runs[path].items():
            (example,) = (f for f in sheet.fences if f.line == line)
            output = sheet.output_of(example)
            if wrong := _wrong(run, output):
                at = output.line if output else line
                yield f"{path}:{at}: {wrong}"
        yield from _uncompared(sheet)


def _wrong(run: Run, output: Fence | None) -> str:
    """What is wrong with a run and its output, or nothing."""
    if run.lacks:
        return ""
    if run.error:
        return f"the example fails, {run.error}; mend it"
    if run.printed and not output:
        return "the example prints, and no output is shown; show it"
    if output and run.printed != output.body:
        line = _first_line(run.printed, output.body)
        return f"{line}; run: python -m weave update"
    return ""


def _first_line(printed: str, shown: str) -> str:
    """In which line an example does not print what is shown."""
    pairs = zip_longest(printed.splitlines(), shown.splitlines())
    found = (pair for pair in pairs if pair[0] != pair[1])
    was, told = next(found, ("a line end", "none"))
    return f"the example prints {was!r}, the page shows {told!r}"


def _uncompared(sheet: Sheet) -> Iterator[str]:
    """What looks like an output and is not compared, or not exactly."""
    blocks = {block.lineno: block for block in _blocks(sheet)}
    for before, fence in pairwise(sheet.fences if blocks else ()):
        place = f"{sheet.path}:{fence.line}"
        if fence.kind == "output":
            if not _exact(blocks.get(before.line), fence):
                says = "nothing compares this output exactly"
                yield f"{place}: {says}; {MARK} goes below an example"
        elif before.kind == "example" and fence.info == "text":
            says = "nothing compares this text with the example"
            yield f"{place}: {says}; put {MARK} before it"


def _exact(block: CodeBlock | None, output: Fence) -> bool:
    """Whether the tests compare a block with its output exactly."""
    if not block or block.expected_output_ignore_whitespace:
        return False
    return bool(block.expected_output == output.body)


def update(root: Path) -> list[str]:
    """Bring the outputs of all pages up to date; where that was done."""
    manuscript, texts, places = Manuscript(root), {}, []
    for path, sheet in manuscript.sheets.items():
        lines = sheet.text.splitlines()
        for output, run in _stale(sheet, manuscript.runs[path]):
            lines[output.line : output.end - 1] = _body(lines, output, run)
            places.append(f"{path}:{output.line}")
            texts[root / path] = "\n".join(lines) + "\n"
    for file, text in texts.items():
        file.write_bytes(text.encode())
    return sorted(places)


def _stale(
    sheet: Sheet, runs: dict[int, Run]
) -> Iterator[tuple[Fence, Run]]:
    """The outputs that differ from what was printed, last one first."""
    for example in reversed(sheet.fences):
        if example.kind == "example":
            run, output = runs[example.line], sheet.output_of(example)
            if run.error:
                place = f"{sheet.path}:{example.line}"
                raise WeaveError(f"{place}: the example fails, {run.error}")
            if output and run.printed != output.body and not run.lacks:
                yield output, run


def _body(lines: list[str], output: Fence, run: Run) -> list[str]:
    """The lines between the ends of an output, from a run."""
    indent = lines[output.line - 1].partition(output.mark)[0]
    return [indent + text for text in run.printed.splitlines()]
