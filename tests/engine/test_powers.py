"""Powers: a Value or a number on either side, and every edge a decision."""

from __future__ import annotations

import math
import operator
import random
import re
from fractions import Fraction

import pytest

from tanglegrad import Value, record
from tests.engine.graphs import slopes


def close(*xs: float) -> object:
    return pytest.approx(list(xs), rel=1e-14, abs=1e-300)


# The slopes where nothing special happens ------------------------------------


@pytest.mark.parametrize("k", [-3, -1, -0.5, 0.5, 1, 2, 2.5, 3, 7])
@pytest.mark.parametrize("x", [0.3, 1.0, 2.0, 17.0])
def test_along_the_base_it_is_the_rule_of_school(x: float, k: float) -> None:
    assert slopes(lambda b: b**k, x) == close(k * x ** (k - 1))
    along_base, _ = slopes(operator.pow, x, k)
    assert along_base == pytest.approx(k * x ** (k - 1), rel=1e-14, abs=0.0)


@pytest.mark.parametrize("k", [-2.0, 0.0, 0.5, 3.0])
@pytest.mark.parametrize("x", [0.25, 1.0, 2.0, 10.0])
def test_along_the_exponent_the_logarithm_joins(x: float, k: float) -> None:
    expected = math.log(x) * x**k
    assert slopes(operator.pow, x, k)[1] == pytest.approx(expected, rel=1e-14, abs=0.0)
    assert slopes(lambda e: x**e, k) == close(expected)


def test_all_sides_give_one_number() -> None:
    assert (Value(2.0) ** Value(10.0)).data == 1024.0
    assert (Value(2.0) ** 10).data == 1024.0
    assert (2 ** Value(10.0)).data == 1024.0
    assert (Value(9.0) ** Fraction(1, 2)).data == 3.0


def test_a_power_of_itself() -> None:
    # x^x has the slope x^x (1 + ln x), which vanishes at 1/e
    assert slopes(lambda x: x**x, math.e) == close(2 * math.e**math.e)
    assert slopes(lambda x: x**x, 1 / math.e) == pytest.approx([0.0], abs=1e-15)


def test_negative_bases_with_whole_exponents() -> None:
    assert (Value(-2.0) ** 3).data == -8.0
    assert (Value(-2.0) ** Value(4.0)).data == 16.0
    assert slopes(lambda x: x**3, -2.0) == [12.0]
    assert slopes(lambda x: x**2, -2.0) == [-4.0]
    assert slopes(lambda x: x**-1, -2.0) == [-0.25]
    assert slopes(lambda x: x**-2, -2.0) == [0.25]


def test_a_square_is_the_float_nearest_to_it() -> None:
    rng = random.Random(2)
    x = Value(0.0)
    squares = {target: record(x**2, [x], target) for target in ("python", "columns")}
    for number in (rng.gauss(0.0, 3.0) for _ in range(5_000)):
        nearest = float(Fraction(number) ** 2)
        assert (Value(number) ** 2).data == nearest
        assert (Value(number) ** Value(2)).data == nearest
        for target, square in squares.items():
            assert square(number) == nearest, target


# At zero, the limits ---------------------------------------------------------


@pytest.mark.parametrize("zero", [0.0, -0.0])
@pytest.mark.parametrize(
    ("k", "power", "slope"),
    [
        (0, 1.0, 0.0),
        (0.25, 0.0, math.inf),
        (0.5, 0.0, math.inf),
        (1, 0.0, 1.0),
        (1.5, 0.0, 0.0),
        (2, 0.0, 0.0),
        (3, 0.0, 0.0),
    ],
)
def test_at_base_zero(zero: float, k: float, power: float, slope: float) -> None:
    for exponent in (k, Value(k)):
        base = Value(zero)
        y = base**exponent
        y.backward()
        assert (y.data, base.grad) == (power, slope)


@pytest.mark.parametrize("k", [0.0, 0.5, 1.0, 3.0])
def test_at_base_zero_the_exponent_does_nothing(k: float) -> None:
    assert slopes(operator.pow, 0.0, k)[1] == 0.0
    assert slopes(lambda e: 0**e, k) == [0.0]


def test_a_zeroth_power_is_flat_everywhere() -> None:
    for x in (-3.0, -0.5, 0.0, 1e-300, 7.0):
        assert (Value(x) ** 0).data == 1.0
        assert slopes(lambda b: b**0, x) == [0.0]


@pytest.mark.parametrize("k", [-1, -0.5, -3])
def test_zero_to_a_negative_power_is_an_error(k: float) -> None:
    message = re.escape(f"(0.0) ** {float(k)}: zero to a negative power")
    with pytest.raises(ZeroDivisionError, match=message):
        Value(0.0) ** k
    with pytest.raises(ZeroDivisionError, match=message):
        Value(0.0) ** Value(k)
    with pytest.raises(ZeroDivisionError, match=message):
        0 ** Value(k)


# Below zero ------------------------------------------------------------------


@pytest.mark.parametrize("x", [-8.0, -5e-324, -1e308, -math.inf])
@pytest.mark.parametrize("k", [1 / 3, 0.5, -0.5, 2.5, 1e-300, -5e-324])
def test_a_negative_base_with_a_fraction_is_an_error(x: float, k: float) -> None:
    message = re.escape(f"({x}) ** {k}: not a real number")
    with pytest.raises(ValueError, match=message):
        Value(x) ** k
    with pytest.raises(ValueError, match=message):
        Value(x) ** Value(k)
    with pytest.raises(ValueError, match=message):
        x ** Value(k)


@pytest.mark.parametrize("k", [-3.0, 0.0, 1.0, 2.0])
def test_a_negative_base_has_no_slope_along_its_exponent(k: float) -> None:
    along_base, along_exponent = slopes(operator.pow, -2.0, k)
    assert along_base == k * (-2.0) ** (k - 1)
    assert math.isnan(along_exponent)


# Too large -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "k", "expected"),
    [
        (10.0, 400.0, math.inf),
        (0.1, -400.0, math.inf),
        (-10.0, 400.0, math.inf),
        (-10.0, 401.0, -math.inf),
        (-0.1, -401.0, -math.inf),
        (-1e200, 3.0, -math.inf),
        (1e-200, -2.0, math.inf),
        (10.0, -400.0, 0.0),
        (2.0, 1e308, math.inf),
        (-2.0, 1e308, math.inf),
    ],
)
def test_a_power_too_large_is_infinite(x: float, k: float, expected: float) -> None:
    assert (Value(x) ** k).data == expected
    assert (Value(x) ** Value(k)).data == expected
    assert (x ** Value(k)).data == expected


def test_a_slope_too_large_is_infinite() -> None:
    assert slopes(lambda x: x**400, 10.0) == [math.inf]
    assert slopes(lambda x: x**3, -1e200) == [math.inf]
    assert slopes(lambda x: x**-1, 1e-200) == [-math.inf]
    assert slopes(operator.pow, 10.0, 400.0) == [math.inf, math.inf]
    assert slopes(operator.pow, 0.1, -400.0) == [-math.inf, -math.inf]


def test_an_exponent_too_large_for_a_fraction_is_even() -> None:
    for k in (2.0**53 + 2, 2.0**60, 1e300):
        assert slopes(lambda x, k=k: x**k, -1.0) == [-k]
        assert slopes(lambda x, k=k: x**k, 1.0) == [k]
        assert slopes(lambda x, k=k: x**-k, -1.0) == [k]
        assert slopes(lambda x, k=k: x**k, 0.0) == [0.0]
    assert slopes(lambda x: x ** (2.0**53 - 1), -1.0) == [2.0**53 - 1]
    assert slopes(lambda x: x**1e300, math.inf) == [math.inf]
    assert slopes(lambda x: x**-1e300, math.inf) == [0.0]


def test_a_power_takes_no_modulus() -> None:
    with pytest.raises(TypeError):
        pow(Value(2.0), 3, 5)  # type: ignore[call-overload]


def test_nan_stays_nan() -> None:
    assert math.isnan((Value(math.nan) ** 2).data)
    assert math.isnan((Value(2.0) ** math.nan).data)
    assert math.isnan((Value(-2.0) ** math.nan).data)
    assert all(math.isnan(s) for s in slopes(operator.pow, math.nan, 2.0))
