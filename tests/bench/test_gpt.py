"""The ways to train a small GPT that are timed compute the same losses."""

from __future__ import annotations

import random
import tomllib
from typing import TYPE_CHECKING

import pytest

from tests.bench.gpt import FIRST, RESULTS, WAYS, copied, turns
from tests.bench.microgpt import Model

if TYPE_CHECKING:
    from tests.bench.gpt import Step, Way

QUICK = {name: way for name, way in WAYS.items() if name != "a replay in C"}


def test_every_way_has_the_same_losses() -> None:
    losses = [
        [loss for _, loss in turn.values()] for turn in turns(QUICK, steps=3, length=3)
    ]
    assert len(losses) == 3
    assert len(losses[0]) == len(QUICK) == 3
    assert losses[0] == pytest.approx([losses[0][0]] * 3, rel=1e-12)
    assert losses[0][0] != losses[1][0]


def test_a_way_with_another_loss_is_noticed() -> None:
    def wrong(model: Model, steps: int, length: int) -> Step:
        step = WAYS[FIRST](model, steps, length)
        return lambda text: step(text) * (1.0 + 1e-6)

    ways: dict[str, Way] = {"wrong": wrong, FIRST: WAYS[FIRST]}
    with pytest.raises(ValueError, match="the losses of step 0 differ"):
        list(turns(ways, steps=1, length=3))


def test_the_copy_has_every_number_once() -> None:
    model = Model(random.Random(1))
    theirs = sorted(p.data for p in model.parameters())
    assert sorted(p.data for p in copied(model).parameters()) == theirs
    assert len(set(theirs)) == 4192


def test_the_table_of_the_book_has_every_way() -> None:
    found = tomllib.loads(RESULTS.read_text(encoding="utf-8"))
    assert {row["a step with"] for row in found["steps"]} == set(WAYS)
    assert {"what": "parameters", "which": "4192"} in found["trained"]
