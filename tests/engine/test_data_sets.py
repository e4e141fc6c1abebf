"""The data sets: their shapes, their seeds, and what they refuse."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tanglegrad.data import circles, moons, spiral

if TYPE_CHECKING:
    from collections.abc import Callable

SHAPES: list[Callable[..., Any]] = [moons, circles, spiral]
SHAPE = pytest.mark.parametrize("shape", SHAPES)


@SHAPE
@given(n=st.integers(1, 60), noise=st.floats(0.0, 10.0), seed=st.integers())
def test_there_are_as_many_points_and_answers_as_asked_for(
    shape: Callable[..., Any], n: int, noise: float, seed: int
) -> None:
    points, answers = shape(n, noise, seed)
    assert len(points) == len(answers) == n
    for point in points:
        assert [type(c) for c in point] == [float, float]
        assert all(map(math.isfinite, point))


@SHAPE
@given(n=st.integers(1, 60), more=st.integers(1, 60), seed=st.integers())
def test_a_longer_list_begins_with_the_shorter(
    shape: Callable[..., Any], n: int, more: int, seed: int
) -> None:
    points, answers = shape(n, seed=seed)
    longer, longer_answers = shape(n + more, seed=seed)
    assert longer[:n] == points
    assert longer_answers[:n] == answers


@SHAPE
def test_the_seed_alone_decides(shape: Callable[..., Any]) -> None:
    random.seed(1)
    before, once = random.getstate(), shape(50, seed=7)
    assert random.getstate() == before
    random.seed(2)
    assert shape(50, seed=7) == once
    assert shape(50, seed=8)[0] != once[0]
    assert shape(50, seed=8)[1] == once[1]


@SHAPE
def test_two_calls_share_no_list(shape: Callable[..., Any]) -> None:
    points, answers = shape(4)
    points[0][0] += 1.0
    answers.pop()
    assert shape(4)[0][0] != points[0]
    assert len(shape(4)[1]) == 4


PROGRAM = """
from tanglegrad.data import circles, moons, spiral
print([shape(20, 0.2, 3) for shape in (moons, circles, spiral)])
"""


def test_another_process_gets_the_same_points() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            check=True,
            capture_output=True,
            text=True,
            env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1")
    }
    assert outputs == {f"{[shape(20, 0.2, 3) for shape in SHAPES]}\n"}


@given(seed=st.integers())
def test_without_noise_the_moons_are_half_circles(seed: int) -> None:
    for (x, y), answer in zip(*moons(20, 0.0, seed), strict=True):
        if answer == -1.0:
            assert math.hypot(x, y) == pytest.approx(1.0)
            assert y >= 0.0
        else:
            assert answer == 1.0
            assert math.hypot(x - 1.0, y - 0.5) == pytest.approx(1.0)
            assert y <= 0.5


@given(seed=st.integers())
def test_without_noise_the_circles_have_two_radii(seed: int) -> None:
    for (x, y), answer in zip(*circles(20, 0.0, seed), strict=True):
        assert math.hypot(x, y) == pytest.approx({-1.0: 1.0, 1.0: 0.5}[answer])


@given(seed=st.integers(), arms=st.integers(1, 7))
def test_without_noise_an_arm_turns_as_it_leaves_the_middle(
    seed: int, arms: int
) -> None:
    for (x, y), arm in zip(*spiral(30, 0.0, seed, arms), strict=True):
        radius = math.hypot(x, y)
        assert 0.2 <= radius + 1e-12 < 1.0 + 1e-9
        turns = arm / arms + 0.75 * (radius - 0.2) / 0.8
        assert x == pytest.approx(radius * math.cos(2 * math.pi * turns))
        assert y == pytest.approx(radius * math.sin(2 * math.pi * turns))


@SHAPE
def test_points_go_all_along_their_curves(shape: Callable[..., Any]) -> None:
    points, _ = shape(400, 0.0)
    for axis in range(2):
        cells = {round(4 * point[axis]) for point in points}
        assert cells == set(range(min(cells), max(cells) + 1))
        assert len(cells) >= 6


@SHAPE
def test_noise_is_the_standard_deviation_on_both_axes(
    shape: Callable[..., Any],
) -> None:
    # A tiny noise draws the same numbers as a large one.
    tiny, _ = shape(4000, 1e-9)
    wide, _ = shape(4000, 0.25)
    for axis in range(2):
        off = [w[axis] - t[axis] for w, t in zip(wide, tiny, strict=True)]
        mean = sum(off) / len(off)
        deviation = math.sqrt(sum((x - mean) ** 2 for x in off) / len(off))
        assert abs(mean) < 0.02
        assert deviation == pytest.approx(0.25, rel=0.05)


def test_the_answers_take_turns() -> None:
    assert moons(5)[1] == circles(5)[1] == [-1.0, 1.0, -1.0, 1.0, -1.0]
    assert spiral(5)[1] == [0, 1, 2, 0, 1]
    assert spiral(3, arms=2)[1] == [0, 1, 0]
    assert spiral(2, arms=1)[1] == [0, 0]


def test_as_many_points_as_the_book_uses_come_by_themselves() -> None:
    assert [len(shape()[0]) for shape in SHAPES] == [100, 100, 100]


@SHAPE
@pytest.mark.parametrize("n", [0, -1, 2.0, "3", None, math.nan])
def test_what_is_no_count_is_refused(shape: Callable[..., Any], n: object) -> None:
    with pytest.raises(ValueError, match=f"^n must be a whole number .* not {n!r}$"):
        shape(n)


@SHAPE
@pytest.mark.parametrize("noise", [-0.1, math.inf, math.nan])
def test_a_noise_below_0_or_not_finite_is_refused(
    shape: Callable[..., Any], noise: float
) -> None:
    with pytest.raises(ValueError, match=f"^noise must be at least 0 .* not {noise}$"):
        shape(noise=noise)


@SHAPE
@pytest.mark.parametrize("noise", ["0.1", None, 1j, [0.1]])
def test_a_noise_that_is_no_number_is_refused(
    shape: Callable[..., Any], noise: object
) -> None:
    with pytest.raises(TypeError, match=r"^noise must be a real number, not "):
        shape(noise=noise)


@SHAPE
@pytest.mark.parametrize("seed", [None, 1.0, "1", [1], random.Random(1)])
def test_a_seed_that_is_no_integer_is_refused(
    shape: Callable[..., Any], seed: object
) -> None:
    with pytest.raises(TypeError, match=r"^seed must be a whole number, not "):
        shape(seed=seed)


@pytest.mark.parametrize("arms", [0, -3, 1.5, "2", None])
def test_arms_that_are_no_count_are_refused(arms: Any) -> None:
    with pytest.raises(ValueError, match=f"^arms must be a whole .* not {arms!r}$"):
        spiral(arms=arms)


def test_other_kinds_of_numbers_are_taken() -> None:
    quarter: Any = Fraction(1, 4)
    assert moons(n=True, noise=quarter, seed=True) == moons(1, 0.25, seed=1)


def test_numbers_of_numpy_are_taken() -> None:
    np = pytest.importorskip("numpy")
    expected = moons(3, 0.5, 7)
    assert moons(np.int64(3), np.float32(0.5), np.int64(7)) == expected
