"""A scalar autograd engine in about ninety lines, to be read whole.

The design is that of micrograd (Andrej Karpathy, 2020): every
operation leaves a closure that passes its gradient to its operands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable


class Value:
    """A number that knows which numbers it was made from, and how.

    data is the number; grad is the slope, with respect to this number,
    of the value on which backward() was called; label is a name to
    print. A value made by an operation keeps its operands in _prev and
    the operation's sign in _op.
    """

    def __init__(
        self,
        data: float,
        _prev: Iterable[Value] = (),
        _op: str = "",
        label: str = "",
    ) -> None:
        self.data = data
        self.grad = 0.0
        self.label = label
        self._prev = set(_prev)
        self._op = _op
        self._backward: Callable[[], None] = lambda: None

    def __repr__(self) -> str:
        return f"Value(data={self.data}, grad={self.grad})"

    def __add__(self, other: Value | float) -> Value:
        other = as_value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def push() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out._backward = push
        return out

    def __mul__(self, other: Value | float) -> Value:
        other = as_value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def push() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = push
        return out

    def __pow__(self, k: float) -> Value:
        out = Value(self.data**k, (self,), f"**{k}")

        def push() -> None:
            slope = k * self.data ** (k - 1)
            self.grad += slope * out.grad

        out._backward = push
        return out

    def tanh(self) -> Value:
        """The hyperbolic tangent; its slope is 1 - tanh²."""
        out = Value(math.tanh(self.data), (self,), "tanh")

        def push() -> None:
            slope = 1 - out.data**2
            self.grad += slope * out.grad

        out._backward = push
        return out

    def exp(self) -> Value:
        """e to this power; its slope is itself."""
        out = Value(math.exp(self.data), (self,), "exp")

        def push() -> None:
            self.grad += out.data * out.grad

        out._backward = push
        return out

    def relu(self) -> Value:
        """What is above 0, else 0; its slope is 1 above 0, else 0."""
        out = Value(max(0.0, self.data), (self,), "relu")

        def push() -> None:
            slope = 1.0 if out.data > 0 else 0.0
            self.grad += slope * out.grad

        out._backward = push
        return out

    def __neg__(self) -> Value:
        return self * -1

    def __sub__(self, other: Value | float) -> Value:
        return self + -other

    def __truediv__(self, other: Value | float) -> Value:
        return self * as_value(other) ** -1

    def __radd__(self, other: float) -> Value:
        return self + other

    def __rmul__(self, other: float) -> Value:
        return self * other

    def __rsub__(self, other: float) -> Value:
        return as_value(other) - self

    def __rtruediv__(self, other: float) -> Value:
        return as_value(other) / self

    def backward(self) -> None:
        """Add the slope of this value to the grad of each value behind it.

        Gradients add up over passes: set them to 0.0 to start afresh.
        The recursion is at most as deep as the longest path back.
        """
        order: list[Value] = []
        seen: set[Value] = set()

        def visit(node: Value) -> None:
            if node not in seen:
                seen.add(node)
                for parent in node._prev:
                    visit(parent)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()


def as_value(x: Value | float) -> Value:
    """x itself if it is a Value, else a new leaf that holds it."""
    return x if isinstance(x, Value) else Value(x)
