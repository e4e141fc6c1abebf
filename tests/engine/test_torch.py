"""The same programs in PyTorch, in float64: every gradient, the corners, the steps.

PyTorch is large and optional: `pip install torch==2.13.0` brings these tests to life.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from tanglegrad import MLP, SGD, Adam, Value
from tests.engine.graphs import EVERY, Program, examples, programs

if TYPE_CHECKING:
    from collections.abc import Callable

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is optional and not installed: pip install torch==2.13.0"
)


def doubles(numbers: Any) -> Any:
    return torch.tensor(numbers, dtype=torch.float64)


def tensor(x: float) -> Any:
    return doubles(x).requires_grad_()


@examples(40)
@given(programs(EVERY))
def test_every_number_and_every_gradient_is_that_of_pytorch(program: Program) -> None:
    ours, theirs = program.run(Value), program.run(tensor)
    for t in theirs:
        t.retain_grad()
    ours[-1].backward()
    theirs[-1].backward()
    largest = max(1.0, *(abs(v.grad) for v in ours))
    for i, (v, t) in enumerate(zip(ours, theirs, strict=True)):
        assert v.data == pytest.approx(t.item(), rel=1e-11, abs=1e-12), f"x{i}"
        slope = 0.0 if t.grad is None else t.grad.item()
        assert v.grad == pytest.approx(slope, rel=1e-11, abs=1e-11 * largest), f"x{i}"


AT_CORNERS: dict[str, tuple[Callable[..., Any], list[tuple[float, ...]]]] = {
    "relu": (lambda x: x.relu(), [(0.0,), (-0.0,), (5e-324,), (-5e-324,)]),
    "abs": (abs, [(0.0,), (-0.0,), (5e-324,), (-5e-324,)]),
    "sqrt": (lambda x: x.sqrt(), [(0.0,), (math.inf,)]),
    "exp": (lambda x: x.exp(), [(1000.0,), (-1000.0,), (math.inf,), (-math.inf,)]),
    "tanh": (lambda x: x.tanh(), [(math.inf,), (-math.inf,)]),
    "sigmoid": (lambda x: x.sigmoid(), [(math.inf,), (-math.inf,)]),
    "x ** 0": (lambda x: x**0, [(0.0,), (2.0,), (-2.0,)]),
    "x ** 0.5": (lambda x: x**0.5, [(0.0,)]),
    "x ** 1": (lambda x: x**1, [(0.0,), (-3.0,)]),
    "x ** 2": (lambda x: x**2, [(0.0,), (-3.0,)]),
    "x ** y": (lambda x, y: x**y, [(0.0, 0.5), (0.0, 1.0), (0.0, 2.0), (-2.0, 3.0)]),
    "0 ** y": (lambda y: 0.0**y, [(1.0,), (0.5,)]),
}


@pytest.mark.parametrize("name", AT_CORNERS)
def test_where_a_slope_is_a_decision_it_is_that_of_pytorch(name: str) -> None:
    f, places = AT_CORNERS[name]
    for xs in places:
        ours, theirs = [Value(x) for x in xs], [tensor(x) for x in xs]
        v, t = f(*ours), f(*theirs)
        v.backward()
        t.backward()
        found = [v.data, *(leaf.grad for leaf in ours)]
        right = [t.item(), *(leaf.grad.item() for leaf in theirs)]
        assert found == pytest.approx(right, rel=1e-15, abs=0.0, nan_ok=True), xs


def test_a_second_pass_adds_at_the_leaves_as_in_pytorch() -> None:
    ours, theirs = Value(3.0), tensor(3.0)
    for leaf in (ours, theirs):
        made = leaf * leaf * leaf
        for last in (False, True):
            keep: dict[str, Any] = {} if leaf is ours else {"retain_graph": not last}
            made.backward(**keep)
    assert ours.grad == theirs.grad.item() == 54.0


OPTIMISERS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "SGD": (lambda ps: SGD(ps, 0.05), lambda ps: torch.optim.SGD(ps, lr=0.05)),
    "momentum": (
        lambda ps: SGD(ps, 0.02, momentum=0.8),
        lambda ps: torch.optim.SGD(ps, lr=0.02, momentum=0.8),
    ),
    "Adam": (
        lambda ps: Adam(ps, 0.02, (0.8, 0.99), 1e-7),
        lambda ps: torch.optim.Adam(ps, lr=0.02, betas=(0.8, 0.99), eps=1e-7),
    ),
}


@pytest.mark.parametrize("kind", OPTIMISERS)
def test_training_goes_the_way_that_it_goes_in_pytorch(kind: str) -> None:
    model: Any = MLP(3, [4, 4, 1], rng=random.Random(7))
    network = torch.nn.Sequential()
    for layer in model.layers:
        linear = torch.nn.Linear(len(layer.neurons[0].w), len(layer.neurons))
        linear.weight.data = doubles([[w.data for w in n.w] for n in layer.neurons])
        linear.bias.data = doubles([n.b.data for n in layer.neurons])
        network.extend([linear, torch.nn.Tanh()])
    network = network[:-1]
    ours, theirs = OPTIMISERS[kind]
    optimizer, other = ours(model.parameters()), theirs(network.parameters())
    xs = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
    ys = [1.0, -1.0, -1.0, 1.0]
    for step in range(20):
        loss: Any = sum((model(x) - y) ** 2 for x, y in zip(xs, ys, strict=True))
        outputs = network(doubles(xs)).squeeze(1)
        right = ((outputs - doubles(ys)) ** 2).sum()
        assert loss.data == pytest.approx(right.item(), rel=1e-11), step
        for summed in (loss, right):
            optimizer.zero_grad() if summed is loss else other.zero_grad()
            summed.backward()
        optimizer.step()
        other.step()
