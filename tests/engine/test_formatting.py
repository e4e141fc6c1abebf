"""A Value is formatted, rounded and compared by its number; equality is identity."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import Value

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBERS = [-1234.5678, -1.0, -0.0, 0.0, 5e-324, 0.125, 1.0, 2.675, 1e22, math.inf]


@pytest.mark.parametrize("x", NUMBERS)
@pytest.mark.parametrize(
    "spec", [".3f", "8.2f", "+.1e", "g", ">12", ",.2f", "%", "08.3f"]
)
def test_it_is_formatted_as_its_number(x: float, spec: str) -> None:
    assert format(Value(x), spec) == format(x, spec)


def test_without_a_format_it_is_printed_as_ever() -> None:
    v = Value(1.5)
    assert f"{v}" == str(v) == repr(v) == "Value(data=1.5, grad=0.0)"
    assert f"{v!r:.9}" == repr(v)[:9]


@pytest.mark.parametrize("spec", ["s", "d", ".2x", "nonsense"])
def test_a_format_that_no_float_has_is_an_error(spec: str) -> None:
    with pytest.raises(ValueError, match="ormat"):
        format(Value(1.5), spec)


@pytest.mark.parametrize("x", NUMBERS)
def test_it_becomes_a_plain_float_when_asked(x: float) -> None:
    number = float(Value(x))
    assert type(number) is float
    assert number.hex() == x.hex()


@pytest.mark.parametrize("digits", [0, 1, 2, 5, -2])
def test_it_is_rounded_to_a_plain_number(digits: int) -> None:
    for x in (-1234.5678, 0.125, 2.675):
        assert round(Value(x), digits) == round(x, digits)
        assert type(round(Value(x), digits)) is float
    assert (round(Value(2.5)), type(round(Value(2.5)))) == (2, int)


def test_signs_make_values_with_gradients() -> None:
    for make, slope in ((operator.pos, 1.0), (operator.neg, -1.0), (abs, -1.0)):
        x = Value(-2.0)
        made: Value = make(x) * 1.0
        made.backward()
        assert (made.data, x.grad) == (make(-2.0), slope)


COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
each_comparison = pytest.mark.parametrize("sign", COMPARISONS)


@each_comparison
def test_two_values_are_compared_by_their_numbers(sign: str) -> None:
    compare = COMPARISONS[sign]
    for x in NUMBERS:
        for y in NUMBERS:
            assert compare(Value(x), Value(y)) is compare(x, y)


@each_comparison
@pytest.mark.parametrize("number", [1, 1.0, True, Fraction(1, 3), math.nan], ids=repr)
def test_a_value_is_compared_with_a_number_on_either_side(
    sign: str, number: Any
) -> None:
    compare = COMPARISONS[sign]
    for x in NUMBERS:
        assert compare(Value(x), number) is compare(x, number)
        assert compare(number, Value(x)) is compare(number, x)


@each_comparison
def test_nan_is_neither_above_nor_below(sign: str) -> None:
    nan = Value(math.nan)
    assert not COMPARISONS[sign](nan, nan)
    assert not COMPARISONS[sign](nan, Value(1.0))


@each_comparison
@pytest.mark.parametrize("foreign", ["1", None, [1.0], 1j], ids=repr)
def test_a_value_is_not_compared_with_what_is_no_number(
    sign: str, foreign: Any
) -> None:
    for left, right in ((Value(1.0), foreign), (foreign, Value(1.0))):
        with pytest.raises(TypeError, match="not supported between"):
            COMPARISONS[sign](left, right)


def test_the_largest_the_smallest_and_the_sorted_are_the_values_themselves() -> None:
    a, b, c = Value(2.0), Value(-3.0), Value(1.0)
    values = [a, b, c]
    assert (max(values), min(values)) == (a, b)
    assert sorted(values) == [b, c, a]
    assert max(a, 1.5) is a
    (max(values) * 5.0).backward()
    assert (a.grad, b.grad, c.grad) == (5.0, 0.0, 0.0)


def test_equal_numbers_are_not_equal_values() -> None:
    a, b = Value(1.0), Value(1.0)
    assert a <= b
    assert a >= b
    assert a != b
    assert a in [b, a]
    assert [b, a].index(a) == 1


@pytest.mark.parametrize("x", NUMBERS)
def test_it_is_true_unless_it_is_zero(x: float) -> None:
    assert bool(Value(x)) is bool(x)


def test_comparing_leaves_no_trace_in_the_graph() -> None:
    x = Value(3.0)
    y = x * 2.0 if x > 1.0 else x
    y.backward()
    assert (y._prev, x.grad) == ((x,), 2.0)
