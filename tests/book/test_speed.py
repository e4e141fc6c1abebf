"""What make bench has measured is drawn as tables and bars, and nothing is missing."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.bench.compare import GRAPHS, OURS
from tests.bench.growth import SHAPES, SIZES
from tests.bench.peers import PACKAGES, STEPS
from tests.bench.speed import SECTIONS
from tests.bench.steps import TASKS
from weave.speed import bars, speed

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/colophon/speed.toml").read_text(encoding="utf-8")
FOUND = tomllib.loads(TEXT)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "docs/colophon").mkdir(parents=True)
    file = tmp_path / "docs/colophon/speed.toml"
    file.write_text(
        '[[big]]\nstep = "a"\ntimes = 1000\nmost = 1.5\n'
        '[[big]]\nstep = "b"\n"why not" = "too old"\n'
        '[[big]]\nstep = "c"\ntimes = 0.5\nmost = 2\n',
        encoding="utf-8",
    )
    return tmp_path


def test_a_bar_grows_with_the_digits_of_its_number(root: Path) -> None:
    head, marks, first, second, *rest = bars(root, "big")
    assert [head, marks] == ["| step | times | most |", "| --- | --- | ---: |"]
    widths = [
        re.findall(r'<span class="bar" style="width: ([\d.]+)em">', line)
        for line in (first, second)
    ]
    assert widths == [["6.00"], ["0.10"]]
    assert first.endswith("</span> 1,000 | 1.5 |")
    assert rest == ["", "- b: too old"]


def test_a_section_without_bars_is_a_table(root: Path) -> None:
    assert speed(root, "big")[2] == "| a | 1,000 | 1.5 |"


def test_every_section_was_measured_and_is_shown() -> None:
    names = [section.__name__ for section in SECTIONS]
    assert list(FOUND) == names
    page = (ROOT / "docs/colophon/19-how-fast.md").read_text(encoding="utf-8")
    assert sorted(
        re.findall(r"^<!--(?:speed|bars): (\w+)-->$", page, re.MULTILINE)
    ) == sorted(names)


@pytest.mark.parametrize("which", ["small", "moons", "three"])
def test_every_way_to_take_a_step_has_a_time_or_a_reason(which: str) -> None:
    rows = {row["step"]: row for row in FOUND[which]}
    assert list(rows) == list(GRAPHS if which == "three" else [*STEPS, *OURS])
    for row in rows.values():
        if "why not" not in row:
            assert 0 < row["least"] <= row["times"] <= row["most"]
            assert row["µs"] > 0
    assert not [name for name in OURS if "why not" in rows.get(name, {})]


def test_every_peer_is_named_with_its_version() -> None:
    named = [f"{row['package']}=={row['version']}" for row in FOUND["peers"]]
    assert named == [package.requirement for package in PACKAGES]


def test_costs_were_measured_from_a_thousand_nodes_to_a_million() -> None:
    grown = [(row["shape"], row["nodes"]) for row in FOUND["growth"]]
    assert grown == [(shape, size) for shape in SHAPES for size in SIZES]
    assert [row["nodes"] for row in FOUND["recorded"]] == list(SIZES)
    targets = [(row["step"], row["target"]) for row in FOUND["paid"]]
    modes = ("python", "columns", "c")
    assert targets == [(task, mode) for task in TASKS for mode in modes]


def test_no_path_of_the_machine_is_written_down() -> None:
    assert not re.search(r"(?<!\w)/\w+/", TEXT)
