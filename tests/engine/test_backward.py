"""The walk back: every way counted once, leaves that accumulate, slopes that stay."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import Value
from tests.engine.graphs import slopes

if TYPE_CHECKING:
    from collections.abc import Callable

# Where ways meet -------------------------------------------------------------


def test_a_chain_multiplies_its_slopes() -> None:
    assert slopes(lambda x: ((x * 2.0) * 3.0) * 5.0, 1.0) == [30.0]


def test_two_products_of_the_same_two_values() -> None:
    # with u = ab and v = a - b: y = uv + u/v, along u v + 1/v, along v u - u/v²
    def y(a: Value, b: Value) -> Value:
        u, v = a * b, a - b
        return u * v + u / v

    assert slopes(y, 3.0, 1.0) == [2.5 * 1.0 + 2.25, 2.5 * 3.0 - 2.25]


def test_a_short_way_waits_for_a_long_one() -> None:
    def y(x: Value) -> Value:
        near = x * 3.0
        far = near
        for _ in range(10):
            far = far * 1.0
        return near + far * 5.0 + near

    assert slopes(y, 2.0) == [21.0]


def test_one_value_as_both_operands() -> None:
    assert slopes(lambda x: x + x, 5.0) == [2.0]
    assert slopes(lambda x: x - x, 5.0) == [0.0]
    assert slopes(lambda x: x * x, 5.0) == [10.0]
    assert slopes(lambda x: x / x, 5.0) == [0.0]
    assert slopes(lambda x: x**x, 1.0) == [1.0]


@pytest.mark.parametrize(
    "name", ["tanh", "exp", "relu", "log", "sqrt", "sigmoid", "sin", "cos", "abs"]
)
def test_every_function_adds_to_what_is_there(name: str) -> None:
    def f(x: Value) -> Value:
        y: Value = getattr(x, name)()
        return y

    (once,) = slopes(f, 0.7)
    assert once != 0.0
    assert slopes(lambda x: f(x) + f(x), 0.7) == [2.0 * once]


def test_the_number_of_ways_costs_nothing() -> None:
    # a Fibonacci graph: F(78) ways lead from the end to the beginning
    x = Value(1.0)
    before, last = x, x
    for _ in range(76):
        before, last = last, before + last
    last.backward()
    assert x.grad == 8944394323791464.0


def test_three_to_the_thirtieth_ways() -> None:
    x = y = Value(1.0)
    for _ in range(30):
        y = y + y + y
    y.backward()
    assert (x.grad, y.data) == (3.0**30, 3.0**30)


def test_every_number_of_paths_through_a_grid() -> None:
    # each place is the sum of its neighbours above and to the left: C(20, 10) ways
    corner = Value(1.0)
    row = [corner] * 11
    for _ in range(10):
        left = row[0]
        new = [left]
        for above in row[1:]:
            left = left + above
            new.append(left)
        row = new
    row[-1].backward()
    assert corner.grad == math.comb(20, 10)


def test_a_value_off_the_way_keeps_its_gradient() -> None:
    x, other = Value(2.0), Value(3.0)
    aside = x * other
    y = x * 5.0
    y.backward()
    assert (x.grad, other.grad, aside.grad) == (5.0, 0.0, 0.0)


# More than one pass ----------------------------------------------------------


def test_a_second_pass_adds_at_the_leaves_only() -> None:
    a, b = Value(2.0), Value(5.0)
    p = a * b
    y = p * p + p
    for passes in (1, 2, 3):
        y.backward()
        assert (y.grad, p.grad) == (1.0, 21.0)
        assert (a.grad, b.grad) == (passes * 105.0, passes * 42.0)


def test_after_clearing_the_leaf_a_pass_gives_the_same_again() -> None:
    x = Value(2.0)
    y = (x**3 + x).tanh() * x.exp()
    y.backward()
    first = x.grad
    for _ in range(3):
        x.grad = 0.0
        y.backward()
        assert x.grad == first


def test_two_roots_over_one_part() -> None:
    x = Value(3.0)
    shared = x * x
    y, z = shared * 2.0, shared + 1.0
    y.backward()
    assert (shared.grad, x.grad) == (2.0, 12.0)
    z.backward()
    assert (shared.grad, x.grad) == (1.0, 18.0)
    assert y.grad == 1.0  # not behind z, so z's pass leaves it


def test_a_root_that_became_a_part() -> None:
    x = Value(2.0)
    y = x * 3.0
    y.backward()
    z = y * 10.0
    z.backward()
    assert (z.grad, y.grad, x.grad) == (1.0, 10.0, 33.0)
    y.backward()
    assert (y.grad, x.grad) == (1.0, 36.0)


def test_separate_graphs_add_up_in_a_shared_leaf() -> None:
    w = Value(4.0)
    for x in (1.0, 10.0, 100.0):
        (w * x).backward()
    assert w.grad == 111.0


def test_a_leaf_is_its_own_root() -> None:
    x = Value(7.0)
    x.backward()
    assert x.grad == 1.0
    x.backward()
    assert x.grad == 2.0


def test_a_gradient_set_by_hand_is_added_to() -> None:
    x = Value(3.0)
    x.grad = 100.0
    (x * 2.0).backward()
    assert x.grad == 102.0


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, MemoryError])
def test_a_pass_that_fails_has_not_happened(error: type[BaseException]) -> None:
    x, y = Value(2.0), Value(3.0)
    below = x * y
    own = Value(below.data, (below,), "own")
    top = own * x + below
    below.grad, own.grad = -7.0, -8.0  # as an earlier pass might have left them
    top.grad = -9.0
    x.grad = 0.25
    values = (x, y, below, own, top)
    before = [(v.data, v.grad) for v in values]

    def fail() -> None:
        raise error

    own._backward = fail
    with pytest.raises(error):
        top.backward()
    assert [(v.data, v.grad) for v in values] == before

    def push() -> None:
        below.grad += own.grad

    own._backward = push
    top.backward()
    assert (x.grad, y.grad, below.grad) == (0.25 + 6.0 + 9.0, 6.0, 3.0)


class Level(Value):
    """A Value that is compared by its number, and has no hash."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Level) and self.data == other.data

    __hash__ = None  # type: ignore[assignment]


def test_the_walk_knows_values_by_identity_whatever_their_equality() -> None:
    x = Level(2.0)
    one, other = Level(5.0, (x,), "own"), Level(5.0, (x,), "own")

    def push(out: Value) -> None:
        x.grad += 10.0 * out.grad

    one._backward = partial(push, one)
    other._backward = partial(push, other)
    (one + other).backward()
    assert x.grad == 20.0


# Slopes are stored in the forward pass ---------------------------------------

EVERY: dict[str, Callable[[Any, Any], Value]] = {
    "x + y": lambda x, y: x + y,
    "x - y": lambda x, y: x - y,
    "x * y": lambda x, y: x * y,
    "x / y": lambda x, y: x / y,
    "x ** y": lambda x, y: x**y,
    "x ** 3 * y": lambda x, y: x**3 * y,
    "2 ** x + y": lambda x, y: 2**x + y,
    "-x * y": lambda x, y: -x * y,
    "tanh": lambda x, y: (x * y).tanh(),
    "exp": lambda x, y: (x * y).exp(),
    "relu": lambda x, y: (x * y).relu(),
    "log": lambda x, y: (x * y).log(),
    "sqrt": lambda x, y: (x * y).sqrt(),
    "sigmoid": lambda x, y: (x * y).sigmoid(),
    "sin": lambda x, y: (x * y).sin(),
    "cos": lambda x, y: (x * y).cos(),
    "abs": lambda x, y: abs(x * y),
}


@pytest.mark.parametrize("name", EVERY)
def test_editing_data_after_the_forward_pass_changes_no_gradient(name: str) -> None:
    f = EVERY[name]
    expected = slopes(f, 0.5, 1.5)
    x, y = Value(0.5), Value(1.5)
    out = f(x, y)
    x.data, y.data = -30.0, 40.0
    for parent in out._prev:
        parent.data = -50.0
    out.data = 60.0
    out.backward()
    assert [x.grad, y.grad] == expected


def test_a_forward_pass_reads_the_edited_data() -> None:
    x = Value(3.0)
    x.data = 10.0
    y = x * x
    y.backward()
    assert (y.data, x.grad) == (100.0, 20.0)


# One value at a time ---------------------------------------------------------


def test_the_walk_by_hand_is_the_walk() -> None:
    a, b, c = Value(2.0), Value(-1.0), Value(0.5)
    p = a * b
    s = p + c
    t = s.tanh()
    y = t / a
    y.grad = 1.0
    for node in (y, t, s, p):
        node._backward()
    by_hand = [v.grad for v in (a, b, c, p, s, t, y)]
    a.grad = b.grad = c.grad = 0.0
    y.backward()
    assert [v.grad for v in (a, b, c, p, s, t, y)] == by_hand


def test_one_call_by_hand_passes_on_one_step() -> None:
    x, y = Value(2.0), Value(5.0)
    p = x * y
    q = p * 3.0
    q.grad = 10.0
    q._backward()
    assert (q.grad, p.grad, x.grad, y.grad) == (10.0, 30.0, 0.0, 0.0)
    p._backward()
    assert (x.grad, y.grad) == (150.0, 60.0)
    p._backward()
    assert (x.grad, y.grad) == (300.0, 120.0)


def test_a_leaf_has_nothing_to_pass_on() -> None:
    x = Value(1.0)
    x.grad = 5.0
    x._backward()
    assert x.grad == 5.0
