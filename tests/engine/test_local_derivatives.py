"""Every local derivative against mpmath, over all of its domain and at its edges."""

from __future__ import annotations

import math

import pytest
from mpmath import mp, mpf

from tests.engine.ulps import DIGITS, OVERFLOW, SLOPES, Slope, distance, search


def name(slope: Slope) -> str:
    return f"{slope.operation} along {slope.along}"


each_slope = pytest.mark.parametrize("slope", SLOPES, ids=name)


@each_slope
def test_it_is_right_to_the_units_that_the_table_states(slope: Slope) -> None:
    found = search(slope)
    assert found.tried > 400
    assert found.worst <= slope.limit, f"{found.worst} units at {found.at}"


@each_slope
def test_the_formula_it_is_held_to_is_the_slope_that_mpmath_measures(
    slope: Slope,
) -> None:
    with mp.workdps(DIGITS):
        for xs in ((0.3, 2.0), (1.7, -3.0), (2.5, 4.0), (12.0, 1.0)):
            at = xs[: len(slope.operands)]
            truth, measured = slope.truth(*map(mpf, at)), slope.measured(*at)
            assert abs(measured - truth) <= mpf(10) ** -40 * max(1, abs(truth)), at


@pytest.mark.parametrize(
    ("found", "truth", "units"),
    [
        (1.0, mpf(1), 0.0),
        (1.0, mp.fadd(1, mpf(2) ** -53, exact=True), 0.5),
        (math.nextafter(1.0, 2.0), mpf(1), 1.0),
        (5e-324, mpf(0), 1.0),
        (0.0, mpf(2) ** -1076, 0.25),
        (math.inf, 2 * OVERFLOW, 0.0),
        (-math.inf, -OVERFLOW, 0.0),
        (math.inf, OVERFLOW - mpf(2) ** 971, 1.0),
        (math.inf, mpf(1), math.inf),
        (math.nan, mpf(1), math.inf),
    ],
)
def test_what_a_unit_of_the_last_place_is(
    found: float, truth: mpf, units: float
) -> None:
    with mp.workdps(DIGITS):
        assert distance(found, truth) == units
