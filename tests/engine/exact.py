"""Numbers at fifty digits with the operations of a Value, but no gradients of theirs.

What they compute is differentiated by mpmath, which knows nothing of the chain rule:
it moves an input by very little, which at enough digits is as good as a limit.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

if TYPE_CHECKING:
    from tests.engine.graphs import Program

DIGITS = 50
HALF_A_UNIT = mpf(2) ** -53


class Exact:
    """A number; with a rng each result is off by half a unit of the last place."""

    def __init__(self, x: Any, rng: random.Random | None = None) -> None:
        self.x, self.rng = mpf(x), rng

    def made(self, x: Any) -> Exact:
        if self.rng is not None:
            x *= 1 + self.rng.choice((-1, 1)) * HALF_A_UNIT
        return Exact(x, self.rng)

    def __add__(self, other: Any) -> Exact:
        return self.made(self.x + number(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Exact:
        return self.made(self.x - number(other))

    def __rsub__(self, other: Any) -> Exact:
        return self.made(number(other) - self.x)

    def __mul__(self, other: Any) -> Exact:
        return self.made(self.x * number(other))

    def __rmul__(self, other: Any) -> Exact:
        return self.made(number(other) * self.x)

    def __truediv__(self, other: Any) -> Exact:
        return self.made(self.x / number(other))

    def __rtruediv__(self, other: Any) -> Exact:
        return self.made(number(other) / self.x)

    def __pow__(self, other: Any) -> Exact:
        return self.made(self.x ** number(other))

    def __rpow__(self, other: Any) -> Exact:
        return self.made(number(other) ** self.x)

    def __neg__(self) -> Exact:
        return self.made(-self.x)

    def __abs__(self) -> Exact:
        return self.made(abs(self.x))

    def relu(self) -> Exact:
        return self.made(max(self.x, mpf(0)))

    def sigmoid(self) -> Exact:
        return self.made(1 / (1 + mp.exp(-self.x)))

    def __getattr__(self, name: str) -> Any:
        return lambda: self.made(getattr(mp, name)(self.x))


def number(x: Any) -> Any:
    return x.x if isinstance(x, Exact) else mpf(x)


def exact_gradient(program: Program, seed: int | None = None) -> list[Any]:
    """The slopes of a program along its inputs; with a seed, of one that is rounded."""

    def output(*xs: Any) -> Any:
        rng = None if seed is None else random.Random(seed)
        return program.run(lambda x: Exact(x, rng), *xs)[-1].x

    inputs = [mpf(x) for x in program.inputs]
    places = range(len(inputs))
    with mp.workdps(DIGITS):
        return [mp.diff(output, inputs, [int(i == j) for j in places]) for i in places]
