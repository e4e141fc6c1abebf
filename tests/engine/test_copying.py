"""Leaves are copied whole; a graph says why it is not."""

from __future__ import annotations

import copy
import math
import pickle
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import Value

if TYPE_CHECKING:
    from collections.abc import Callable


def pickled(protocol: int) -> Callable[[Any], Any]:
    return lambda thing: pickle.loads(pickle.dumps(thing, protocol))


COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{f"pickle {p}": pickled(p) for p in range(pickle.HIGHEST_PROTOCOL + 1)},
}
each_way = pytest.mark.parametrize("way", COPIES)


@each_way
def test_a_leaf_is_copied_with_all_that_it_holds(way: str) -> None:
    leaf = Value(0.1, label="w")
    leaf.grad = -2.5
    twin = COPIES[way](leaf)
    assert type(twin) is Value
    assert (twin.data, twin.grad, twin.label) == (0.1, -2.5, "w")
    assert (twin._prev, twin._op) == ((), "")
    assert twin is not leaf
    assert twin != leaf


@each_way
def test_a_copy_goes_its_own_way(way: str) -> None:
    leaf = Value(3.0)
    twin = COPIES[way](leaf)
    (twin * twin * 2).backward()
    twin.data = 7.0
    assert twin.grad == 12.0
    assert (leaf.data, leaf.grad) == (3.0, 0.0)


@each_way
@pytest.mark.parametrize("x", [math.inf, -math.inf, 5e-324, 0.1 + 0.2, -0.0])
def test_a_copy_has_the_same_bits(way: str, x: float) -> None:
    leaf = Value(x)
    leaf.grad = -x
    twin = COPIES[way](leaf)
    assert (twin.data.hex(), twin.grad.hex()) == (x.hex(), (-x).hex())


@each_way
def test_nan_is_copied(way: str) -> None:
    assert math.isnan(COPIES[way](Value(math.nan)).data)


class Parameter(Value):
    """A leaf with a unit, made in a way of its own."""

    def __init__(self, data: float, unit: str) -> None:
        super().__init__(data, label="parameter")
        self.unit = unit


@each_way
def test_a_leaf_of_a_derived_class_is_copied_with_its_attributes(way: str) -> None:
    leaf = Parameter(2.5, "metres")
    leaf.grad = 4.0
    twin = COPIES[way](leaf)
    assert type(twin) is Parameter
    assert (twin.data, twin.grad, twin.label) == (2.5, 4.0, "parameter")
    assert twin.unit == "metres"


@pytest.mark.parametrize("way", [way for way in COPIES if way != "copy"])
def test_a_leaf_that_is_listed_twice_is_still_one(way: str) -> None:
    v, w = Value(1.0), Value(1.0)
    first, second, third = COPIES[way]([v, w, v])
    assert first is third
    assert first is not second


def test_a_leaf_whose_graph_is_alive_can_be_copied() -> None:
    x = Value(3.0)
    y = x * x
    twin = copy.deepcopy(x)
    y.backward()
    assert (x.grad, twin.grad) == (6.0, 0.0)


@each_way
def test_a_value_in_a_graph_is_not_copied_and_says_why(way: str) -> None:
    closed = Value(1.0, (), "closed")
    closed._backward = lambda: None
    for made, op in (
        (closed, "closed"),
        (Value(1.0) * 2.0, "*"),
        (Value(1.0).tanh(), "tanh"),
        (Value(2.0, (Value(1.0),), "own"), "own"),
    ):
        with pytest.raises(TypeError) as refused:
            COPIES[way](made)
        message = str(refused.value)
        assert repr(op) in message
        assert "graph" in message
        assert "leaves" in message


@pytest.mark.parametrize("way", [way for way in COPIES if way != "copy"])
def test_nor_is_anything_that_holds_one(way: str) -> None:
    with pytest.raises(TypeError, match="graph"):
        COPIES[way]({"loss": [Value(1.0), Value(1.0) + 1]})


def test_the_way_round_that_the_error_names_works() -> None:
    y = Value(1.5) * 2
    leaf = copy.deepcopy(Value(y.data))
    assert leaf.data == 3.0
