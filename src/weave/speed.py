"""What make bench has measured, as tables and as bars."""

import math
from pathlib import Path

from .proof import rows_of, table


def speed(root: Path, section: str) -> list[str]:
    """A section of what make bench has measured, as Markdown."""
    return table(rows_of(root, "speed", section))


def bars(root: Path, section: str) -> list[str]:
    """The steps of a section, with a bar for each."""
    rows = rows_of(root, "speed", section)
    timed = [row for row in rows if "times" in row]
    lines = table([{**row, "times": _bar(row["times"])} for row in timed])
    others = [row for row in rows if "times" not in row]
    reasons = [f"- {row['step']}: {row['why not']}" for row in others]
    return [*lines, "", *reasons]


def _bar(times: float) -> str:
    width = max(0.1, 2.0 * math.log10(times))
    bar = f'<span class="bar" style="width: {width:.2f}em"></span>'
    return f"{bar} {times:,}"
