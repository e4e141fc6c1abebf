"""What Lighthouse says of the front page and of a chapter, on a phone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.site import tools
from tests.site.conftest import give_up

if TYPE_CHECKING:
    from tests.site.conftest import Site

SCRIPT = Path(__file__).parent / "lighthouse.mjs"
WANTED = {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 100}


def look(port: int, address: str) -> dict[str, Any]:
    """The scores of one run, and what cost points."""
    found: dict[str, Any] = json.loads(tools.run(SCRIPT, str(port), address))
    return found


@pytest.mark.parametrize("page", ["", "book/03-local-derivatives/"])
@pytest.mark.usefixtures("browser")
def test_lighthouse_is_content(
    site: Site, port: int, missing: str, report: list[str], page: str
) -> None:
    """One run is enough: what is asserted is the same each time."""
    if missing:
        give_up(missing)
    run = look(port, site.address + page)
    scores = {name: run["scores"][name] for name in WANTED}
    report.append(f"Lighthouse, /{page}: {scores}")
    # Performance is a time, and times are told but never decide.
    del scores["performance"]
    low = {name: score for name, score in scores.items() if score < WANTED[name]}
    assert low == {}, run["failed"]
