"""Functions of one number: known values, saturated tails, corners, and errors."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest

from tanglegrad import Value
from tests.engine.graphs import slopes


def at(name: str, x: float) -> tuple[float, float]:
    """The function's value at x, and its slope."""
    v = Value(x)
    y: Value = getattr(v, name)()
    y.backward()
    return y.data, v.grad


LN2, LN3, ROOT2, ROOT3 = math.log(2.0), math.log(3.0), math.sqrt(2.0), math.sqrt(3.0)


@pytest.mark.parametrize(
    ("name", "x", "value", "slope"),
    [
        ("tanh", 0.0, 0.0, 1.0),
        ("tanh", LN2, 3 / 5, 16 / 25),
        ("tanh", -LN3, -4 / 5, 9 / 25),
        ("tanh", math.asinh(1.0), 1 / ROOT2, 1 / 2),
        ("sigmoid", 0.0, 1 / 2, 1 / 4),
        ("sigmoid", LN3, 3 / 4, 3 / 16),
        ("sigmoid", -LN3, 1 / 4, 3 / 16),
        ("sigmoid", -2 * LN2, 1 / 5, 4 / 25),
        ("exp", 0.0, 1.0, 1.0),
        ("exp", 1.0, math.e, math.e),
        ("exp", -LN2, 1 / 2, 1 / 2),
        ("log", 1.0, 0.0, 1.0),
        ("log", math.e, 1.0, 1 / math.e),
        ("log", 1 / 8, -3 * LN2, 8.0),
        ("sqrt", 1.0, 1.0, 1 / 2),
        ("sqrt", 9.0, 3.0, 1 / 6),
        ("sqrt", 1 / 16, 1 / 4, 2.0),
        ("sin", 0.0, 0.0, 1.0),
        ("sin", math.pi / 6, 1 / 2, ROOT3 / 2),
        ("sin", -math.pi / 4, -1 / ROOT2, 1 / ROOT2),
        ("cos", 0.0, 1.0, 0.0),
        ("cos", math.pi / 6, ROOT3 / 2, -1 / 2),
        ("cos", math.pi, -1.0, 0.0),
        ("relu", 3.5, 3.5, 1.0),
        ("relu", 5e-324, 5e-324, 1.0),
        ("relu", -3.5, 0.0, 0.0),
        ("abs", 3.5, 3.5, 1.0),
        ("abs", -3.5, 3.5, -1.0),
        ("abs", -5e-324, 5e-324, -1.0),
    ],
)
def test_known_values(name: str, x: float, value: float, slope: float) -> None:
    data, grad = at(name, x)
    assert data == pytest.approx(value, rel=1e-15, abs=1e-15)
    assert grad == pytest.approx(slope, rel=1e-15, abs=1e-15)


SMOOTH = [
    ("tanh", math.tanh),
    ("exp", math.exp),
    ("log", math.log),
    ("sqrt", math.sqrt),
    ("sin", math.sin),
    ("cos", math.cos),
    ("abs", math.fabs),
]


@pytest.mark.parametrize(("name", "known"), SMOOTH)
def test_the_value_is_that_of_the_math_module(name: str, known: Any) -> None:
    for i in range(1, 200):
        for x in (i / 7, 1 / i):
            assert at(name, x)[0] == known(x)


# The tails -------------------------------------------------------------------


# Twenty-eight digits are enough to tell what the last of a float should be.


@pytest.mark.parametrize("x", [0.1, 1.0, 10.0, 20.0, 40.0, 300.0, 700.0])
def test_sigmoid_keeps_its_digits_in_the_tails(x: float) -> None:
    e = Decimal(-x).exp()
    above, below, slope = 1 / (1 + e), e / (1 + e), e / (1 + e) ** 2
    for place, value in ((x, above), (-x, below)):
        exact = pytest.approx([float(value), float(slope)], rel=5e-16, abs=0.0)
        assert list(at("sigmoid", place)) == exact


@pytest.mark.parametrize("x", [356.0, 800.0, 1e308, math.inf])
def test_the_squeezing_functions_do_not_overflow(x: float) -> None:
    assert (at("tanh", x)[0], at("tanh", -x)[0]) == (1.0, -1.0)
    assert (at("sigmoid", 2 * x)[0], at("sigmoid", -10 * x)[0]) == (1.0, 0.0)
    assert at("tanh", 2 * x)[1] == at("tanh", -2 * x)[1] == 0.0
    assert at("sigmoid", 10 * x)[1] == at("sigmoid", -10 * x)[1] == 0.0


def test_exp_overflows_to_infinity() -> None:
    assert at("exp", 709.0)[0] == math.exp(709.0)
    assert at("exp", 710.0) == (math.inf, math.inf)
    assert at("exp", 1e308) == (math.inf, math.inf)
    assert at("exp", math.inf) == (math.inf, math.inf)
    assert at("exp", -746.0) == (0.0, 0.0)
    assert at("exp", -math.inf) == (0.0, 0.0)


def test_a_batch_with_one_wild_number_goes_on() -> None:
    v, w = Value(1.0), Value(1000.0)
    y = v.exp() + w.exp()
    y.backward()
    assert (y.data, v.grad, w.grad) == (math.inf, math.e, math.inf)


# Corners ---------------------------------------------------------------------


@pytest.mark.parametrize("zero", [0.0, -0.0])
@pytest.mark.parametrize("name", ["relu", "abs"])
def test_at_a_corner_the_slope_is_zero(name: str, zero: float) -> None:
    assert at(name, zero) == (0.0, 0.0)


def test_abs_is_a_method_and_pythons_own_function() -> None:
    assert slopes(abs, -2.0) == slopes(lambda x: x.abs(), -2.0) == [-1.0]


def test_a_square_root_climbs_vertically_at_zero() -> None:
    assert at("sqrt", 0.0) == (0.0, math.inf)


def test_the_smallest_number_has_a_logarithm_and_a_root() -> None:
    assert at("log", 5e-324)[0] == math.log(5e-324)
    assert at("sqrt", 5e-324)[0] == math.sqrt(5e-324)
    assert at("sqrt", 5e-324)[1] == 0.5 / math.sqrt(5e-324)


# What does not exist ---------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "x"),
    [
        ("log", 0.0),
        ("log", -0.0),
        ("log", -5e-324),
        ("log", -3.5),
        ("log", -math.inf),
        ("sqrt", -5e-324),
        ("sqrt", -3.5),
        ("sqrt", -math.inf),
        ("sin", math.inf),
        ("sin", -math.inf),
        ("cos", math.inf),
        ("cos", -math.inf),
    ],
)
def test_what_is_undefined_is_an_error_that_says_what_of_what(
    name: str, x: float
) -> None:
    with pytest.raises(ValueError, match=rf"^{name} of {x}\b"):
        getattr(Value(x), name)()


@pytest.mark.parametrize(
    "name", ["tanh", "exp", "relu", "log", "sqrt", "sigmoid", "sin", "cos", "abs"]
)
def test_nan_passes_through(name: str) -> None:
    assert math.isnan(getattr(Value(math.nan), name)().data)
    assert math.isnan((getattr(Value(math.nan), name)() * 0.0 + 1.0).data)
