"""Leaves and graphs are copied whole; an operation of your own says why not."""

from __future__ import annotations

import copy
import math
import pickle
import random
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import MLP, SGD, Adam, Value, dot, total

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


class Slotted(Value):
    """A leaf with fields of its own, but without a dictionary."""

    __slots__ = ("__hidden", "unit")

    def __init__(self, data: float, unit: str) -> None:
        super().__init__(data)
        self.unit, self.__hidden = unit, [unit]

    def hidden(self) -> list[str]:
        return self.__hidden


@each_way
def test_a_leaf_of_a_class_with_slots_is_copied_with_them(way: str) -> None:
    leaf = Slotted(2.5, "metres")
    leaf.grad = 4.0
    twin = COPIES[way](leaf)
    assert type(twin) is Slotted
    assert (twin.data, twin.grad, twin.unit) == (2.5, 4.0, "metres")
    assert twin.hidden() == ["metres"]
    twin.backward()
    assert (twin.grad, leaf.grad) == (5.0, 4.0)


def build(x: Value, y: Value) -> Value:
    """A graph of every form of node, with sharing."""
    shared = x * y + 2
    many = dot([shared, x, 3.0], [y, 0.5, x], 1 - y) + total([shared, 2, y])
    return (many * shared.tanh() - 4 / y) ** 2 / (2**x) + many.relu() - shared


@each_way
def test_a_graph_is_copied_with_all_that_it_holds(way: str) -> None:
    x, y = Value(0.5, label="x"), Value(-2.0, label="y")
    root = build(x, y)
    root.label = "root"
    root.backward()
    first = (x.grad, y.grad)
    twin = COPIES[way](root)
    for node, other in zip(walked(root), walked(twin), strict=True):
        assert (node.data, node.grad) == (other.data, other.grad)
        assert (node.label, node._op) == (other.label, other._op)
        assert node._slopes == other._slopes
        assert len(node._operands) == len(other._operands)
        assert node is not other or not node._prev
    leaves = {v.label: v for v in walked(twin) if v.label in ("x", "y")}
    for leaf in (*leaves.values(), x, y):
        leaf.grad = 0.0
    twin.backward()
    assert (leaves["x"].grad, leaves["y"].grad) == first
    assert (x.grad, y.grad) == (first if way == "copy" else (0.0, 0.0))


def walked(root: Value) -> list[Value]:
    """The values behind a root, each once, in the order of a walk."""
    seen, waiting = {root: None}, [root]
    while waiting:
        for parent in waiting.pop()._prev:
            if parent not in seen:
                seen[parent] = None
                waiting.append(parent)
    return list(seen)


@pytest.mark.parametrize("way", [way for way in COPIES if way != "copy"])
def test_a_leaf_beside_its_graph_is_still_the_leaf_of_it(way: str) -> None:
    x = Value(3.0)
    copied = COPIES[way]({"root": x * x, "leaf": x})
    copied["root"].backward()
    assert (copied["leaf"].grad, x.grad) == (6.0, 0.0)


@pytest.mark.parametrize("way", ["copy", "deepcopy", "pickle 5"])
def test_a_graph_may_be_deep(way: str) -> None:
    x = y = Value(1.0)
    for _ in range(100_000):
        y = y + 1
    twin = COPIES[way](y)
    assert twin.data == 100_001.0
    twin.backward()
    assert x.grad == (1.0 if way == "copy" else 0.0)


@each_way
def test_an_operation_of_ones_own_is_not_copied_and_says_why(way: str) -> None:
    closed = Value(1.0, (), "closed")
    closed._backward = lambda: None
    own = Value(2.0, (Value(1.0),), "own")
    own._backward = lambda: None
    derived = Parameter(1.0, "m")
    derived._many = ([closed], [closed], [], None)
    for made, shown in (
        (closed, repr(closed)),
        (own, "own"),
        (own * 2, "own"),
        (derived, "own"),
        (closed * 2, repr(closed)),
    )[: 4 if way == "copy" else 5]:
        with pytest.raises(TypeError, match="cannot be copied") as refused:
            COPIES[way](made)
        assert shown in str(refused.value)


@each_way
def test_models_and_optimisers_are_copied_with_their_parameters(way: str) -> None:
    model = MLP(2, [2, 1], rng=random.Random(1))
    optimizers = [SGD(model.parameters(), 0.1, 0.9), Adam(model.parameters(), 0.1)]
    (model([1.0, 2.0]) ** 2).backward()
    for optimizer in optimizers:
        optimizer.step()
    if way == "copy":
        assert copy.copy(model).parameters() == model.parameters()
        assert copy.copy(optimizers[0]).parameters == optimizers[0].parameters
        return
    twin, twins = COPIES[way]((model, optimizers))
    for optimizer, other in zip(optimizers, twins, strict=True):
        assert list(other.parameters) == twin.parameters()
        optimizer.step()
        other.step()
    assert twin.state_dict() == model.state_dict()
    assert twin.parameters() != model.parameters()
