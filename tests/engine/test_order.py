"""The operands of a value keep their order, and so does everything made of them."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import Value

if TYPE_CHECKING:
    from collections.abc import Callable

BINARY: list[Callable[[Any, Any], Any]] = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.pow,
]
UNARY = ["tanh", "exp", "relu", "log", "sqrt", "sigmoid", "sin", "cos", "abs"]


@pytest.mark.parametrize("operate", BINARY)
def test_the_walk_back_comes_to_the_right_operand_first(operate: Any) -> None:
    log: list[str] = []
    left, right = logged(log, "left", Value(1.0)), logged(log, "right", Value(1.0))
    left.data = right.data = 1.0
    operate(left, right).backward()
    assert log == ["right", "left"]


@pytest.mark.parametrize("operate", BINARY)
def test_the_parents_are_the_operands_from_left_to_right(operate: Any) -> None:
    for _ in range(50):  # a set would get some of them right
        x, y = Value(2.0), Value(3.0)
        for left, right in ((x, y), (y, x), (x, x)):
            made = operate(left, right)
            assert type(made._prev) is tuple
            assert len(made._prev) == 2
            assert made._prev[0] is left
            assert made._prev[1] is right


@pytest.mark.parametrize("operate", BINARY)
def test_a_number_stays_a_number_and_is_no_parent(operate: Any) -> None:
    x = Value(2.0)
    assert operate(x, 5)._prev == operate(5, x)._prev == (x,)
    assert operate(x, 5)._operands == (x, 5.0)
    assert {type(v) for v in operate(5, x)._operands} == {Value, float}


def test_a_number_stands_in_its_place_where_that_matters() -> None:
    x = Value(2.0)
    for made in (5 - x, 5 / x, 5**x):
        assert made._operands == (5.0, x)
    for made in (5 + x, 5 * x):
        assert made._operands == (x, 5.0)


def test_a_slope_stands_beside_each_parent() -> None:
    x, y = Value(3.0), Value(4.0)
    assert (x * y)._slopes == (4.0, 3.0)
    assert (x - y)._slopes == (1.0, -1.0)
    assert (x * 5)._slopes == (5.0,)
    assert (6 - x)._slopes == (-1.0,)
    assert x._slopes == ()


@pytest.mark.parametrize("name", UNARY)
def test_a_function_of_one_number_has_one_parent(name: str) -> None:
    x = Value(0.5)
    assert getattr(x, name)()._prev == (x,)
    assert (-x)._prev == (x,)


def test_parents_given_by_hand_keep_their_order() -> None:
    parents = [Value(float(i)) for i in range(100)]
    assert Value(0.0, parents, "mix")._prev == tuple(parents)
    assert Value(0.0, iter(parents), "mix")._prev == tuple(parents)


def logged(log: list[str], name: str, *parents: Value) -> Value:
    """A value that writes its name when the pass reaches it."""
    out = Value(0.0, parents, name)
    out._backward = lambda: log.append(name)
    return out


def test_the_walk_back_visits_a_value_once_and_after_all_made_from_it() -> None:
    log: list[str] = []
    a, b = logged(log, "a", Value(1.0)), logged(log, "b", Value(1.0))
    c = logged(log, "c", a, b)
    d = logged(log, "d", c, a, a)
    e = logged(log, "e", b, d, c)
    f = logged(log, "f", e, a, d, b)
    f.backward()
    made_from = {"f": "eadb", "e": "bdc", "d": "ca", "c": "ab"}
    assert sorted(log) == ["a", "b", "c", "d", "e", "f"]
    for name, parents in made_from.items():
        assert all(log.index(name) < log.index(parent) for parent in parents)


def test_the_walk_back_follows_the_order_of_the_parents_at_every_depth() -> None:
    for _ in range(20):
        log: list[str] = []
        near = [logged(log, name, Value(1.0)) for name in "abcdefgh"]
        middle = [logged(log, "p", *near[:4]), logged(log, "q", *near[4:])]
        logged(log, "root", *middle).backward()
        assert log == ["root", *"qhgfe", *"pdcba"]
