"""Optimisers: they move parameters against their gradients."""

from __future__ import annotations

import math
from collections.abc import Iterable

from .engine import Number, Value


class Optimizer:
    """Holds parameters and a learning rate; step() is up to each kind.

    lr may be changed between steps. A ValueError if there is no
    parameter or lr is below 0, a TypeError for what is no Value.
    """

    def __init__(self, parameters: Iterable[Value], lr: float) -> None:
        self._parameters = _leaves(parameters)
        self.lr = _at_least_zero("lr", lr)

    @property
    def parameters(self) -> tuple[Value, ...]:
        """The parameters that step() moves, in their order."""
        return self._parameters

    def zero_grad(self) -> None:
        """Set the grad of every parameter to 0.0."""
        for p in self.parameters:
            p.grad = 0.0

    def step(self) -> None:
        """Move every parameter once, by the rule of the optimiser."""
        raise NotImplementedError(f"{type(self).__name__} has no step")

    def _move(self, directions: list[float]) -> None:
        """Step against the directions by lr, one for each parameter."""
        lr = _at_least_zero("lr", self.lr)
        wanted, came = len(self.parameters), len(directions)
        if came != wanted:
            whose = f"directions of {type(self).__name__}"
            raise ValueError(f"{whose}: expected {wanted}, not {came}")
        pairs = zip(self.parameters, directions)
        moved = [p.data - lr * direction for p, direction in pairs]
        for p, data in zip(self.parameters, moved):
            p.data = data

    def _gradients(self) -> list[float]:
        """The grad of every parameter; a TypeError if it is no number."""
        for p in self.parameters:
            if not isinstance(p.grad, Number):
                raise TypeError(f"a grad must be a number, not {p.grad!r}")
        return [p.grad for p in self.parameters]


def _leaves(parameters: Iterable[Value]) -> tuple[Value, ...]:
    """The parameters, each once; an error if one is no leaf."""
    if not isinstance(parameters, Iterable):
        raise TypeError(f"parameters must be listed, not {parameters!r}")
    leaves = list(parameters)
    if not leaves:
        raise ValueError("an optimiser needs at least one parameter")
    for p in leaves:
        if not isinstance(p, Value):
            raise TypeError(f"a parameter must be a Value, not {p!r}")
        if p._prev:
            raise ValueError(
                f"a parameter must be a leaf, not made by {p._op!r}; "
                "use Value(p.data)"
            )
    return tuple({id(p): p for p in leaves}.values())


def _at_least_zero(what: str, x: float, below: float = math.inf) -> float:
    """x, if 0 <= x < below; else an error that names it."""
    if not isinstance(x, Number):
        raise TypeError(f"{what} must be a real number, not {x!r}")
    if not 0.0 <= x < below:
        limit = "finite" if below == math.inf else f"below {below:g}"
        raise ValueError(f"{what} must be at least 0 and {limit}, not {x}")
    return float(x)


class SGD(Optimizer):
    """Gradient descent, with momentum if that is above 0.

    velocity = momentum * velocity + grad, then data -= lr * velocity
    (Polyak, 1964, in the form that PyTorch uses). momentum is at least
    0 and below 1, else a ValueError.
    """

    def __init__(
        self,
        parameters: Iterable[Value],
        lr: float,
        momentum: float = 0.0,
    ) -> None:
        super().__init__(parameters, lr)
        self.momentum = _at_least_zero("momentum", momentum, below=1.0)
        self.velocities = [0.0] * len(self.parameters)

    def step(self) -> None:
        """Add grad to each velocity and move against it by lr."""
        pairs = zip(self.velocities, self._gradients())
        velocities = [self.momentum * v + grad for v, grad in pairs]
        self._move(velocities)
        self.velocities = velocities


class Adam(Optimizer):
    """Steps scaled by running means of the gradient and its square.

    betas are the shares of the two means that survive a step, at least
    0 and below 1; eps, above 0, keeps the division from being by 0
    (Kingma and Ba, 2015, algorithm 1). A wrong one is a ValueError.
    """

    def __init__(
        self,
        parameters: Iterable[Value],
        lr: float = 0.001,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
    ) -> None:
        super().__init__(parameters, lr)
        try:
            beta1, beta2 = betas
        except (TypeError, ValueError):
            message = f"betas must be two numbers, not {betas!r}"
            raise ValueError(message) from None
        self.betas = (
            _at_least_zero("the first beta", beta1, below=1.0),
            _at_least_zero("the second beta", beta2, below=1.0),
        )
        self.eps = _at_least_zero("eps", eps)
        if self.eps == 0.0:
            raise ValueError("eps must be above 0, not 0")
        self.steps = 0
        self.means = [0.0] * len(self.parameters)
        self.squares = [0.0] * len(self.parameters)

    def step(self) -> None:
        """Update both means of each parameter and move it."""
        beta1, beta2 = self.betas
        grads = self._gradients()
        pairs = zip(self.means, grads)
        means = [beta1 * m + (1 - beta1) * g for m, g in pairs]
        pairs = zip(self.squares, grads)
        squares = [beta2 * v + (1 - beta2) * (g * g) for v, g in pairs]
        steps = self.steps + 1
        m_scale, v_scale = 1 - beta1**steps, 1 - beta2**steps
        self._move(
            [
                m / m_scale / (math.sqrt(v / v_scale) + self.eps)
                for m, v in zip(means, squares)
            ]
        )
        self.steps, self.means, self.squares = steps, means, squares
