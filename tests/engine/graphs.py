"""Gradients of a function, and random graphs that can be read as programs."""

from __future__ import annotations

import math
import os
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from hypothesis import settings
from hypothesis import strategies as st

from tanglegrad import Value, dot, total

if TYPE_CHECKING:
    from collections.abc import Callable


def examples(count: int) -> settings:
    """So many random examples; twenty times as many if THOROUGH is set."""
    return settings(max_examples=count * (20 if os.environ.get("THOROUGH") else 1))


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
    "{} - 0.7": lambda x: x - 0.7,
    "2 - {}": lambda x: 2.0 - x,
    "-3 * {}": lambda x: -3.0 * x,
    "{} * 0.3": lambda x: x * 0.3,
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
    "{} / 7": lambda x: x / 7.0,
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
    "total([{}, {}, {}])": lambda x, y, z: 0.0 + x + y + z,
    "total([{}, 0.5], {})": lambda x, start: start + x + 0.5,
    "dot([{}, {}], [{}, {}])": lambda v, w, x, y: 0.0 + v * x + w * y,
    "dot([{}, 1.5], [0.25, {}], {})": lambda w, x, start: start + w * 0.25 + 1.5 * x,
}


def plain_total(values: Any, start: Any = 0.0) -> Any:
    return sum(values, start)


def plain_dot(ws: Any, xs: Any, start: Any = 0.0) -> Any:
    return sum((w * x for w, x in zip(ws, xs, strict=True)), start)


# Its last bit depends on how the formula is written.
SIGMOID: dict[str, Callable[..., float]] = {
    "{}.sigmoid()": lambda x: 1.0 / (1.0 + math.exp(-x)),
}

EVERY = IN_BOTH | DIVISION | IN_ENGINE | SIGMOID

# Operations whose numbers and slopes stay whole: no sum of them is ever rounded.
WHOLE = {
    template: IN_BOTH[template]
    for template in ("{} + {}", "{} - {}", "{} * {}", "-{}", "{} ** 2", "-3 * {}")
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
        made = [f"x{i} = {step}" for i, step in enumerate(steps, len(inputs))]
        self.lines = "\n".join([*made, f"root = {root}"])

    def __repr__(self) -> str:
        leaves = [f"x{i} = Value({x!r})" for i, x in enumerate(self.inputs)]
        head = "\n".join(["from tanglegrad import Value, dot, total", *leaves])
        return f"\n{head}\n{self.lines}\nroot.backward()\n"

    def run(self, engine: Callable[[Any], Any], *xs: Any) -> list[Any]:
        """The values that an engine makes of it, at xs in place of its inputs."""
        leaves = [engine(x) for x in xs or self.inputs]
        many = (total, dot) if engine is Value else (plain_total, plain_dot)
        names: dict[str, Any] = dict(zip(("total", "dot"), many, strict=True))
        names |= {f"x{i}": leaf for i, leaf in enumerate(leaves)}
        exec(self.lines, names)
        count = len(leaves) + len(self.steps)
        return [names[f"x{i}"] for i in range(count)] + [names["root"]]


@st.composite
def programs(
    draw: st.DrawFn,
    operations: dict[str, Callable[..., float]],
    size: int = 300,
    largest: float = 30.0,
) -> Program:
    """A random graph with sharing, of at most size steps, and often of many.

    Every number in it is 0 or between 0.01 and largest, so that neither rounding nor
    a nudge runs away. The root is the sum of all that nothing else was made from.
    """
    number = st.floats(-3.0, 3.0).map(lambda x: round(x, 2))
    if operations is WHOLE:
        number = st.integers(-3, 3).map(float)
    inputs = draw(st.lists(number, min_size=1, max_size=4))
    numbers, steps, unused = list(inputs), [], dict.fromkeys(range(len(inputs)))
    places = list(range(len(inputs)))  # what stands at each place
    templates = sorted(operations)
    step = st.integers(0, len(templates) * size * size)
    least = draw(st.sampled_from([0, size // 8, size // 3]))
    for drawn in draw(st.lists(step, min_size=least, max_size=size)):
        places.append(places[-1])  # if it is left out, the one before stands there
        if drawn == 0:
            continue
        rest, which = divmod(drawn - 1, len(templates))
        template, (i, j) = templates[which], divmod(rest, size)
        at = (j, i, i + j, 7 * i + j)[: template.count("{}")]
        operands = [places[k % (len(places) - 1)] for k in at]
        result = operations[template](*(numbers[i] for i in operands))
        if result == 0.0 or 0.01 <= abs(result) <= largest:
            steps.append(template.format(*(f"x{i}" for i in operands)))
            for i in operands:
                unused.pop(i, None)
            places[-1] = len(numbers)
            unused[len(numbers)] = None
            numbers.append(result)
    root = " + ".join(f"x{i}" for i in unused)
    *_, total = accumulate(numbers[i] for i in unused)
    return Program(inputs, steps, root, [*numbers, total])
