"""How far a local derivative is from the truth, in units of the last place.

The truth is the formula of the textbook at 50 digits, by mpmath. The places are the
edges of the floats and the points where a curve bends or saturates, every pair of
them where there are two operands, and floats of random bits, of every size.
"""

from __future__ import annotations

import math
import operator
import random
import struct
import sys
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from mpmath import mp, mpf

from tanglegrad import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DIGITS = 50
NORMAL, LARGEST = sys.float_info.min, sys.float_info.max
OVERFLOW = mpf(2) ** 1024  # where infinity would be, if floats went on

SIZES = [
    *[5e-324, 1.5e-323, 1e-320, 2.0**-1023, NORMAL, 1e-300, 1e-154, 1e-100, 1e-10],
    *[0.1, 0.5, math.nextafter(1.0, 0.0), 1.0, math.nextafter(1.0, 2.0), 1.5, 2.0, 3.0],
    *[18.0, 37.0, 710.0, 1e10, 2.0**53, 1e22, 1e100, 1e154, 1e300, 1e308, LARGEST],
]
# Where tanh, sigmoid and exp saturate, overflow, or fall below the floats.
TAILS = [
    *[10.0, 15.0, 19.06, 19.07, 20.0, 36.7, 36.8, 50.0, 300.0, 354.0, 355.0, 372.4],
    *[372.5, 372.6, 700.0, 708.3, 708.4, 709.7, 709.8, 744.4, 745.1, 745.2, 1000.0],
]
SIGNED = [0.0, -0.0, *SIZES, *(-x for x in SIZES)]


class Slope(NamedTuple):
    """One local derivative of an operation.

    made is the operation on Values, exact the same in mpmath, truth its derivative.
    limit is how many units of the last place ours may be off, at the places that are
    inside; domain says in words where that is.
    """

    operation: str
    along: str
    made: Callable[..., Value]
    exact: Callable[..., Any]
    truth: Callable[..., Any]
    limit: float
    domain: str = "every number"
    inside: Callable[..., bool] = lambda *_: True

    @property
    def operands(self) -> str:
        """The names of the operands."""
        return "xy" if {"x", "y"} <= set(self.operation) else "x"

    def at(self, *xs: float) -> float:
        """What backward() gives, from operands of these numbers."""
        leaves = [Value(x) for x in xs]
        self.made(*leaves).backward()
        return leaves[self.operands.index(self.along)].grad

    def measured(self, *xs: float) -> Any:
        """The derivative that mpmath measures by nudging, at many digits."""
        order = tuple(int(name == self.along) for name in self.operands)
        return mp.diff(self.exact, tuple(map(mpf, xs)), order)


def full(x: float) -> bool:
    """Whether x is neither too small for its 53 bits, nor infinite."""
    return NORMAL <= abs(x) <= LARGEST


def above_zero(x: float) -> bool:
    return x > 0.0


def not_zero(x: float) -> bool:
    return x != 0.0


def quotient(x: float, y: float) -> bool:
    return y != 0.0 and (x == 0.0 or full(x / y))


def power(x: float, y: float) -> bool:
    try:
        return x > 0.0 and full(math.pow(x, y))
    except OverflowError:
        return False


def power_over_base(x: float, y: float) -> bool:
    return power(x, y) and full(math.pow(x, y) / x)


def whole_power(x: float, y: float) -> bool:
    return y.is_integer() and abs(y) < 2**53 and power(abs(x), y - 1.0)


def sech_squared(x: Any) -> Any:
    """1 / cosh², which is 0 as far as floats go from 1000 on."""
    return mp.sech(x) ** 2 if abs(x) < 1000 else mpf(0)


def exponential(x: Any) -> Any:
    return mp.exp(max(-1000, min(x, 1000)))


def logistic(x: Any) -> Any:
    return 1 / (1 + exponential(-x))


def logistic_slope(x: Any) -> Any:
    return sech_squared(x / 2) / 4


SLOPES = [
    Slope("x + y", "x", operator.add, operator.add, lambda *_: mpf(1), 0),
    Slope("x + y", "y", operator.add, operator.add, lambda *_: mpf(1), 0),
    Slope("x - y", "x", operator.sub, operator.sub, lambda *_: mpf(1), 0),
    Slope("x - y", "y", operator.sub, operator.sub, lambda *_: mpf(-1), 0),
    Slope("x * y", "x", operator.mul, operator.mul, lambda _, y: y, 0),
    Slope("x * y", "y", operator.mul, operator.mul, lambda x, _: x, 0),
    Slope(
        "x / y",
        "x",
        operator.truediv,
        operator.truediv,
        lambda _, y: 1 / y,
        0.5,
        "y not 0",
        lambda _, y: y != 0.0,
    ),
    Slope(
        "x / y",
        "y",
        operator.truediv,
        operator.truediv,
        lambda x, y: -x / y**2,
        2,
        "x / y 0 or a full float",
        quotient,
    ),
    Slope(
        "x ** y",
        "x",
        operator.pow,
        operator.pow,
        lambda x, y: y * x**y / x,
        2,
        "x ** y and x ** y / x full floats",
        power_over_base,
    ),
    Slope(
        "x ** y",
        "y",
        operator.pow,
        operator.pow,
        lambda x, y: x**y * mp.log(x),
        3,
        "x ** y a full float",
        power,
    ),
    Slope(
        "x ** y, y whole",
        "x",
        lambda x, y: x**y.data,
        lambda x, y: x ** int(y),
        lambda x, y: y * x ** int(y - 1),
        2,
        "x ** (y - 1) a full float",
        whole_power,
    ),
    Slope("-x", "x", operator.neg, operator.neg, lambda _: mpf(-1), 0),
    Slope("exp x", "x", Value.exp, exponential, exponential, 1),
    Slope(
        "log x", "x", Value.log, mp.log, lambda x: 1 / x, 0.5, "x above 0", above_zero
    ),
    Slope(
        "sqrt x",
        "x",
        Value.sqrt,
        mp.sqrt,
        lambda x: 1 / (2 * mp.sqrt(x)),
        1.5,
        "x above 0",
        above_zero,
    ),
    Slope("sin x", "x", Value.sin, mp.sin, mp.cos, 1, "x finite"),
    Slope("cos x", "x", Value.cos, mp.cos, lambda x: -mp.sin(x), 1, "x finite"),
    Slope("tanh x", "x", Value.tanh, mp.tanh, sech_squared, 4),
    Slope("sigmoid x", "x", Value.sigmoid, logistic, logistic_slope, 4),
    Slope(
        "relu x",
        "x",
        Value.relu,
        lambda x: max(x, mpf(0)),
        lambda x: mpf(x > 0),
        0,
        "x not 0",
        not_zero,
    ),
    Slope("abs x", "x", abs, abs, mp.sign, 0, "x not 0", not_zero),
]


def any_float(rng: random.Random) -> float:
    """A finite float of random bits."""
    (x,) = struct.unpack("d", rng.randbytes(8))
    return float(x) if math.isfinite(x) else any_float(rng)


def places(count: int, samples: int) -> Iterator[tuple[float, ...]]:
    """Lists of count operands: the edges, and samples of each random kind."""
    rng = random.Random(count)
    yield from product(SIGNED, repeat=count)
    yield from ((x,) * count for size in TAILS for x in (size, -size))
    for _ in range(samples):
        yield tuple(any_float(rng) for _ in range(count))
        for spread in (1.0, 30.0, 800.0):
            yield tuple(rng.uniform(-spread, spread) for _ in range(count))
            yield (math.exp(rng.uniform(-spread, spread) * 0.88), rng.gauss())[:count]


def distance(found: float, truth: Any) -> float:
    """How far found is from truth, in units of the last place of truth."""
    if math.isnan(found):
        return math.inf
    reached = mpf(found) if math.isfinite(found) else OVERFLOW * mp.sign(found)
    truth = max(-OVERFLOW, min(truth, OVERFLOW))
    unit = math.ulp(min(abs(float(truth)), LARGEST))
    return float(abs(reached - truth) / mpf(unit))


class Finding(NamedTuple):
    """The largest distance that was found, where, and among how many places."""

    worst: float
    at: tuple[float, ...]
    tried: int


def search(slope: Slope, samples: int = 100) -> Finding:
    """Look for the place where a slope is farthest from the truth."""
    tried = [xs for xs in places(len(slope.operands), samples) if slope.inside(*xs)]
    with mp.workdps(DIGITS):
        found = [
            (distance(slope.at(*xs), slope.truth(*map(mpf, xs))), xs) for xs in tried
        ]
    worst, at = max(found)
    return Finding(worst, at, len(tried))
