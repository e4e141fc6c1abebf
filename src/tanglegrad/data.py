"""Small data sets: the same call gives the same data, anywhere."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from numbers import Integral

from .nn import _count
from .optim import _at_least_zero

_Place = Callable[[int, float], tuple[float, float]]


def _scattered(
    place: _Place, curves: int, n: int, noise: float, seed: int
) -> tuple[list[list[float]], list[int]]:
    """n points beside curves, and for each the number of its curve."""
    rng, noise = _generator(seed), _at_least_zero("noise", noise)
    points, numbers = [], [i % curves for i in range(_count("n", n))]
    for number in numbers:
        point = place(number, rng.random())
        points.append([c + rng.gauss(0.0, noise) for c in point])
    return points, numbers


def _generator(seed: int) -> random.Random:
    """A generator that starts at seed, a whole number."""
    if not isinstance(seed, Integral):
        raise TypeError(f"seed must be a whole number, not {seed!r}")
    return random.Random(int(seed))


def _polar(radius: float, turns: float) -> tuple[float, float]:
    """The point at a distance from (0, 0) and after turns around it."""
    angle = 2.0 * math.pi * turns
    return radius * math.cos(angle), radius * math.sin(angle)


def moons(
    n: int = 100, noise: float = 0.1, seed: int = 0
) -> tuple[list[list[float]], list[float]]:
    """n points on two half circles, and for each of them -1 or 1.

    The points lie beside their curve by about noise. A ValueError if n
    is no count or noise below 0, a TypeError if seed is no integer.
    """

    def place(moon: int, t: float) -> tuple[float, float]:
        x, y = _polar(1.0, t / 2.0)
        return (x, y) if moon == 0 else (1.0 - x, 0.5 - y)

    points, numbers = _scattered(place, 2, n, noise, seed)
    return points, _signs(numbers)


def _signs(numbers: list[int]) -> list[float]:
    """-1.0 for each 0 and 1.0 for each 1."""
    return [2.0 * number - 1.0 for number in numbers]


def circles(
    n: int = 100, noise: float = 0.05, seed: int = 0
) -> tuple[list[list[float]], list[float]]:
    """n points on two circles: -1 for the outer one, 1 for the inner.

    What goes in and what is refused is as with moons.
    """

    def place(circle: int, t: float) -> tuple[float, float]:
        return _polar(0.5 if circle else 1.0, t)

    points, numbers = _scattered(place, 2, n, noise, seed)
    return points, _signs(numbers)


def spiral(
    n: int = 100, noise: float = 0.05, seed: int = 0, arms: int = 3
) -> tuple[list[list[float]], list[int]]:
    """n points on the arms of a spiral, and for each its arm, from 0.

    arms is at least 1, else a ValueError. The rest is as with moons.
    """
    arms = _count("arms", arms)

    def place(arm: int, t: float) -> tuple[float, float]:
        return _polar(0.2 + 0.8 * t, arm / arms + 0.75 * t)

    return _scattered(place, arms, n, noise, seed)


def names() -> list[str]:
    """Common first names in lower case, in alphabetical order."""
    return _NAMES.split()


_NAMES = """
ada adam agnes alan albert alice alma amy andrew anna anthony arthur barbara
beatrice bianca boris brenda brian bruno carl carmen cecilia charles claire
clara colin cora daniel david deborah diana donald doris douglas edgar
edward edwin eleanor elias elizabeth elsa emil emily emma eric esther ethan
eva felix fiona flora frances francis frank fred gabriel george gloria grace
gregory greta
hannah harold hazel heidi helen henry herbert hilda hugo ian ida irene iris
isaac isabel ivan ivy jack jacob jacques james jane janet jason jean
jennifer jessica joan john jonathan joseph judith julia karen kate katherine
kevin laura lawrence lea leo leon lewis liam louise lucas lucy luke lydia
marcus margaret maria marian mark martha martin mary matilda matthew max
maya michael monica naomi nathan nicholas nina nora norman oliver oscar otto
owen patricia patrick paul paula peter philip quentin rachel ralph raymond
rebecca richard rita robert robin roger rose ruth samuel sandra sarah sean
simon sofia sophie stephen susan teresa theodore thomas timothy tobias
ursula valerie victor victoria vincent virginia walter wanda william yvonne
zoe
"""
