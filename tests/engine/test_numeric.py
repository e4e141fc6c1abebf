"""Slopes by nudging, and the check that is built on them."""

from __future__ import annotations

import math
import operator
from typing import Any

import pytest

from tanglegrad import Value, derivative, gradcheck, gradient, micro

# derivative ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("f", "x", "slope"),
    [
        (lambda x: 3 * x**2 - 4 * x + 5, 3.0, 14.0),
        (lambda x: 3 * x**2 - 4 * x + 5, 2 / 3, 0.0),
        (lambda x: 1 / x, 2.0, -0.25),
        (math.sin, 0.0, 1.0),
        (math.exp, 1.0, math.e),
        (math.log, 4.0, 0.25),
        (lambda _: 7.0, 1.0, 0.0),
        (lambda x: x, -8.0, 1.0),
        (abs, 0.0, 0.0),
    ],
)
def test_a_slope_is_measured_to_nine_digits(f: Any, x: float, slope: float) -> None:
    assert derivative(f, x) == pytest.approx(slope, rel=1e-9, abs=1e-9)


def test_a_slope_is_measured_on_both_sides_and_nowhere_else() -> None:
    asked: list[float] = []

    def f(x: float) -> float:
        asked.append(x)
        return x

    derivative(f, 2.0, 0.25)
    assert sorted(asked) == [1.75, 2.25]
    asked.clear()
    derivative(f, 2.0)
    assert sorted(asked) == [2.0 - 1e-5, 2.0 + 1e-5]


def test_the_error_shrinks_with_the_square_of_the_step() -> None:
    # of x³ the central difference is 3x² + h², to the last bit for these steps
    for h in (1.0, 0.5, 0.125):
        assert derivative(lambda x: x**3, 2.0, h) == 12.0 + h * h
        assert derivative(lambda x: x**2, 3.0, h) == 6.0


@pytest.mark.parametrize("h", [0, 0.0, -1e-5, math.nan])
def test_a_step_that_is_none_is_refused(h: float) -> None:
    with pytest.raises(ValueError, match=f"derivative: h must be above 0, not {h}"):
        derivative(math.sin, 1.0, h)


# gradient --------------------------------------------------------------------


def test_every_input_has_its_own_slope() -> None:
    def f(a: float, b: float, c: float) -> float:
        return a * b + c**2

    assert gradient(f, 2.0, 3.0, 5.0) == pytest.approx([3.0, 2.0, 10.0], rel=1e-9)


def test_one_input_is_nudged_at_a_time() -> None:
    asked: list[tuple[float, ...]] = []

    def f(*xs: float) -> float:
        asked.append(xs)
        return 0.0

    assert gradient(f, 0.5, -1.0, 0.0) == [0.0, 0.0, 0.0]
    assert len(asked) == 6
    start = (0.5, -1.0, 0.0)
    for i in range(3):
        for xs in asked[2 * i : 2 * i + 2]:
            moved = [a != b for a, b in zip(xs, start, strict=True)]
            assert moved == [i == j for j in range(3)]
            assert abs(xs[i] - start[i]) == pytest.approx(1e-5)


@pytest.mark.parametrize("x", [1e6, -1e6, 1e12])
def test_the_step_grows_with_the_input(x: float) -> None:
    assert gradient(lambda t: t * t, x) == pytest.approx([2 * x], rel=1e-9)
    asked: list[float] = []

    def f(t: float) -> float:
        asked.append(t)
        return t

    gradient(f, x)
    assert [abs(t - x) for t in asked] == pytest.approx([1e-5 * abs(x)] * 2, rel=1e-3)


def test_no_inputs_no_slopes() -> None:
    assert gradient(lambda: 1.0) == []


# gradcheck -------------------------------------------------------------------


def wrong_at(place: int, factor: float) -> Any:
    """x * y, as an operation with a fault in one of its two slopes."""

    def product(x: Value, y: Value) -> Value:
        out = Value(x.data * y.data, (x, y), "product")

        def push() -> None:
            x.grad += y.data * out.grad * (factor if place == 1 else 1.0)
            y.grad += x.data * out.grad * (factor if place == 2 else 1.0)

        out._backward = push
        return out

    return product


def test_right_gradients_pass() -> None:
    assert gradcheck(wrong_at(1, 1.0), 2.0, 3.0) is True
    assert gradcheck(lambda x: x.exp() / x, 0.5) is True
    assert gradcheck(lambda a, b, c: (a * b + c).tanh(), 0.1, 0.2, 0.3) is True


def test_a_fault_is_told_with_the_input_both_numbers_and_the_tolerance() -> None:
    with pytest.raises(AssertionError) as told:
        gradcheck(wrong_at(2, -1.0), 2.0, 3.0)
    assert str(told.value) == (
        "gradcheck: input 2 of 2: backward() gives -2, nudging gives 2; "
        "they may differ by 2.0e-06"
    )
    with pytest.raises(AssertionError, match=r"input 1 of 2: .* gives 6, .* gives 3;"):
        gradcheck(wrong_at(1, 2.0), 2.0, 3.0)


def test_a_small_fault_is_seen_and_a_smaller_one_is_tolerated() -> None:
    with pytest.raises(AssertionError, match="input 1 of 2"):
        gradcheck(wrong_at(1, 1.00001), 2.0, 3.0)
    assert gradcheck(wrong_at(1, 1.00001), 2.0, 3.0, tolerance=1e-4)
    assert gradcheck(wrong_at(1, 1.0 + 1e-7), 2.0, 3.0)


def test_the_tolerance_grows_with_a_slope_above_one() -> None:
    assert gradcheck(wrong_at(1, 1.0 + 1e-7), 2.0, 3e6)
    with pytest.raises(AssertionError, match=r"may differ by 3\.0e\+00"):
        gradcheck(wrong_at(1, 1.0 + 1e-5), 2.0, 3e6)
    with pytest.raises(AssertionError, match=r"may differ by 1\.0e-06"):
        gradcheck(wrong_at(1, 1.0 + 1e-4), 2.0, 0.03)


def test_a_gradient_that_is_no_number_fails() -> None:
    with pytest.raises(AssertionError, match="gives nan"):
        gradcheck(wrong_at(1, math.nan), 2.0, 3.0)


def test_a_place_where_the_nudge_leaves_the_domain_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"^log of -"):
        gradcheck(lambda x: (x - 1 + 5e-6).log(), 1.0)


def test_a_corner_is_a_place_to_look_at() -> None:
    with pytest.raises(AssertionError, match=r"gives 0, nudging gives 0\.5"):
        gradcheck(lambda x: x.relu(), 0.0)


def test_an_input_without_effect_has_slope_zero() -> None:
    assert gradcheck(lambda x, y: x * 1.0, 2.0, 3.0) is True  # noqa: ARG005


def test_the_function_is_given_values_of_the_package() -> None:
    seen: list[type] = []

    def f(x: Any) -> Any:
        seen.append(type(x))
        return x.sigmoid() * x.sin()  # which micro has not

    assert gradcheck(f, 0.4)
    assert set(seen) == {Value}


def test_values_are_checked_with_their_own_engine() -> None:
    seen: list[type] = []

    def f(x: Any, y: Any) -> Any:
        seen.append(type(x))
        return x.tanh() * y

    for kind in (Value, micro.Value):
        x, y = kind(0.3), kind(2.0)
        seen.clear()
        assert gradcheck(f, x, y) is True
        assert set(seen) == {kind}
        assert (x.data, x.grad, y.grad) == (0.3, 0.0, 0.0)


def test_a_check_of_no_input_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one input"):
        gradcheck(lambda: Value(1.0))


@pytest.mark.parametrize("out", [1.0, None, "loss", [Value(1.0)]], ids=repr)
def test_a_function_that_returns_no_value_is_refused(out: Any) -> None:
    with pytest.raises(TypeError) as refused:
        gradcheck(lambda x: out, 1.0)  # noqa: ARG005
    assert str(refused.value) == f"gradcheck: f must return a Value, not {out!r}"


def test_the_inputs_are_left_alone() -> None:
    assert gradcheck(operator.mul, 2, 3)
    held = Value(5.0)
    assert gradcheck(lambda x: x * held, 2.0)
    assert held.data == 5.0
