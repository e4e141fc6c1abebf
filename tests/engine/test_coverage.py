"""The quick tests alone go through every line and every branch of the package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import tanglegrad

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PACKAGE = Path(tanglegrad.__file__).parent

# These go the same ways again, thousands of times, or none: whole files, and words
# in the names of tests.
SLOW = [
    *["coverage", "depth", "interruptions", "local_derivatives", "random_graphs"],
    *["same_bits", "tests", "threads", "torch", "training"],
]
AGAIN = [
    "by_their_probabilities",
    "deep",
    "every_bit",
    "million",
    "nudging",
    "same_bits",
]


def test_no_line_and_no_branch_is_left_out(tmp_path: Path) -> None:
    data, report = tmp_path / "data", tmp_path / "report.json"
    ignored = [f"--ignore={HERE / f'test_{name}.py'}" for name in SLOW]
    assert all(Path(option.partition("=")[2]).exists() for option in ignored)
    coverage = [sys.executable, "-m", "coverage"]
    where = ["--branch", f"--source={PACKAGE}", f"--data-file={data}"]
    tests = ["-m", "pytest", "-qx", "-p", "no:cacheprovider", *ignored, str(HERE)]
    tests += ["-k", f"not ({' or '.join(AGAIN)})"]
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    for command in (
        [*coverage, "run", *where, *tests],
        [*coverage, "json", f"--data-file={data}", "-o", str(report)],
    ):
        run = subprocess.run(
            command,
            check=False,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stdout + run.stderr
    files = json.loads(report.read_text(encoding="utf-8"))["files"]
    assert {Path(name).name for name in files} == {p.name for p in PACKAGE.glob("*.py")}
    missed = {
        name: (found["missing_lines"], found["missing_branches"])
        for name, found in files.items()
        if found["missing_lines"] or found["missing_branches"]
    }
    assert missed == {}
