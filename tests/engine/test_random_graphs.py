"""Random graphs with sharing: against plain floats, nudges and the small engine."""

from __future__ import annotations

import math

from hypothesis import assume, given, settings

from tanglegrad import Value, gradient, micro
from tests.engine.graphs import (
    DIVISION,
    IN_BOTH,
    IN_ENGINE,
    SIGMOID,
    Program,
    programs,
)

EXACT = IN_BOTH | DIVISION | IN_ENGINE
ALL = EXACT | SIGMOID


def bits(numbers: list[float]) -> list[str]:
    return [float(x).hex() for x in numbers]


@settings(max_examples=120)
@given(programs(EXACT))
def test_every_number_is_that_of_plain_floats(program: Program) -> None:
    assert bits([v.data for v in program.run(Value)]) == bits(program.numbers)


@settings(max_examples=120)
@given(programs(IN_BOTH))
def test_every_number_is_that_of_micro_bit_for_bit(program: Program) -> None:
    ours, small = program.run(Value), program.run(micro.Value)
    assert bits([v.data for v in ours]) == bits([v.data for v in small])


@settings(max_examples=120)
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


@settings(max_examples=200)
@given(programs(ALL))
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


@settings(max_examples=60)
@given(programs(ALL))
def test_a_second_pass_gives_the_same_bits(program: Program) -> None:
    values = program.run(Value)
    values[-1].backward()
    first = bits([v.grad for v in values])
    for leaf in values[: len(program.inputs)]:
        leaf.grad = 0.0
    values[-1].backward()
    assert bits([v.grad for v in values]) == first


@settings(max_examples=60)
@given(programs(ALL))
def test_the_same_program_gives_the_same_bits(program: Program) -> None:
    first, second = program.run(Value), program.run(Value)
    first[-1].backward()
    second[-1].backward()
    assert bits([v.grad for v in first]) == bits([v.grad for v in second])
