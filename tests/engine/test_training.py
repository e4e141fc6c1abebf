"""The five lines: a network learns."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import MLP, SGD, Adam, Optimizer

if TYPE_CHECKING:
    from collections.abc import Callable

XS = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
YS = [1.0, -1.0, -1.0, 1.0]

KINDS: dict[str, Callable[[Any], Optimizer]] = {
    "SGD": lambda ps: SGD(ps, lr=0.05),
    "momentum": lambda ps: SGD(ps, lr=0.01, momentum=0.8),
    "Adam": lambda ps: Adam(ps, lr=0.05),
}


def train(
    model: Any,
    optimizer: Optimizer,
    steps: int,
    xs: list[list[float]] = XS,
    ys: list[float] = YS,
) -> list[float]:
    losses: list[float] = []
    for _ in range(steps):
        loss: Any = sum((model(x) - y) ** 2 for x, y in zip(xs, ys, strict=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.data)
    return losses


@pytest.mark.parametrize("kind", KINDS)
def test_four_examples_are_learned(kind: str) -> None:
    model = MLP(3, [4, 4, 1], rng=random.Random(3))
    losses = train(model, KINDS[kind](model.parameters()), 50)
    assert losses[0] > 1.0
    assert losses[-1] < 0.01
    outputs: list[Any] = [model(x) for x in XS]
    assert [o.data > 0 for o in outputs] == [y > 0 for y in YS]


@pytest.mark.parametrize("seed", range(5))
def test_they_are_learned_from_other_beginnings_too(seed: int) -> None:
    model = MLP(3, [4, 4, 1], rng=random.Random(seed))
    assert train(model, SGD(model.parameters(), lr=0.03), 200)[-1] < 0.01


def test_exclusive_or_needs_the_bend() -> None:
    xs = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
    ys = [-1.0, 1.0, 1.0, -1.0]
    last = {}
    for activation in ("tanh", None):
        model = MLP(2, [4, 4, 1], activation=activation, rng=random.Random(3))
        last[activation] = train(model, SGD(model.parameters(), 0.05), 100, xs, ys)[-1]
    assert last["tanh"] < 0.01
    assert last[None] == pytest.approx(4.0, abs=0.01)


@pytest.mark.parametrize("activation", ["tanh", "relu", "sigmoid"])
def test_a_network_with_several_outputs_learns_a_map(activation: str) -> None:
    model: Any = MLP(2, [8, 2], activation=activation, rng=random.Random(0))
    optimizer = Adam(model.parameters(), lr=0.1)
    corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]
    loss: Any = None
    for _ in range(400):
        errors = []
        for a, b in corners:
            both, either = model([a, b])
            errors += [both - a * b, either - max(a, b)]
        loss = sum(e * e for e in errors)
        model.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.data < 0.01


def test_without_zeroing_gradients_pile_up() -> None:
    model: Any = MLP(3, [4, 1], rng=random.Random(1))
    for _ in range(2):
        model(XS[0]).backward()
    piled = [p.grad for p in model.parameters()]
    model.zero_grad()
    model(XS[0]).backward()
    assert piled == [2 * p.grad for p in model.parameters()]
