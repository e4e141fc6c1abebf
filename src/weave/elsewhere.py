"""Examples that cannot be run everywhere, and notes that they were run."""

import tomllib
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .fences import Fence
from .manuscript import Manuscript, Sheet

NOTES = "docs/colophon/elsewhere.toml"


def notes(root: Path) -> dict[str, str]:
    """With what each example was run, by its fingerprint."""
    file = root / NOTES
    text = file.read_text("utf-8") if file.exists() else ""
    return tomllib.loads(text)


def _fingerprint(sheet: Sheet, example: Fence) -> str:
    """One for an example together with its output."""
    output = sheet.output_of(example)
    text = example.body + (output.body if output else "")
    return sha256(text.encode()).hexdigest()[:16]


def _needy(whole: Manuscript) -> Iterator[tuple[Sheet, Fence, str]]:
    """Every example that needs a module, and the module."""
    for sheet in whole.sheets.values():
        for fence in sheet.fences:
            if module := sheet.needs.get(fence.line):
                yield sheet, fence, module.partition(".")[0]


def note(root: Path) -> None:
    """Write down with what the examples were run, if all were."""
    needy = list(_needy(Manuscript(root)))
    if any(sheet.lacks(fence) for sheet, fence, _ in needy):
        return
    lines = ["# Written by python -m weave update."]
    for sheet, fence, module in needy:
        with suppress(PackageNotFoundError):
            told = f'"{module} {version(module)}"'
            lines.append(f'"{_fingerprint(sheet, fence)}" = {told}')
    if lines[1:]:
        (root / NOTES).write_text("\n".join(lines) + "\n", "utf-8")


def unnoted(manuscript: Manuscript) -> Iterator[str]:
    """Examples that are not run here, nor were elsewhere."""
    known = notes(manuscript.root)
    for sheet, fence, module in _needy(manuscript):
        unknown = _fingerprint(sheet, fence) not in known
        if sheet.lacks(fence) and unknown:
            says = f"{module} is not here, and no note of a run with it"
            todo = "where it is, run: python -m weave update"
            yield f"{sheet.path}:{fence.line}: {says}; {todo}"


def noted(root: Path, module: str) -> list[str]:
    """The versions of a module with which examples were run."""
    told = notes(root).values()
    return sorted({t for t in told if t.split()[0] == module})
