"""What the tests of the engine found, for the colophon: make proof.

Runs them, searches for the largest error of every local derivative, plants faults and
sees whether a test notices, and writes down what came out. The last digit of an error
may belong to the machine that is named beside it, since sine and tangent are those of
its C library.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from tests.bench.faults import FAULTS, fate
from tests.bench.rows import ROOT, machine, written
from tests.engine.ulps import SLOPES, search

if TYPE_CHECKING:
    from pathlib import Path

    from tests.bench.rows import Row

FOLDERS = ("tests/engine", "tests/bench")
RESULTS = ROOT / "docs/colophon/proof.toml"


def tests() -> list[Row]:
    """Every file of tests by its first line: how many passed, how many were skipped."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        subprocess.run([*command, *FOLDERS], cwd=ROOT, env=environment, check=True)
        cases = ET.parse(report).iter("testcase")
        outcomes = [
            (case.get("classname", ""), case.find("skipped") is not None)
            for case in cases
        ]
    passed = Counter(name for name, skipped in outcomes if not skipped)
    skipped = Counter(name for name, skipped in outcomes if skipped)
    return [
        {
            "what is shown": first_line(path),
            "tests": passed[module_of(path)],
            "skipped": skipped[module_of(path)],
        }
        for folder in FOLDERS
        for path in sorted((ROOT / folder).glob("test_*.py"))
    ]


def module_of(path: Path) -> str:
    """A path as pytest's report names it."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def first_line(path: Path) -> str:
    """What a file of tests says that it shows."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").splitlines()[0]


def slopes() -> list[Row]:
    """The largest error of every local derivative, beside the one that is allowed."""
    rows: list[Row] = []
    for slope in SLOPES:
        found = search(slope)
        rows.append(
            {
                "operation": f"`{slope.operation}`",
                "along": f"`{slope.along}`",
                "where": slope.domain,
                "places": found.tried,
                "largest error": round(found.worst, 2),
                "allowed": slope.limit,
            }
        )
    return rows


def faults() -> list[Row]:
    """How many faults were planted in each module, and how many were noticed."""
    planted, caught = Counter[str](), Counter[str]()
    for fault in FAULTS:
        noticed = fate(fault)
        planted[fault.module] += 1
        caught[fault.module] += noticed is not None
        print(f"{fault.module}: {fault.what}: {noticed or 'NOT NOTICED'}", flush=True)
    return [
        {"module": f"`{name}.py`", "planted": count, "noticed": caught[name]}
        for name, count in planted.items()
    ]


def main() -> int:
    """Write all of it, unless a fault went unnoticed."""
    sections = [machine, tests, slopes, faults]
    found = {section.__name__: section() for section in sections}
    if any(row["planted"] != row["noticed"] for row in found["faults"]):
        return 1
    parts = [written(name, rows) for name, rows in found.items()]
    text = "\n".join(["# Written by make proof.\n", *parts])
    RESULTS.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
