"""The changes that are said to change nothing are changes of lines that exist."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
EQUIVALENT = tomllib.loads(
    (ROOT / "tests/mutants/equivalent.toml").read_text(encoding="utf-8")
)["equivalent"]
# Left by make mutants, and taken away when the package has changed since.
WRITTEN = ROOT / "docs/colophon/mutants.toml"


@pytest.mark.parametrize("entry", EQUIVALENT, ids=lambda entry: entry["function"])
def test_the_line_before_stands_in_its_module(entry: dict[str, Any]) -> None:
    path = ROOT / f"src/tanglegrad/{entry['module']}.py"
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    for before, after in entry["changes"]:
        assert before in lines
        assert after not in lines


@pytest.mark.parametrize("entry", EQUIVALENT, ids=lambda entry: entry["function"])
def test_each_has_a_reason(entry: dict[str, Any]) -> None:
    assert entry["reason"].strip().endswith(".")


@pytest.mark.skipif(
    not WRITTEN.exists(), reason="make mutants has not counted the present package"
)
def test_the_colophon_counts_them() -> None:
    counts = tomllib.loads(WRITTEN.read_text(encoding="utf-8"))
    written = Counter[str]()
    for entry in EQUIVALENT:
        written[entry["module"]] += len(entry["changes"])
    found = {name: count["equivalent"] for name, count in counts.items()}
    assert written == Counter(found)
