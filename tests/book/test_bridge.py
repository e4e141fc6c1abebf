"""What chapter 15 says of its table is what was measured."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOUND = tomllib.loads((ROOT / "docs/colophon/bridge.toml").read_text(encoding="utf-8"))
NOTES = tomllib.loads(
    (ROOT / "docs/colophon/elsewhere.toml").read_text(encoding="utf-8")
)
SMALL, LARGE = "a small network, µs", "a larger one, µs"


def test_the_table_has_the_order_that_the_text_speaks_of() -> None:
    _, replay, one, batch, shared = FOUND["cost"]
    assert "replay" in replay["the examples go through"]
    assert replay[SMALL] < one[SMALL]
    assert one[LARGE] < replay[LARGE]
    for size in (SMALL, LARGE):
        assert batch[size] < one[size]
        assert batch[size] < shared[size]


def test_the_examples_and_the_table_are_of_one_version_of_pytorch() -> None:
    measured = {row["what"]: row["which"] for row in FOUND["setting"]}
    assert set(NOTES.values()) == {f"torch {measured['PyTorch']}"}
