"""Optimisers: they move parameters along their gradients."""

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
        given = list(parameters)
        if not given:
            raise ValueError("an optimiser needs at least one parameter")
        for p in given:
            if not isinstance(p, Value):
                raise TypeError(f"a parameter must be a Value, not {p!r}")
        self.parameters = list(dict.fromkeys(given))
        self.lr = _at_least_zero("lr", lr)

    def zero_grad(self) -> None:
        """Set the grad of every parameter to 0.0."""
        for p in self.parameters:
            p.grad = 0.0

    def step(self) -> None:
        """Move every parameter once, by the rule of the optimiser."""
        raise NotImplementedError


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
        for i, p in enumerate(self.parameters):
            v = self.momentum * self.velocities[i] + p.grad
            self.velocities[i] = v
            p.data -= self.lr * v


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
        beta1, beta2 = betas
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
        self.steps += 1
        for i, p in enumerate(self.parameters):
            m = beta1 * self.means[i] + (1 - beta1) * p.grad
            v = beta2 * self.squares[i] + (1 - beta2) * (p.grad * p.grad)
            self.means[i], self.squares[i] = m, v
            m_hat = m / (1 - beta1**self.steps)
            v_hat = v / (1 - beta2**self.steps)
            p.data -= self.lr * m_hat / (math.sqrt(v_hat) + self.eps)
