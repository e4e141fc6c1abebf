"""An operation made outside: a value with parents, and a closure in its turn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import Value, dot, gradcheck

if TYPE_CHECKING:
    from collections.abc import Callable


def cube(x: Value) -> Value:
    out = Value(x.data**3, (x,), "cube")

    def push() -> None:
        x.grad += 3.0 * x.data**2 * out.grad

    out._backward = push
    return out


def hypotenuse(x: Value, y: Value) -> Value:
    out = Value(math.hypot(x.data, y.data), (x, y), "hypot")

    def push() -> None:
        x.grad += x.data / out.data * out.grad
        y.grad += y.data / out.data * out.grad

    out._backward = push
    return out


def test_it_works_in_the_middle_of_a_graph() -> None:
    x = Value(2.0)
    a = x * 3.0
    y = cube(a) * 2.0 + a
    y.backward()
    assert y.data == 438.0
    assert (a.grad, x.grad) == (217.0, 651.0)


def test_it_passes_the_check_with_two_inputs() -> None:
    assert gradcheck(lambda x, y: hypotenuse(x * 2, cube(y)).tanh() * x, 0.3, -0.6)


def test_its_closure_is_called_once_and_when_its_gradient_is_complete() -> None:
    x = Value(1.0)
    own = Value(4.0, (x,), "own")
    seen: list[float] = []

    def push() -> None:
        seen.append(own.grad)

    own._backward = push
    y = own * 2.0 + (own * 3.0) * 5.0 - own
    y.backward()
    assert seen == [16.0]
    y.backward()
    assert seen == [16.0, 16.0]


def test_its_gradient_is_reset_at_the_start_of_a_pass() -> None:
    x = Value(2.0)
    y = cube(x)
    y.backward()
    y.backward()
    assert (y.grad, x.grad) == (1.0, 24.0)


def test_a_closure_can_replace_what_an_operation_does() -> None:
    x, y = Value(2.0), Value(3.0)
    p = x * y

    def straight_through() -> None:
        x.grad += p.grad

    p._backward = straight_through
    (p * 10.0).backward()
    assert (x.grad, y.grad) == (10.0, 0.0)


@pytest.mark.parametrize(
    "made",
    [lambda x, y: x * y, lambda x, y: dot([x, 2.0], [y, y]), lambda x, _: cube(x)],
    ids=["two operands", "many operands", "an operation of its own"],
)
def test_a_closure_may_call_what_it_replaces(made: Any) -> None:
    seen: list[float] = []
    slopes = []
    for traced in (False, True):
        x, y = Value(2.0), Value(3.0)
        p = made(x, y)
        before = p._backward

        def trace(p: Value = p, before: Callable[[], None] = before) -> None:
            seen.append(p.grad)
            before()

        if traced:
            p._backward = trace
        (p * 10.0).backward()
        slopes.append((x.grad, y.grad))
    assert slopes[0] == slopes[1] != (0.0, 0.0)
    assert seen == [10.0]


def test_a_leaf_with_a_closure_adds_up_as_leaves_do() -> None:
    x = Value(2.0)
    seen: list[float] = []
    x._backward = lambda: seen.extend([x.grad])
    for _ in range(2):
        (x * 3.0).backward()
    assert (x.grad, seen) == (6.0, [3.0, 6.0])


def test_a_replaced_operation_has_the_gradient_of_one_pass() -> None:
    p = Value(2.0) * 3.0
    seen: list[float] = []
    p._backward = lambda: seen.extend([p.grad])
    for _ in range(2):
        (p * 5.0).backward()
    assert seen == [5.0, 5.0]


def test_without_a_closure_it_passes_nothing_on() -> None:
    x = Value(2.0)
    constant = Value(5.0, (x,), "stop")
    (constant * x).backward()
    assert (constant.grad, x.grad) == (2.0, 5.0)


def test_its_sign_and_its_parents_are_kept() -> None:
    x, y = Value(3.0), Value(4.0)
    out = hypotenuse(x, y)
    assert (out.data, out._op, out._prev) == (5.0, "hypot", (x, y))


def test_its_parents_may_come_from_any_iterable() -> None:
    leaves = [Value(1.0), Value(2.0)]
    assert Value(3.0, leaves, "own")._prev == tuple(leaves)
    assert Value(3.0, (v for v in leaves), "own")._prev == tuple(leaves)
    assert set(Value(3.0, set(leaves), "own")._prev) == set(leaves)


@pytest.mark.parametrize("wrong", [1.0, None, "x", (Value(1.0),)], ids=repr)
def test_a_parent_that_is_no_value_is_refused_and_named(wrong: Any) -> None:
    with pytest.raises(TypeError) as refused:
        Value(3.0, (Value(1.0), wrong), "own")
    assert "parent" in str(refused.value)
    assert repr(wrong) in str(refused.value)


@pytest.mark.parametrize("parents", [Value(2.0), None, 1.0], ids=repr)
def test_parents_that_are_not_listed_are_refused_and_shown(parents: Any) -> None:
    with pytest.raises(TypeError, match="parents must be listed") as refused:
        Value(1.0, parents)
    assert repr(parents) in str(refused.value)


@pytest.mark.parametrize("wrong", [None, 5, [], "push"], ids=repr)
def test_what_cannot_be_called_is_no_closure(wrong: Any) -> None:
    x = Value(2.0)
    y = x * 3.0
    with pytest.raises(TypeError, match="_backward must be callable") as refused:
        y._backward = wrong
    assert str(refused.value).endswith(f"not {wrong!r}")
    y.backward()
    assert x.grad == 3.0


class Pusher:
    """Something that can be called, and is false in a condition."""

    def __init__(self, x: Value) -> None:
        self.x = x

    def __call__(self) -> None:
        self.x.grad += 100.0

    def __len__(self) -> int:
        return 0


def test_anything_that_can_be_called_is_a_closure() -> None:
    x = Value(2.0)
    y = x * 3.0
    y._backward = Pusher(x)
    y.backward()
    assert x.grad == 100.0


def test_its_number_is_held_to_the_same_rule() -> None:
    with pytest.raises(TypeError, match="real number"):
        Value(1j, (Value(1.0),), "own")  # type: ignore[arg-type]
    assert type(Value(3, (Value(1.0),), "own").data) is float
