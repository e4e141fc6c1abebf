"""A backward pass that is interrupted, wherever that is, has not happened."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tanglegrad
from tanglegrad import Value

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

FOLDER = str(Path(tanglegrad.__file__).parent)


def interrupted(action: Callable[[], object], at: int) -> bool:
    """Do something, but raise KeyboardInterrupt at that instruction of the package.

    The answer is whether it came to that.
    """
    left = at

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.startswith(FOLDER):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def graph() -> list[Value]:
    """A small graph with a past: its leaves first, its root last."""
    x, y = Value(2.0), Value(-3.0)
    product = x * y
    bent = (product + x).tanh()
    own = Value(bent.data, (bent, x), "own")

    def push() -> None:
        bent.grad += own.grad
        x.grad -= own.grad

    own._backward = push
    values = [x, y, product, bent, own, own * product / bent]
    for i, v in enumerate(values):
        v.grad = i / 4
    return values


def state(values: list[Value]) -> list[tuple[float, float]]:
    return [(v.data, v.grad) for v in values]


def test_wherever_it_is_interrupted_a_pass_has_happened_or_has_not() -> None:
    before, whole = state(graph()), graph()
    whole[-1].backward()
    after = state(whole)
    assert after != before
    at = done = undone = 0
    while True:
        values = graph()
        if not interrupted(values[-1].backward, at):
            break
        found = state(values)
        assert found in (before, after), f"interrupted at instruction {at}"
        if found == before:
            undone += 1
            values[-1].backward()
            assert state(values) == after, f"interrupted at instruction {at}"
        else:
            done += 1
        at += 1
    assert state(values) == after
    assert undone > 100
    assert done < 10


def test_the_interruption_comes_at_the_instruction_that_was_asked_for() -> None:
    def three() -> None:
        for _ in range(3):
            Value(1.0)

    whole = 0
    while interrupted(three, whole):
        whole += 1
    assert whole > 30
    assert not interrupted(three, whole)
