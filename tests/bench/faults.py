"""Faults planted in a copy of the package, one at a time, until a test notices.

    python -m tests.bench.faults [WORD]

plants those that have the word in their description, or all.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PACKAGE = ROOT / "src/tanglegrad"
TESTS = ROOT / "tests/engine"
PATIENCE = 600.0  # seconds; a fault may as well be an endless loop

NOT_ASKED = ("coverage", "tests")  # they run, or read, the others
# Where a fault is looked for first: it is quicker found there.
FIRST = {
    "engine": ("functions", "powers", "backward", "many_operands", "order"),
    "micro": ("micro",),
    "nn": ("neuron", "mlp"),
    "numeric": ("numeric",),
    "optim": ("optimisers",),
}
LAST = ("depth", "random_graphs", "torch")  # they take their time to fail


class Fault(NamedTuple):
    """A change of a module: what it breaks, and the text before and after."""

    module: str
    what: str
    before: str
    after: str


FAULTS = [
    Fault(**entry)
    for entry in tomllib.loads((HERE / "faults.toml").read_text("utf-8"))["fault"]
]


def planted(fault: Fault, package: Path) -> None:
    """Make the change. The text before must be there once, or it is no change."""
    path = package / f"{fault.module}.py"
    text = path.read_text(encoding="utf-8")
    if text.count(fault.before) != 1:
        raise ValueError(
            f"{fault.module}, {fault.what}: {fault.before!r} should be there once, "
            f"not {text.count(fault.before)} times"
        )
    path.write_text(text.replace(fault.before, fault.after), encoding="utf-8")


def test_files(module: str) -> list[str]:
    """The tests to ask, the likely ones first and the slow ones last."""
    names = sorted(path.stem.removeprefix("test_") for path in TESTS.glob("test_*.py"))
    first = FIRST[module]
    between = [n for n in names if n not in (*first, *LAST, *NOT_ASKED)]
    return [str(TESTS / f"test_{name}.py") for name in (*first, *between, *LAST)]


def fate(fault: Fault) -> str | None:
    """The test that notices a fault, or None."""
    with tempfile.TemporaryDirectory(prefix="fault-") as folder:
        package = Path(folder) / "tanglegrad"
        shutil.copytree(PACKAGE, package)
        planted(fault, package)
        command = [sys.executable, "-m", "pytest", "-qx", "--tb=no"]
        command += ["-p", "no:cacheprovider", *test_files(fault.module)]
        paths = [folder, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        try:
            run = subprocess.run(
                command,
                cwd=ROOT,
                env=environment,
                check=False,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
            )
        except subprocess.TimeoutExpired:
            return "a test that did not end"
    if run.returncode == 0:
        return None
    noticed = re.search(r"^(?:FAILED|ERROR) (\S+)", run.stdout, re.MULTILINE)
    return noticed[1] if noticed else run.stdout[-200:]


def main() -> int:
    """Print what notices each fault."""
    word = " ".join(sys.argv[1:])
    unnoticed = 0
    for fault in FAULTS:
        if word in f"{fault.module} {fault.what}":
            noticed = fate(fault)
            unnoticed += noticed is None
            print(
                f"{fault.module}: {fault.what}: {noticed or 'NOT NOTICED'}", flush=True
            )
    return min(unnoticed, 1)


if __name__ == "__main__":
    sys.exit(main())
