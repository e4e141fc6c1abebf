"""What the tests of the engine found is drawn as tables, and is up to date."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.bench.faults import FAULTS, Fault
from tests.engine.ulps import SLOPES
from weave.proof import proof

ROOT = Path(__file__).parents[2]
FOUND = tomllib.loads((ROOT / "docs/colophon/proof.toml").read_text(encoding="utf-8"))


def test_a_section_is_a_table_with_its_numbers_at_the_right(tmp_path: Path) -> None:
    (tmp_path / "docs/colophon").mkdir(parents=True)
    file = tmp_path / "docs/colophon/proof.toml"
    rows = '[[slow]]\nwhat = "a"\n"how many" = 1234\n[[slow]]\nwhat = "b"\nmuch = 0.5\n'
    file.write_text(rows, encoding="utf-8")
    assert proof(tmp_path, "slow") == [
        "| what | how many |",
        "| --- | ---: |",
        "| a | 1,234 |",
        "| b | 0.5 |",
    ]
    with pytest.raises(KeyError):
        proof(tmp_path, "fast")


def test_the_slopes_on_the_page_are_those_that_are_tested() -> None:
    written = {(row["operation"], row["along"]): row for row in FOUND["slopes"]}
    tested = {(f"`{s.operation}`", f"`{s.along}`"): s for s in SLOPES}
    assert list(written) == list(tested)
    for name, row in written.items():
        assert row["allowed"] == tested[name].limit
        assert 0 <= row["largest error"] <= row["allowed"]


def test_every_fault_that_was_planted_was_noticed() -> None:
    assert sum(row["planted"] for row in FOUND["faults"]) == len(FAULTS) >= 60
    assert all(row["noticed"] == row["planted"] for row in FOUND["faults"])


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_the_text_that_a_fault_changes_is_there_once(fault: Fault) -> None:
    module = ROOT / f"src/tanglegrad/{fault.module}.py"
    assert module.read_text(encoding="utf-8").count(fault.before) == 1
    assert fault.before != fault.after


def test_no_two_faults_are_described_alike() -> None:
    described = [(fault.module, fault.what) for fault in FAULTS]
    assert len(set(described)) == len(described)
