"""The number in a Value is a Python float, made from any real number."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any

import pytest

from tanglegrad import Value


class Celsius(float):
    """A float with a name."""


class Count(int):
    """An int with a name."""


class Half:
    """A stranger, registered among the real numbers."""

    def __float__(self) -> float:
        return 0.5

    def __repr__(self) -> str:
        return "Half()"


Real.register(Half)

REAL: list[tuple[Any, float]] = [
    (2.5, 2.5),
    (-3, -3.0),
    (0, 0.0),
    (True, 1.0),
    (Fraction(-7, 4), -1.75),
    (Celsius(36.6), 36.6),
    (Count(12), 12.0),
    (Half(), 0.5),
    (2**53 + 1, 2.0**53),
]
NOT_REAL: list[Any] = [
    "3",
    b"3",
    None,
    [],
    [1.0],
    (1.0,),
    {1.0},
    {},
    range(1),
    1j,
    complex(2.0, 0.0),
    Decimal("1.5"),
    ...,
    float,
    Value(1.0),
]


@pytest.mark.parametrize(("number", "expected"), REAL, ids=repr)
def test_a_real_number_becomes_a_float(number: Any, expected: float) -> None:
    v = Value(number)
    assert type(v.data) is float
    assert v.data == expected


@pytest.mark.parametrize("x", [math.inf, -math.inf, 5e-324, 1.7976931348623157e308])
def test_every_float_is_kept_as_it_is(x: float) -> None:
    assert Value(x).data == x


def test_minus_zero_and_nan_are_kept() -> None:
    assert math.copysign(1.0, Value(-0.0).data) == -1.0
    assert math.isnan(Value(math.nan).data)


@pytest.mark.parametrize("thing", NOT_REAL, ids=repr)
def test_anything_else_is_refused_and_named(thing: Any) -> None:
    with pytest.raises(TypeError) as refused:
        Value(thing)
    message = str(refused.value)
    assert "real number" in message
    assert repr(thing) in message
    assert type(thing).__name__ in message


@pytest.mark.parametrize(
    "number", [10**400, Fraction(10**400, 3)], ids=["int", "Fraction"]
)
def test_a_number_that_no_float_can_hold_is_refused_by_its_kind(number: Any) -> None:
    kind = type(number).__name__
    for make in (
        lambda: Value(number),
        lambda: Value(1.0) + number,
        lambda: number * Value(1.0),
        lambda: Value(1.0) ** number,
    ):
        with pytest.raises(OverflowError, match=f"this {kind} is too large"):
            make()


def test_a_new_value_is_a_leaf() -> None:
    v = Value(4.0)
    assert (v._prev, v._op, v.label) == ((), "", "")
    assert (type(v.grad), v.grad) == (float, 0.0)


def test_a_value_has_a_label() -> None:
    w = Value(1.0, label="w")
    assert w.label == "w"
    w.label = "weight"
    assert w.label == "weight"
    assert (w * 2.0).label == ""


def test_a_value_prints_its_number_and_its_gradient() -> None:
    v = Value(-2)
    v.grad = 0.25
    assert repr(v) == "Value(data=-2.0, grad=0.25)"
    assert str([v]) == "[Value(data=-2.0, grad=0.25)]"


OPERATIONS: dict[str, Any] = {
    "+": lambda x, n: x + n,
    "-": lambda x, n: x - n,
    "*": lambda x, n: x * n,
    "/": lambda x, n: x / n,
    "**": lambda x, n: x**n,
    "reflected +": lambda x, n: n + x,
    "reflected -": lambda x, n: n - x,
    "reflected *": lambda x, n: n * x,
    "reflected /": lambda x, n: n / x,
    "reflected **": lambda x, n: n**x,
    "neg": lambda x, _: -x,
    "relu": lambda x, _: x.relu() + (-x).relu(),
    "abs": lambda x, _: abs(x),
    "exp": lambda x, _: x.exp(),
}


@pytest.mark.parametrize("n", [2, True, Fraction(1, 2), Celsius(1.5)], ids=repr)
@pytest.mark.parametrize("name", OPERATIONS)
def test_only_floats_are_in_a_graph(name: str, n: Any) -> None:
    x = Value(3)
    y = OPERATIONS[name](x, n)
    y.backward()
    for v in (x, y, *y._prev):
        assert (type(v.data), type(v.grad)) == (float, float)
