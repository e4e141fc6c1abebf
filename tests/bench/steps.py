"""The two steps that are timed, for every engine that can take them.

A step goes forward and backward once, from gradients of zero. It returns the loss,
and a function that lists the gradients, so that they can be compared.
"""

from __future__ import annotations

import importlib
import math
import random
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from tanglegrad import MLP, Value, record

if TYPE_CHECKING:
    from collections.abc import Callable

Result = tuple[float, "Callable[[], list[float]]"]
Row = list[float]


def _small() -> list[Row]:
    return [
        [2.0, 3.0, -1.0, 1.0],
        [3.0, -1.0, 0.5, -1.0],
        [0.5, 1.0, 1.0, -1.0],
        [1.0, 1.0, -1.0, 1.0],
    ]


def _moons() -> list[Row]:
    """A hundred points on two half circles, with noise, and the side of each."""
    rng, rows = random.Random(5), []
    for i in range(100):
        side, angle = i % 2, math.pi * rng.random()
        x = math.cos(angle) + side + rng.gauss(0.0, 0.1)
        y = (1 - 2 * side) * math.sin(angle) + 0.5 * side + rng.gauss(0.0, 0.1)
        rows.append([x, y, 2.0 * side - 1.0])
    return rows


@dataclass(frozen=True)
class Task:
    """A network, its examples, and its loss: squares, or hinges and a penalty."""

    sizes: list[int]
    rows: list[Row]
    hinge: bool

    @property
    def weights(self) -> list[float]:
        """A number for each weight and bias, neuron by neuron."""
        rng = random.Random(1)
        counts = [m * (n + 1) for n, m in pairwise(self.sizes)]
        return [rng.uniform(-1.0, 1.0) for _ in range(sum(counts))]

    def loss_of_row(self, output: Any, wanted: Any) -> Any:
        if self.hinge:
            return (1.0 - wanted * output).relu()
        return (output - wanted) ** 2

    def loss(self, losses: Any, parameters: Any) -> Any:
        if self.hinge:
            return losses * (1.0 / len(self.rows)) + penalty(parameters)
        return losses


def penalty(parameters: Any) -> Any:
    return 1e-4 * sum(p * p for p in parameters)


TASKS = {
    "small": Task([3, 4, 4, 1], _small(), hinge=False),
    "moons": Task([2, 16, 16, 1], _moons(), hinge=True),
}


def scalar(
    task: Task, value: Callable[[float], Any], zero: float | None = 0.0
) -> Callable[[], Result]:
    """The step with a class of scalars that has + and * and relu().

    zero is what it calls a gradient to which nothing has been added.
    """
    parameters = [value(w) for w in task.weights]

    def output(x: list[Any]) -> Any:
        left = iter(parameters)
        for nin, nout in pairwise(task.sizes):
            sums = []
            for _ in range(nout):
                ws = [next(left) for _ in range(nin)]
                products = (w * v for w, v in zip(ws, x, strict=True))
                sums.append(sum(products, next(left)))
            x = sums if nout == task.sizes[-1] else [s.relu() for s in sums]
        return x[0]

    def step() -> Result:
        for p in parameters:
            p.grad = zero
        losses = sum(task.loss_of_row(output(x), y) for *x, y in task.rows)
        loss = task.loss(losses, parameters)
        loss.backward()
        return loss.data, lambda: [p.grad for p in parameters]

    return step


def model(task: Task) -> MLP:
    """The network of a task, by tanglegrad."""
    return MLP(task.sizes[0], task.sizes[1:], "relu")


def network(task: Task, model: Any) -> Callable[[], Result]:
    """The step as a program with micrograd or tanglegrad writes it."""
    parameters = _set(model, task)

    def step() -> Result:
        model.zero_grad()
        losses = sum(task.loss_of_row(model(x), y) for *x, y in task.rows)
        loss = task.loss(losses, parameters)
        loss.backward()
        return loss.data, lambda: [p.grad for p in parameters]

    return step


def _set(model: Any, task: Task) -> list[Any]:
    """The parameters of a network, with the weights of the task in them."""
    parameters: list[Any] = model.parameters()
    for p, weight in zip(parameters, task.weights, strict=True):
        p.data = weight
    return parameters


def example(task: Task) -> tuple[Value, list[Value], list[Value]]:
    """The loss of the first row, the values of the row, and the parameters."""
    network = model(task)
    parameters = _set(network, task)
    inputs = [Value(x) for x in task.rows[0]]
    loss = task.loss_of_row(network(inputs[:-1]), inputs[-1])
    if task.hinge:
        loss = (loss + penalty(parameters)) / len(task.rows)
    return loss, inputs, parameters


def replay(task: Task, target: str) -> Callable[[], Result]:
    """The step as a program that was recorded."""
    loss, inputs, parameters = example(task)
    program = record(loss, inputs, target)

    def step() -> Result:
        for p in parameters:
            p.grad = 0.0
        return program.rows(task.rows), lambda: [p.grad for p in parameters]

    return step


def layers_of(task: Task) -> list[list[Row]]:
    """The weights as a table for each layer: a row for each neuron, its bias last."""
    left = iter(task.weights)
    return [
        [[*(next(left) for _ in range(nin + 1))] for _ in range(nout)]
        for nin, nout in pairwise(task.sizes)
    ]


def columns_of(task: Task) -> tuple[list[Row], Row]:
    """The inputs, a row for each, and the outputs that are wanted."""
    *xs, ys = (list(column) for column in zip(*task.rows, strict=True))
    return xs, ys


def loss_of_arrays(task: Task, layers: Any, xs: Any, ys: Any, relu: Any) -> Any:
    """The loss as a program with arrays writes it."""
    for i, layer in enumerate(layers):
        sums = layer[:, :-1] @ xs + layer[:, -1:]
        xs = sums if i == len(layers) - 1 else relu(sums)
    if task.hinge:
        squares = sum((layer * layer).sum() for layer in layers)
        return relu(1.0 - ys * xs[0]).mean() + 1e-4 * squares
    return ((xs[0] - ys) ** 2).sum()


def by_hand(task: Task) -> Callable[[], Result]:
    """The step as someone writes it who knows NumPy and calculus."""
    np: Any = importlib.import_module("numpy")
    xs, ys = map(np.array, columns_of(task))
    layers = [np.array(layer) for layer in layers_of(task)]

    def step() -> Result:
        seen = [xs]
        for i, layer in enumerate(layers):
            sums = layer[:, :-1] @ seen[-1] + layer[:, -1:]
            seen.append(sums if i == len(layers) - 1 else np.maximum(sums, 0.0))
        output = seen[-1][0]
        if task.hinge:
            margins = np.maximum(1.0 - ys * output, 0.0)
            loss = margins.mean() + 1e-4 * sum((w * w).sum() for w in layers)
            d = np.where(margins > 0.0, -ys, 0.0)[None] / len(ys)
        else:
            loss = ((output - ys) ** 2).sum()
            d = 2.0 * (output - ys)[None]
        grads = []
        for i in reversed(range(len(layers))):
            grad = np.hstack([d @ seen[i].T, d.sum(axis=1, keepdims=True)])
            grads.append(grad + 2e-4 * layers[i] if task.hinge else grad)
            if i:
                d = (layers[i][:, :-1].T @ d) * (seen[i] > 0.0)
        return float(loss), lambda: [*chain(*(g.flat for g in reversed(grads)))]

    return step
