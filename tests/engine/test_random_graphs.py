"""Random graphs with sharing, of every operation, against all that knows better.

That is: plain floats, nudges, mpmath at fifty digits, the small engine, and for the
order of the walk every other order that is right.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, find, given, settings

from tanglegrad import Value, gradient, micro
from tests.engine.exact import exact_gradient
from tests.engine.graphs import (
    DIVISION,
    EVERY,
    IN_BOTH,
    SIGMOID,
    WHOLE,
    Program,
    examples,
    programs,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

SAME_AS_FLOATS = {name: f for name, f in EVERY.items() if name not in SIGMOID}


def bits(numbers: list[float]) -> list[str]:
    return [float(x).hex() for x in numbers]


# The way forward -------------------------------------------------------------


@examples(60)
@given(programs(SAME_AS_FLOATS))
def test_every_number_is_that_of_plain_floats(program: Program) -> None:
    assert bits([v.data for v in program.run(Value)]) == bits(program.numbers)


@examples(60)
@given(programs(IN_BOTH))
def test_every_number_is_that_of_micro_bit_for_bit(program: Program) -> None:
    ours, small = program.run(Value), program.run(micro.Value)
    assert bits([v.data for v in ours]) == bits([v.data for v in small])


# The way back ----------------------------------------------------------------


@examples(60)
@given(programs(IN_BOTH | DIVISION))
def test_every_gradient_is_that_of_micro(program: Program) -> None:
    ours, small = program.run(Value), program.run(micro.Value)
    ours[-1].backward()
    small[-1].backward()
    scale = max(1.0, *(abs(v.grad) for v in ours))
    assert math.isfinite(scale)
    wrong = [
        (f"x{i}", v.grad, w.grad)
        for i, (v, w) in enumerate(zip(ours, small, strict=True))
        if not abs(v.grad - w.grad) <= 1e-11 * scale
    ]
    assert wrong == []


@examples(50)
@given(programs(EVERY))
def test_every_gradient_is_the_one_that_nudging_measures(program: Program) -> None:
    values = program.run(Value)
    values[-1].backward()
    leaves = values[: len(program.inputs)]

    def output(*xs: float) -> float:
        data: float = program.run(Value, *xs)[-1].data
        return data

    def with_longer_nudges(*xs: float) -> float:
        pairs = zip(program.inputs, xs, strict=True)
        return output(*(x0 + 2 * (x - x0) for x0, x in pairs))

    measured = gradient(output, *program.inputs)
    doubled = gradient(with_longer_nudges, *program.inputs)
    for leaf, slope, twice in zip(leaves, measured, doubled, strict=True):
        scale = max(1.0, abs(slope))
        bend = abs(twice / 2 - slope) / scale  # how far the ruler may be off
        assume(bend <= 1e-6)
        assert abs(leaf.grad - slope) <= 2e-6 * scale


@examples(25)
@given(programs(EVERY))
def test_every_gradient_is_that_of_mpmath_as_far_as_rounding_lets_it(
    program: Program,
) -> None:
    values = program.run(Value)
    values[-1].backward()
    true = exact_gradient(program)
    rounded = [exact_gradient(program, seed) for seed in (1, 2)]
    for i, slope in enumerate(true):
        carried = sum(abs(slopes[i] - slope) for slopes in rounded)
        error = abs(values[i].grad - slope)
        assert error <= 10 * carried + 1e-14 * abs(slope), f"x{i}: {slope}"


@examples(40)
@given(programs(EVERY))
def test_a_second_pass_and_a_second_graph_give_the_same_bits(program: Program) -> None:
    values, again = program.run(Value), program.run(Value)
    values[-1].backward()
    first = bits([v.grad for v in values])
    for leaf in values[: len(program.inputs)]:
        leaf.grad = 0.0
    values[-1].backward()
    again[-1].backward()
    assert bits([v.grad for v in values]) == first
    assert bits([v.grad for v in again]) == first


# Every order -----------------------------------------------------------------


def behind(root: Value) -> list[Value]:
    """Every value that root was made from, and root."""
    found, waiting = {id(root): root}, [root]
    while waiting:
        for parent in waiting.pop()._prev:
            if id(parent) not in found:
                found[id(parent)] = parent
                waiting.append(parent)
    return list(found.values())


def orders(nodes: list[Value]) -> Iterator[list[Value]]:
    """Every order of nodes in which what was made comes before what it was made of."""
    if not nodes:
        yield []
    parents = {id(p) for node in nodes for p in node._prev}
    for node in nodes:
        if id(node) not in parents:
            rest = [other for other in nodes if other is not node]
            yield from ([node, *order] for order in orders(rest))


@examples(60)
@given(programs(WHOLE, size=7, largest=1e6))
def test_every_legal_order_gives_the_gradients_of_the_walk(program: Program) -> None:
    root = program.run(Value)[-1]
    nodes = behind(root)
    made = [node for node in nodes if node._prev]
    assume(len(made) <= 8)
    root.backward()
    walked = [node.grad for node in nodes]
    for order in orders(made):
        for node in nodes:
            node.grad = 0.0
        root.grad = 1.0
        for node in order:
            node._backward()
        assert [node.grad for node in nodes] == walked


def test_the_orders_of_a_diamond_are_counted_right() -> None:
    x = Value(2.0)
    left, right, far = x * 3, x + 1, -x
    top = left + right
    made = [far, left, right, top]
    found = {tuple(map(id, order)) for order in orders(made)}
    # far stands in any of four places, left and right change places behind top
    assert len(found) == 8
    assert all(
        order.index(id(top)) < min(order.index(id(left)), order.index(id(right)))
        for order in found
    )


# What a failure shows --------------------------------------------------------


class Lossy(micro.Value):
    """A Value that does not pass the gradient of a product on."""

    def __mul__(self, other: Any) -> Any:
        out = super().__mul__(other)
        if isinstance(other, Lossy):
            out._backward = lambda: None
        return out


def test_a_failure_shrinks_to_a_few_lines_that_run() -> None:
    def fails(program: Program) -> bool:
        lossy, right = program.run(Lossy), program.run(micro.Value)
        lossy[-1].backward()
        right[-1].backward()
        pairs = zip(lossy, right, strict=True)
        return any(abs(v.grad - w.grad) > 1e-3 * abs(w.grad) for v, w in pairs)

    quiet = settings(derandomize=True, database=None, deadline=None, max_examples=500)
    program = find(programs(IN_BOTH, size=16), fails, settings=quiet)
    assert len(program.steps) == 1
    assert "x0 * x0" in repr(program)
    names: dict[str, Any] = {}
    exec(repr(program), names)
    (leaf,) = program.inputs
    assert (names["root"].data, names["x0"].grad) == (leaf**2, 2 * leaf)


def test_the_program_that_is_printed_is_the_one_that_is_run() -> None:
    program = Program([2.0, -1.5], ["x0 * x1", "x2.tanh()"], "x3 + x0", [])
    assert repr(program).splitlines() == [
        "",
        "from tanglegrad import Value, dot, total",
        "x0 = Value(2.0)",
        "x1 = Value(-1.5)",
        "x2 = x0 * x1",
        "x3 = x2.tanh()",
        "root = x3 + x0",
        "root.backward()",
    ]
    numbers = [2.0, -1.5, -3.0, math.tanh(-3.0), math.tanh(-3.0) + 2.0]
    assert [v.data for v in program.run(Value)] == numbers
    with pytest.raises(NameError):
        Program([1.0], ["x7 + x0"], "x1", []).run(Value)
