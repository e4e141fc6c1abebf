"""Formatting and comparing ask for the number; equality asks for the object."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tanglegrad import Value, derivative, gradcheck, gradient

if TYPE_CHECKING:
    from collections.abc import Callable

COMPARE = [operator.lt, operator.le, operator.gt, operator.ge]


@given(st.floats())
def test_it_is_formatted_and_rounded_as_its_number(x: float) -> None:
    v = Value(x)
    for spec in (".3f", "+10.2e", "g", ">20"):
        assert format(v, spec) == format(x, spec)
    assert f"{v}" == str(v) == repr(v)
    assert math.isnan(x) or (float(v), round(v, 2)) == (x, round(x, 2))
    assert type(float(v)) is float
    assert bool(v) is bool(x)


def test_rounded_to_no_digits_it_is_whole() -> None:
    assert (round(Value(2.5)), round(Value(-0.6))) == (2, -1)
    assert type(round(Value(2.5))) is int


def test_a_format_that_floats_do_not_have_is_an_error() -> None:
    with pytest.raises(ValueError, match="format"):
        format(Value(1.0), "z!")


@given(st.floats(), st.floats() | st.integers(-5, 5) | st.booleans() | st.fractions())
def test_it_is_compared_as_its_number(x: float, y: Any) -> None:
    for compare in COMPARE:
        expected = compare(x, y)
        assert compare(Value(x), y) is expected
        assert compare(y, Value(x)) is compare(y, x)
        assert compare(Value(x), Value(float(Fraction(3)))) is compare(x, 3.0)


def test_a_number_too_large_for_a_value_can_be_compared() -> None:
    assert Value(1e308) < 10**400
    assert Value(math.inf) > 10**400


def test_the_largest_is_one_of_them_and_has_its_history() -> None:
    x, y = Value(2.0), Value(-3.0)
    squares = [x * x, y * y]
    largest = max(squares)
    assert largest is squares[1]
    assert sorted([x, y]) == [y, x]
    largest.backward()
    assert (x.grad, y.grad) == (0.0, -6.0)


@pytest.mark.parametrize("compare", COMPARE)
@pytest.mark.parametrize("strange", ["3", None, 1j, [2.0]])
def test_what_is_no_number_is_not_compared(compare: Any, strange: Any) -> None:
    with pytest.raises(TypeError, match="not supported between instances"):
        compare(Value(1.0), strange)
    with pytest.raises(TypeError, match="not supported between instances"):
        compare(strange, Value(1.0))


NO_NUMBERS: dict[str, Callable[[Any], object]] = {
    "derivative: x must be": lambda bad: derivative(abs, bad),
    "derivative: h must be": lambda bad: derivative(abs, 1.0, bad),
    "derivative: what f returns must be": lambda bad: derivative(lambda _: bad, 1.0),
    "gradient: an input must be": lambda bad: gradient(abs, 1.0, bad),
    "gradcheck: an input must be": lambda bad: gradcheck(abs, 1.0, bad),
    "gradcheck: tolerance must be": lambda bad: gradcheck(abs, 1.0, tolerance=bad),
    "derivative: f must be a function": lambda bad: derivative(bad, 1.0),
    "gradient: f must be a function": lambda bad: gradient(bad, 1.0),
    "gradcheck: f must be a function": lambda bad: gradcheck(bad, 1.0),
}


@pytest.mark.parametrize("says", NO_NUMBERS)
@pytest.mark.parametrize("bad", ["3", None, 1j, [1.0]], ids=repr)
def test_measuring_refuses_what_is_no_number_and_no_function(
    says: str, bad: Any
) -> None:
    with pytest.raises(TypeError) as refused:
        NO_NUMBERS[says](bad)
    assert str(refused.value).startswith(says)
    assert repr(bad) in str(refused.value)
