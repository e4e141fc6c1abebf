"""What the tests of the engine found, as tables."""

import tomllib
from pathlib import Path


def proof(root: Path, section: str) -> list[str]:
    """A section of what make proof has found, as Markdown."""
    file = root / "docs/colophon/proof.toml"
    rows = tomllib.loads(file.read_text("utf-8"))[section]
    head = rows[0].items()
    marks = ["---" if isinstance(x, str) else "---:" for _, x in head]
    lines = [[name for name, _ in head], marks]
    lines += [[_cell(x) for x in row.values()] for row in rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _cell(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:,}"
