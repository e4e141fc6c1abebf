"""What the tests of the engine found, as tables."""

import tomllib
from pathlib import Path
from typing import Any


def proof(root: Path, section: str) -> list[str]:
    """A section of what make proof has found, as Markdown."""
    return table(rows_of(root, "proof", section))


def rows_of(root: Path, name: str, section: str) -> list[dict[str, Any]]:
    """The rows of a section of a file of results."""
    text = (root / f"docs/colophon/{name}.toml").read_text("utf-8")
    rows: list[dict[str, Any]] = tomllib.loads(text)[section]
    return rows


def table(rows: list[dict[str, Any]]) -> list[str]:
    """Rows as a table of Markdown."""
    head = rows[0].items()
    marks = ["---" if isinstance(x, str) else "---:" for _, x in head]
    lines = [[name for name, _ in head], marks]
    lines += [[_cell(x) for x in row.values()] for row in rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _cell(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:,}"
