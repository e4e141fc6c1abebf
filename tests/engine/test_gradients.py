"""Gradients against mathematics that is known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import Value
from tests.engine.graphs import slopes

if TYPE_CHECKING:
    from collections.abc import Callable

# Known functions -------------------------------------------------------------


def near(*xs: float) -> object:
    return pytest.approx(list(xs), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("x", [-1.3, 0.2, 2.0])
def test_what_undoes_a_function_leaves_slope_one(x: float) -> None:
    assert slopes(lambda v: v.exp().log(), x) == near(1.0)
    assert slopes(lambda v: (v * v).sqrt(), x) == near(math.copysign(1.0, x))
    assert slopes(lambda v: v.sin() ** 2 + v.cos() ** 2, x) == near(0.0)
    assert slopes(lambda v: v - (v / 3) * 3, x) == near(0.0)


@pytest.mark.parametrize("x", [-2.0, -0.1, 0.6, 3.0])
def test_the_same_function_written_in_two_ways(x: float) -> None:
    pairs: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
        (lambda v: v.sigmoid(), lambda v: (1 + (v / 2).tanh()) / 2),
        (lambda v: v.sigmoid(), lambda v: 1 / (1 + (-v).exp())),
        (lambda v: v.tanh(), lambda v: ((2 * v).exp() - 1) / ((2 * v).exp() + 1)),
        (lambda v: (2 * v).sin(), lambda v: 2 * v.sin() * v.cos()),
        (lambda v: v.cos(), lambda v: (v + math.pi / 2).sin()),
        (lambda v: v.relu(), lambda v: (v + abs(v)) / 2),
        (lambda v: 3**v, lambda v: (v * math.log(3)).exp()),
        (lambda v: v**4, lambda v: v * v * v * v),
        (lambda v: 1 / v, lambda v: v**-1),
        (lambda v: v - 1, lambda v: -(1 - v)),
    ]
    for one, other in pairs:
        assert one(Value(x)).data == pytest.approx(
            other(Value(x)).data, rel=1e-12, abs=1e-15
        )
        assert slopes(one, x) == near(*slopes(other, x))


def test_the_slope_of_the_tangent() -> None:
    for x in (-1.0, 0.3, 1.2):
        assert slopes(lambda v: v.sin() / v.cos(), x) == near(1 / math.cos(x) ** 2)


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_chebyshevs_polynomials_by_their_recurrence(n: int) -> None:
    # T_n(cos t) = cos(nt), so T_n' is n sin(nt) / sin(t), and n² at 1
    def polynomial(x: Value) -> Value:
        before, last = Value(1.0), x
        for _ in range(n - 1):
            before, last = last, 2 * x * last - before
        return last

    assert slopes(polynomial, 1.0) == [n * n]
    t = 0.7
    expected = n * math.sin(n * t) / math.sin(t)
    assert slopes(polynomial, math.cos(t)) == near(expected)


def test_a_power_series_is_its_own_slope() -> None:
    def exponential(x: Value) -> Value:
        total = term = Value(1.0)
        for k in range(1, 40):
            term = term * x / k
            total = total + term
        return total

    assert slopes(exponential, 1.5) == near(math.exp(1.5))


def test_newtons_iteration_knows_the_slope_of_the_root() -> None:
    def root(a: Value) -> Value:
        x = a
        for _ in range(8):
            x = (x + a / x) / 2
        return x

    assert slopes(root, 2.0) == near(1 / (2 * math.sqrt(2)))


def test_rosenbrocks_valley() -> None:
    def f(x: Value, y: Value) -> Value:
        return (1 - x) ** 2 + 100 * (y - x**2) ** 2

    assert slopes(f, 1.0, 1.0) == [0.0, 0.0]
    assert slopes(f, -1.2, 1.0) == near(-215.6, -88.0)


def test_a_determinant_has_its_cofactors_as_slopes() -> None:
    def det(*rows: Any) -> Any:
        a, b, c, d, e, f, g, h, i = rows
        return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)

    matrix = [2.0, 7.0, 1.0, 8.0, 2.0, 8.0, 1.0, 8.0, 3.0]
    cofactors = [-58.0, -16.0, 62.0, -13.0, 5.0, -9.0, 54.0, -8.0, -52.0]
    assert slopes(det, *matrix) == cofactors


def test_a_homogeneous_function_obeys_euler() -> None:
    # f(tx, ty, tz) = t^3 f(x, y, z), so x f_x + y f_y + z f_z = 3 f
    def f(x: Value, y: Value, z: Value) -> Value:
        return x**3 * y / z + (x * y * z) * (x / y).sin() - z**2.5 * y**0.5

    at = (1.3, 0.7, 2.1)
    total = sum(x * slope for x, slope in zip(at, slopes(f, *at), strict=True))
    assert total == pytest.approx(3 * f(*map(Value, at)).data, rel=1e-12)


def test_the_distance_has_a_slope_of_length_one() -> None:
    def distance(x: Value, y: Value, z: Value) -> Value:
        return (x**2 + y**2 + z**2).sqrt()

    assert slopes(distance, 2.0, -3.0, 6.0) == near(2 / 7, -3 / 7, 6 / 7)


def test_a_soft_maximum_has_the_probabilities_as_slopes() -> None:
    def soft_maximum(*xs: Any) -> Any:
        return sum(x.exp() for x in xs).log()

    xs = [math.log(p) for p in (1.0, 2.0, 5.0)]
    assert slopes(soft_maximum, *xs) == near(1 / 8, 2 / 8, 5 / 8)


def test_cross_entropy_pulls_the_probabilities_to_the_label() -> None:
    def loss(*xs: Any) -> Any:
        exps = [x.exp() for x in xs]
        return -(exps[1] / sum(exps)).log()

    xs = [math.log(p) for p in (1.0, 2.0, 5.0)]
    assert slopes(loss, *xs) == near(1 / 8, 2 / 8 - 1, 5 / 8)
    assert sum(slopes(loss, *xs)) == pytest.approx(0.0, abs=1e-15)


def test_a_line_of_least_squares_has_no_slope_left() -> None:
    xs, ys = (0.0, 1.0, 2.0, 3.0), (1.0, 3.0, 2.0, 5.0)

    def loss(m: Any, c: Any) -> Any:
        return sum((m * x + c - y) ** 2 for x, y in zip(xs, ys, strict=True))

    assert slopes(loss, 1.1, 1.1) == near(0.0, 0.0)
    assert slopes(loss, 0.0, 0.0) == near(-44.0, -22.0)


def test_the_neuron_of_the_first_chapters() -> None:
    def loss(x1: Any, x2: Any, w1: Any, w2: Any, b: Any) -> Any:
        return ((x1 * w1 + x2 * w2 + b).tanh() - 1) ** 2

    o = 1 / math.sqrt(2)
    down = 2 * (o - 1) * (1 - o * o)
    at = (2.0, 0.0, -3.0, 1.0, 6.0 + math.asinh(1.0))
    assert slopes(loss, *at) == near(-3 * down, down, 2 * down, 0.0, down)
