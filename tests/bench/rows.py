"""What a run has measured, as a file of tables that a page can show."""

from __future__ import annotations

import json
import platform
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Row = dict[str, str | int | float]

ROOT = Path(__file__).parents[2]


def machine() -> list[Row]:
    """Where this was measured."""
    return [
        {"what": "Python", "which": platform.python_version()},
        {"what": "machine", "which": f"{platform.system()} {platform.machine()}"},
        {"what": "C library", "which": " ".join(platform.libc_ver()) or "unknown"},
    ]


def short(x: float) -> float:
    """x to three digits."""
    digits = float(f"{x:.3g}")
    return int(digits) if digits >= 100 else digits


def written(section: str, rows: Iterable[Row]) -> str:
    """Rows as an array of tables."""
    lines = []
    for row in rows:
        lines += [f"[[{section}]]"]
        lines += [
            f"{json.dumps(key, ensure_ascii=False)} = "
            f"{json.dumps(value, ensure_ascii=False)}"
            for key, value in row.items()
        ]
        lines.append("")
    return "\n".join(lines)
