"""Depth and width are limited by memory alone, and memory is freed at once."""

from __future__ import annotations

import gc
import operator
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import Value, dot, total

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(autouse=True)
def _no_collector() -> Iterator[None]:
    """Leave to the cyclic collector nothing but what a test asks it to find."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def alive() -> int:
    return sum(issubclass(type(thing), Value) for thing in gc.get_objects())


def waiting() -> int:
    """The number of Values that only the collector can free."""
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    gc.set_debug(0)
    found = sum(issubclass(type(thing), Value) for thing in gc.garbage)
    gc.garbage.clear()
    return found


# Depth and width -------------------------------------------------------------


def test_a_million_operations_deep() -> None:
    before = alive()
    x = y = Value(1.0)
    for _ in range(1_000_000):
        y = y + x
    assert y.data == 1_000_001.0
    y.backward()
    assert x.grad == 1_000_001.0
    del y
    assert alive() - before == 1  # x
    assert waiting() == 0


FUNCTIONS = ["tanh", "exp", "relu", "log", "sqrt", "sigmoid", "sin", "cos", "abs"]

DEEPER: dict[str, Callable[[Any], Value]] = {
    "+": lambda y: y + 1.0,
    "-": lambda y: 1.0 - y,
    "*": lambda y: y * 1.0,
    "/": lambda y: y / 1.0,
    "**": lambda y: y**1,
    "reflected **": lambda y: 1.5 ** (y * 0.5),
    "neg": lambda y: -y,
    "exp": lambda y: (-y).exp(),
    "log": lambda y: (y + 1.0).log(),
    **{name: operator.methodcaller(name) for name in FUNCTIONS if name[-1] not in "pg"},
    "both operands": lambda y: y * y,
}


@pytest.mark.parametrize("name", DEEPER)
def test_every_operation_may_be_stacked_twenty_thousand_times(name: str) -> None:
    deeper = DEEPER[name]
    before = alive()
    x = y = Value(1.0)
    for _ in range(20_000):
        y = deeper(y)
    y.backward()
    y.backward()
    assert (y.grad, x.grad >= 0.0) == (1.0, True)
    del x, y
    assert alive() == before


def test_an_operation_of_ones_own_may_be_stacked_too() -> None:
    def own(x: Value) -> Value:
        out = Value(x.data, (x,), "own")

        def push() -> None:
            x.grad += out.grad

        out._backward = push
        return out

    x = y = Value(3.0)
    for _ in range(20_000):
        y = own(y)
    y.backward()
    assert (y.data, x.grad) == (3.0, 1.0)


def test_a_million_operations_wide() -> None:
    before = alive()
    x = Value(2.0)
    row = [x * float(i) for i in range(2**20)]
    while len(row) > 1:  # add neighbours, then the sums of neighbours
        row = [a + b for a, b in zip(row[::2], row[1::2], strict=True)]
    (y,) = row
    y.backward()
    assert y.data == 2.0 * x.grad == 2.0**20 * (2**20 - 1)
    del y, row
    assert alive() - before == 1  # x
    assert waiting() == 0


# Freed at once ---------------------------------------------------------------

MADE: dict[str, Callable[[Any, Any], Value]] = {
    "+": lambda x, y: 1 + (x + y) + 1,
    "-": lambda x, y: 1 - (x - y) - 1,
    "*": lambda x, y: 2 * (x * y) * 2,
    "/": lambda x, y: 2 / (x / y) / 2,
    "**": lambda x, y: 2 ** (x**y),
    "** 3": lambda x, y: x**3 * y**3,
    "neg": lambda x, y: -x * -y,
    "twice": lambda x, y: x * x + y * x,
    "total": lambda x, y: total([x, 1.0, y]),
    "dot": lambda x, y: dot([x, y], [1.0, 2.0], x),
    "dot of dots": lambda x, y: dot([x, 2.0], [dot([x], [y]), y], 1.0),
}


def made(name: str, x: Value, y: Value) -> Value:
    if name in MADE:
        return MADE[name](x, y)
    out: Value = getattr(x * y, name)()
    return out


@pytest.mark.parametrize("name", [*MADE, *FUNCTIONS])
def test_a_dropped_graph_waits_for_no_collector(name: str) -> None:
    before = alive()
    x, y = Value(0.5), Value(1.5)
    out = made(name, x, y)
    assert alive() - before >= 3
    del out
    assert alive() - before == 2
    out = made(name, x, y)
    out.backward()
    out._backward()
    del out, x, y
    assert alive() == before
    assert waiting() == 0


def test_a_training_step_leaves_nothing_behind() -> None:
    w, b = Value(0.5), Value(0.0)
    before = alive()
    for step in range(3):
        loss: Any = sum(((w * x + b).tanh() - 0.3) ** 2 for x in (0.5, 1.0, 1.5))
        loss.backward()
        for p in (w, b):
            p.data -= 0.1 * p.grad
            p.grad = 0.0
        assert alive() > before, step
        del loss
        assert alive() == before, step
    assert waiting() == 0


@pytest.mark.parametrize(
    "fail",
    [
        lambda x: (x - 5).log(),
        lambda x: (x - 5).sqrt(),
        lambda x: x / (x - x),
        lambda x: (x - 5) ** 0.5,
        lambda x: x + "1",
    ],
)
def test_a_failed_operation_leaves_nothing_behind(fail: Any) -> None:
    before = alive()
    x = Value(2.0)
    with pytest.raises((ValueError, ZeroDivisionError, TypeError)):
        fail(x * 1.0)
    del x
    assert alive() == before


def test_a_part_that_is_still_held_lives_on_alone() -> None:
    x = Value(3.0)
    before = alive()
    part = x * x
    whole = (part + 1.0) * part
    whole.backward()
    del whole
    assert alive() - before == 1
    part.backward()
    assert part.grad == 1.0
