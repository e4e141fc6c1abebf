"""The small engine, as chapters 2 to 4 describe it."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import derivative, gradient
from tanglegrad.micro import Value, as_value

if TYPE_CHECKING:
    from collections.abc import Callable


def slopes(f: Callable[..., Value], *xs: float) -> list[float]:
    leaves = [Value(x) for x in xs]
    f(*leaves).backward()
    return [leaf.grad for leaf in leaves]


# A number that remembers -----------------------------------------------------


def test_a_leaf_has_no_history() -> None:
    a = Value(2.0, label="a")
    assert (a.data, a.grad, a.label) == (2.0, 0.0, "a")
    assert (set(a._prev), a._op) == (set(), "")
    a._backward()
    assert a.grad == 0.0


def test_a_value_remembers_its_operands_and_its_operation() -> None:
    a, b = Value(2.0), Value(-3.0)
    e = Value(a.data * b.data, (a, b), "*", label="e")
    assert (set(e._prev), e._op, e.label) == ({a, b}, "*", "e")
    assert {(v._op, frozenset(v._prev)) for v in (a + b, a * b)} == {
        ("+", frozenset({a, b})),
        ("*", frozenset({a, b})),
    }
    ops = {"**3": a**3, "tanh": a.tanh(), "exp": a.exp(), "relu": a.relu()}
    for op, v in ops.items():
        assert (v._op, set(v._prev)) == (op, {a})


def test_a_value_prints_its_number_and_its_gradient() -> None:
    assert repr(Value(2.0)) == "Value(data=2.0, grad=0.0)"


def test_a_number_is_wrapped_and_a_value_is_not() -> None:
    a = Value(2.0)
    assert as_value(a) is a
    assert as_value(3.0).data == 3.0
    assert isinstance(as_value(3.0), Value)


# Operations ------------------------------------------------------------------


def test_the_operations_on_values_and_numbers() -> None:
    a, b = Value(4.0), Value(0.5)
    cases: list[tuple[list[Value], list[float]]] = [
        ([a + b, a - b, a * b, a / b, -a], [4.5, 3.5, 2.0, 8.0, -4.0]),
        ([a + 2, a - 2, a * 2, a / 2, a**2], [6.0, 2.0, 8.0, 2.0, 16.0]),
        ([2 + a, 2 - a, 2 * a, 2 / a], [6.0, -2.0, 8.0, 0.5]),
    ]
    for values, expected in cases:
        assert [v.data for v in values] == expected
    total: Any = sum([a, b, a])
    assert total.data == 8.5


def test_the_functions() -> None:
    x = Value(0.7)
    assert x.tanh().data == math.tanh(0.7)
    assert x.exp().data == math.exp(0.7)
    assert (x.relu().data, Value(-0.7).relu().data) == (0.7, 0.0)


OPERATIONS: dict[str, Callable[[Any], Value]] = {
    "x + 3": lambda x: x + 3.0,
    "3 + x": lambda x: 3.0 + x,
    "x - 3": lambda x: x - 3.0,
    "3 - x": lambda x: 3.0 - x,
    "x * 3": lambda x: x * 3.0,
    "3 * x": lambda x: 3.0 * x,
    "x / 3": lambda x: x / 3.0,
    "3 / x": lambda x: 3.0 / x,
    "-x": operator.neg,
    "x ** 3": lambda x: x**3,
    "x ** -2": lambda x: x**-2,
    "tanh": lambda x: x.tanh(),
    "exp": lambda x: x.exp(),
    "relu": lambda x: x.relu(),
    "x * x": lambda x: x * x,
    "x + x": lambda x: x + x,
    "x / (x + 2)": lambda x: x / (x + 2.0),
}


@pytest.mark.parametrize("x", [0.4, 1.5, -0.6])
@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_agrees_with_nudging(name: str, x: float) -> None:
    f = OPERATIONS[name]
    nudged = derivative(lambda t: f(Value(t)).data, x)
    assert slopes(f, x) == pytest.approx([nudged], rel=1e-7, abs=1e-9)


def test_a_closure_called_by_hand_passes_on_one_step() -> None:
    a, b, c, f = Value(2.0), Value(-3.0), Value(10.0), Value(-2.0)
    e = a * b
    d = e + c
    root = d * f
    root.grad = 1.0
    root._backward()
    assert (d.grad, f.grad, e.grad, c.grad) == (-2.0, 4.0, 0.0, 0.0)
    d._backward()
    e._backward()
    assert (a.grad, b.grad, c.grad, f.grad) == (6.0, -4.0, -2.0, 4.0)


def test_relu_at_its_corner_has_slope_zero() -> None:
    assert slopes(lambda x: x.relu(), 0.0) == [0.0]


# The walk back ---------------------------------------------------------------


def test_the_expression_of_the_first_chapters() -> None:
    assert slopes(lambda a, b, c, f: (a * b + c) * f, 2.0, -3.0, 10.0, -2.0) == [
        6.0,
        -4.0,
        -2.0,
        4.0,
    ]


def test_the_root_has_slope_one_along_itself() -> None:
    x = Value(5.0)
    x.backward()
    assert x.grad == 1.0


def test_where_ways_meet_gradients_add_up() -> None:
    assert slopes(lambda a: a + a, 3.0) == [2.0]
    assert slopes(lambda a: a * a, 3.0) == [6.0]
    assert slopes(lambda a: a.exp() + a.exp(), 0.0) == [2.0]
    assert slopes(lambda a, b: (a * b) * (a + b), -2.0, 3.0) == [-3.0, -8.0]


def test_the_order_is_topological() -> None:
    def f(a: Value, b: Value) -> Value:
        s, p = a + b, a * b
        return (s - p) * s + p

    for a, b in ((2.0, 3.0), (3.0, 2.0), (-1.0, 4.0)):
        nudged = gradient(lambda *ts: f(*map(Value, ts)).data, a, b)
        assert slopes(f, a, b) == pytest.approx(nudged, rel=1e-7, abs=1e-9)


def test_every_closure_is_called_once() -> None:
    x = y = Value(1.0)
    for _ in range(60):
        y = y + y
    y.backward()
    assert x.grad == 2.0**60


def test_gradients_of_two_outputs_add_up() -> None:
    w = Value(2.0)
    (w * 3.0).backward()
    (w * 5.0).backward()
    assert w.grad == 8.0


def test_an_operation_of_ones_own() -> None:
    x = Value(0.7)
    out = Value(math.sin(x.data), (x,), "sin")

    def push() -> None:
        x.grad += math.cos(x.data) * out.grad

    out._backward = push
    (out * 2.0).backward()
    assert x.grad == 2.0 * math.cos(0.7)


def test_the_sanity_check_of_micrograd() -> None:
    x = Value(-4.0)
    z = 2 * x + 2 + x
    q = z.relu() + z * x
    h = (z * z).relu()
    y = h + q + q * x
    y.backward()
    assert (y.data, x.grad) == (-20.0, 46.0)


def test_the_front_page_of_micrograd() -> None:
    a, b = Value(-4.0), Value(2.0)
    c, d = a + b, a * b + b**3
    c += c + 1
    c += 1 + c + (-a)
    d += d * 2 + (b + a).relu()
    d += 3 * d + (b - a).relu()
    f = (c - d) ** 2
    g = f / 2.0
    g += 10.0 / f
    g.backward()
    assert g.data == pytest.approx(24.70408163265306, rel=1e-13, abs=0.0)
    assert a.grad == pytest.approx(138.8338192419825, rel=1e-13, abs=0.0)
    assert b.grad == pytest.approx(645.5772594752186, rel=1e-13, abs=0.0)


def test_the_neuron_whole_and_taken_apart() -> None:
    def whole(*leaves: Value) -> Value:
        x1, x2, w1, w2, b = leaves
        return (x1 * w1 + x2 * w2 + b).tanh()

    def apart(*leaves: Value) -> Value:
        x1, x2, w1, w2, b = leaves
        e = (2 * (x1 * w1 + x2 * w2 + b)).exp()
        return (e - 1) / (e + 1)

    at = (2.0, 0.0, -3.0, 1.0, 6.0 + math.asinh(1.0))
    expected = pytest.approx([-1.5, 0.5, 1.0, 0.0, 0.5], rel=1e-12, abs=0.0)
    assert slopes(whole, *at) == expected
    assert slopes(apart, *at) == expected
