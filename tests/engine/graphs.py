"""Gradients of a function, and random graphs that can be read as programs."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tanglegrad import Value

if TYPE_CHECKING:
    from collections.abc import Callable


def slopes(f: Callable[..., Value], *xs: float) -> list[float]:
    """The gradient of f at xs, by one backward pass over fresh leaves."""
    leaves = [Value(x) for x in xs]
    f(*leaves).backward()
    return [leaf.grad for leaf in leaves]


# What a step of a random graph may be, and the same in plain floats. nan stands for
# "not here": at a corner, or where there is no slope. Such a step is left out.


def away_from_zero(f: Callable[[float], float]) -> Callable[[float], float]:
    return lambda x: f(x) if abs(x) > 0.01 else math.nan


def above_zero(f: Callable[..., float]) -> Callable[..., float]:
    return lambda x, *k: f(x, *k) if x > 0.01 else math.nan


# Operations of both engines that give the same bits in both.
IN_BOTH: dict[str, Callable[..., float]] = {
    "{} + {}": lambda x, y: x + y,
    "{} - {}": lambda x, y: x - y,
    "{} * {}": lambda x, y: x * y,
    "-{}": lambda x: -x,
    "{} + 2": lambda x: x + 2.0,
    "2 - {}": lambda x: 2.0 - x,
    "-3 * {}": lambda x: -3.0 * x,
    "{} ** 2": lambda x: math.pow(x, 2.0),
    "{} ** 3": lambda x: math.pow(x, 3.0),
    "{} ** 0.5": above_zero(lambda x: math.pow(x, 0.5)),
    "{} ** -1": away_from_zero(lambda x: math.pow(x, -1.0)),
    "{}.tanh()": math.tanh,
    "{}.exp()": math.exp,
    "{}.relu()": away_from_zero(lambda x: max(0.0, x)),
}

# In micro a quotient is a product with a power: the same up to rounding.
DIVISION: dict[str, Callable[..., float]] = {
    "{} / {}": lambda x, y: x / y if abs(y) > 0.01 else math.nan,
    "3 / {}": away_from_zero(lambda x: 3.0 / x),
}

IN_ENGINE: dict[str, Callable[..., float]] = {
    "{} ** {}": above_zero(math.pow),
    "1.5 ** {}": lambda k: math.pow(1.5, k),
    "{}.log()": above_zero(math.log),
    "{}.sqrt()": above_zero(math.sqrt),
    "{}.sin()": math.sin,
    "{}.cos()": math.cos,
    "abs({})": away_from_zero(abs),
}

# Its last bit depends on how the formula is written.
SIGMOID: dict[str, Callable[..., float]] = {
    "{}.sigmoid()": lambda x: 1.0 / (1.0 + math.exp(-x)),
}


class Program:
    """A graph, as the lines that build it. Printed, it can be run as it is.

    inputs are the numbers in the leaves, numbers those in all the values, by plain
    floats: the leaves first, the root last.
    """

    def __init__(
        self, inputs: list[float], steps: list[str], root: str, numbers: list[float]
    ) -> None:
        self.inputs, self.steps, self.root = inputs, steps, root
        self.numbers = numbers

    def lines(self, *xs: float) -> list[str]:
        leaves = [f"x{i} = Value({x!r})" for i, x in enumerate(xs)]
        made = [f"x{i} = {step}" for i, step in enumerate(self.steps, len(xs))]
        return [*leaves, *made, f"root = {self.root}"]

    def __repr__(self) -> str:
        lines = ["from tanglegrad import Value", *self.lines(*self.inputs)]
        return "\n" + "\n".join([*lines, "root.backward()"]) + "\n"

    def run(self, engine: Callable[[float], Any], *xs: float) -> list[Any]:
        """The values that an engine makes of it, at xs in place of its inputs."""
        xs = xs or tuple(self.inputs)
        names: dict[str, Any] = {"Value": engine}
        exec("\n".join(self.lines(*xs)), names)
        count = len(xs) + len(self.steps)
        return [names[f"x{i}"] for i in range(count)] + [names["root"]]


@st.composite
def programs(
    draw: st.DrawFn, operations: dict[str, Callable[..., float]], size: int = 60
) -> Program:
    """A random graph with sharing, of at most size steps.

    Every number in it is 0 or between 0.01 and 30, so that neither rounding nor a
    nudge runs away. The root is the sum of all that nothing else was made from.
    """
    number = st.floats(-3.0, 3.0).map(lambda x: round(x, 2))
    inputs = draw(st.lists(number, min_size=1, max_size=4))
    numbers, steps, unused = list(inputs), [], list(range(len(inputs)))
    for _ in range(draw(st.integers(1, size))):
        template = draw(st.sampled_from(sorted(operations)))
        places = st.integers(0, len(numbers) - 1)
        operands = [draw(places) for _ in range(template.count("{}"))]
        result = operations[template](*(numbers[i] for i in operands))
        if result == 0.0 or 0.01 <= abs(result) <= 30.0:
            steps.append(template.format(*(f"x{i}" for i in operands)))
            unused = [i for i in unused if i not in operands] + [len(numbers)]
            numbers.append(result)
    root = " + ".join(f"x{i}" for i in unused)
    *_, total = accumulate(numbers[i] for i in unused)
    return Program(inputs, steps, root, [*numbers, total])
