"""A quotient is computed as one, not by way of a power."""

from __future__ import annotations

import math
import operator

import pytest

from tanglegrad import Value
from tests.engine.graphs import slopes


def test_a_quotient_is_the_nearest_float() -> None:
    numbers = [*range(1, 60), 0.1, 1e-300, 1e300, 2.0**-1074]
    wrong = [
        (x, y)
        for x in numbers
        for y in numbers
        if (Value(x) / Value(y)).data != x / y
        or (Value(x) / y).data != x / y
        or (x / Value(y)).data != x / y
    ]
    assert wrong == []


@pytest.mark.parametrize("x", [49.0, 0.1, -3.0, 1e-320, 1e308])
def test_a_number_divided_by_itself_is_one(x: float) -> None:
    assert (Value(x) / Value(x)).data == 1.0


def test_a_value_divided_by_itself_is_flat() -> None:
    v = Value(0.3)
    y = v / v
    y.backward()
    assert (y.data, v.grad) == (1.0, 0.0)


def test_its_slopes() -> None:
    assert slopes(operator.truediv, 6.0, 4.0) == [0.25, -0.375]
    assert slopes(operator.truediv, -6.0, 0.5) == [2.0, 24.0]
    assert slopes(lambda y: 1 / y, 4.0) == [-0.0625]


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_its_slopes_need_no_square_of_the_divisor(size: float) -> None:
    along_x, along_y = slopes(operator.truediv, size, size)
    assert along_x == pytest.approx(1 / size, rel=1e-15, abs=0.0)
    assert along_y == pytest.approx(-1 / size, rel=1e-15, abs=0.0)


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_division_by_zero_is_an_error_that_says_of_what(zero: float) -> None:
    message = f"division of 2.5 by {zero}"
    with pytest.raises(ZeroDivisionError, match=message):
        Value(2.5) / Value(zero)
    with pytest.raises(ZeroDivisionError, match=message):
        Value(2.5) / zero
    with pytest.raises(ZeroDivisionError, match=message):
        2.5 / Value(zero)
    with pytest.raises(ZeroDivisionError):
        Value(0.0) / zero


def test_a_quotient_too_large_is_infinite() -> None:
    assert (Value(1e300) / 1e-300).data == math.inf
    assert (Value(-1e300) / 1e-300).data == -math.inf


def test_zero_may_be_divided() -> None:
    assert slopes(operator.truediv, 0.0, 4.0) == [0.25, 0.0]
