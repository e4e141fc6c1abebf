"""The Value that tanglegrad exports: it stores local derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import wraps
from numbers import Real
from typing import Any

Number = float | Real


def _binary(
    operation: Callable[[Value, Value], Value],
) -> Callable[[Value, Value | Number], Value]:
    """Let an operation on two Values take a number as its second."""

    @wraps(operation)
    def method(self: Value, other: Value | Number) -> Any:
        if isinstance(other, Value):
            return operation(self, other)
        if isinstance(other, Number):
            return operation(self, Value(other))
        return NotImplemented

    return method


class Value:
    """A real number that knows what it was made from, and how.

    data is the number, a float. grad is the slope of the value on which
    backward() was called with respect to this one. label is a name to
    print. Equality is identity, and a Value can be hashed.
    """

    __slots__ = (
        "_closure",
        "_op",
        "_prev",
        "_slopes",
        "data",
        "grad",
        "label",
    )

    def __init__(
        self,
        data: Number,
        _prev: Iterable[Value] = (),
        _op: str = "",
        label: str = "",
    ) -> None:
        self.data = _real(data)
        self.grad = 0.0
        self.label = label
        self._op = _op
        self._prev = _parents(_prev)
        self._slopes: tuple[float, ...] = ()
        self._closure: Callable[[], None] | None = None

    def __repr__(self) -> str:
        return f"Value(data={self.data}, grad={self.grad})"

    def _push(self) -> None:
        """Add to each parent's grad its slope times this grad."""
        for parent, slope in zip(self._prev, self._slopes):
            parent.grad += slope * self.grad

    @property
    def _backward(self) -> Callable[[], None]:
        """What passes the gradient on; assign a closure to replace it."""
        return self._push if self._closure is None else self._closure

    @_backward.setter
    def _backward(self, closure: Callable[[], None]) -> None:
        if not callable(closure):
            raise TypeError(f"_backward must be callable, not {closure!r}")
        self._closure = closure

    def backward(self) -> None:
        """Add to the grad of every leaf behind this value its slope.

        Values in between hold the slopes of this pass alone. Any depth.
        After an error every grad is what it was.
        """
        order = _topological_order(self)
        before = [node.grad for node in order]
        try:
            for node in order:
                if node._prev:
                    node.grad = 0.0
            self.grad += 1.0
            for node in reversed(order):
                node._backward()
        except BaseException:
            for node, grad in zip(order, before):
                node.grad = grad
            raise

    @_binary
    def __add__(self, other: Value) -> Value:
        x, y = self.data, other.data
        return _made(x + y, "+", (self, other), (1.0, 1.0))

    @_binary
    def __sub__(self, other: Value) -> Value:
        x, y = self.data, other.data
        return _made(x - y, "-", (self, other), (1.0, -1.0))

    @_binary
    def __mul__(self, other: Value) -> Value:
        x, y = self.data, other.data
        return _made(x * y, "*", (self, other), (y, x))

    def __neg__(self) -> Value:
        return _made(-self.data, "neg", (self,), (-1.0,))

    @_binary
    def __truediv__(self, other: Value) -> Value:
        x, y = self.data, other.data
        if y == 0.0:
            raise ZeroDivisionError(f"division of {x} by {y}")
        q = x / y
        return _made(q, "/", (self, other), (1.0 / y, -q / y))

    @_binary
    def __radd__(self, other: Value) -> Value:
        return other + self

    @_binary
    def __rsub__(self, other: Value) -> Value:
        return other - self

    @_binary
    def __rmul__(self, other: Value) -> Value:
        return other * self

    @_binary
    def __rtruediv__(self, other: Value) -> Value:
        return other / self

    def __pow__(self, other: Value | Number) -> Value:
        x = self.data
        if isinstance(other, Value):
            k = other.data
            y = _power(x, k)
            slopes = _slope_along_base(x, k), _slope_along_exponent(x, k)
            return _made(y, "**", (self, other), slopes)
        if isinstance(other, Number):
            k = _real(other)
            y, slope = _power(x, k), _slope_along_base(x, k)
            return _made(y, f"**{other}", (self,), (slope,))
        return NotImplemented

    @_binary
    def __rpow__(self, other: Value) -> Value:
        return other**self

    def tanh(self) -> Value:
        """The hyperbolic tangent."""
        u = math.exp(-2.0 * abs(self.data))
        slope = 4.0 * u / (1.0 + u) ** 2
        return _made(math.tanh(self.data), "tanh", (self,), (slope,))

    def sigmoid(self) -> Value:
        """The logistic function, 1 / (1 + exp(-x))."""
        u = math.exp(-abs(self.data))
        s = (1.0 if self.data >= 0.0 else u) / (1.0 + u)
        slope = u / (1.0 + u) ** 2
        return _made(s, "sigmoid", (self,), (slope,))

    def exp(self) -> Value:
        """e to this power; infinite where that is too large for a float."""
        try:
            y = math.exp(self.data)
        except OverflowError:
            y = math.inf
        return _made(y, "exp", (self,), (y,))

    def log(self) -> Value:
        """The natural logarithm. ValueError at 0 and below."""
        x = self.data
        if x <= 0.0:
            raise ValueError(f"log of {x}: only numbers above 0 have one")
        return _made(math.log(x), "log", (self,), (1.0 / x,))

    def sqrt(self) -> Value:
        """The square root, of infinite slope at 0. ValueError below 0."""
        x = self.data
        if x < 0.0:
            raise ValueError(f"sqrt of {x}: not a real number")
        y = math.sqrt(x)
        slope = 0.5 / y if y else math.inf
        return _made(y, "sqrt", (self,), (slope,))

    def sin(self) -> Value:
        """The sine of an angle in radians. ValueError at infinity."""
        s, c = _sine_and_cosine("sin", self.data)
        return _made(s, "sin", (self,), (c,))

    def cos(self) -> Value:
        """The cosine of an angle in radians. ValueError at infinity."""
        s, c = _sine_and_cosine("cos", self.data)
        return _made(c, "cos", (self,), (-s,))

    def relu(self) -> Value:
        """What is above 0, else 0; the slope at 0 is 0."""
        if self.data <= 0.0:
            return _made(0.0, "relu", (self,), (0.0,))
        return _made(self.data, "relu", (self,), (1.0,))

    def abs(self) -> Value:
        """The distance from 0; the slope at 0 is 0."""
        x = self.data
        slope = math.copysign(1.0, x) if x else 0.0
        return _made(math.fabs(x), "abs", (self,), (slope,))

    def __abs__(self) -> Value:
        return self.abs()

    def __reduce__(self) -> tuple[object, ...]:
        if self._prev or self._closure is not None:
            raise TypeError(
                f"a Value made by {self._op!r} belongs to its graph and "
                "cannot be copied or pickled; copy its leaves, or make "
                "a new leaf with Value(v.data)"
            )
        about = type(self), self.data, self.grad, self._op, self.label
        return _copied, about, getattr(self, "__dict__", None)


def _real(x: object) -> float:
    """x as a float; an error that names it if it is no real number."""
    kind = type(x).__name__
    if not isinstance(x, Number):
        raise TypeError(f"a Value holds a real number, not {x!r} ({kind})")
    try:
        return float(x)
    except OverflowError:
        message = f"this {kind} is too large for a Value"
        raise OverflowError(message) from None


def _parents(values: Iterable[Value]) -> tuple[Value, ...]:
    """values as a tuple; a TypeError if one of them is no Value."""
    if not isinstance(values, Iterable):
        raise TypeError(f"parents must be listed: ({values!r},)")
    parents = tuple(values)
    for parent in parents:
        if not isinstance(parent, Value):
            raise TypeError(f"a parent must be a Value, not {parent!r}")
    return parents


def _made(
    data: float,
    op: str,
    parents: tuple[Value, ...],
    slopes: tuple[float, ...],
) -> Value:
    """A Value made by op from parents, with its local derivatives."""
    out = Value.__new__(Value)
    out.data = data
    out.grad = 0.0
    out.label = ""
    out._op = op
    out._prev = parents
    out._slopes = slopes
    out._closure = None
    return out


def _topological_order(root: Value) -> list[Value]:
    """The values behind root and root itself, parents first."""
    order: list[Value] = []
    seen = {id(root)}
    path = [(root, iter(root._prev))]
    while path:
        node, parents = path[-1]
        for parent in parents:
            if id(parent) not in seen:
                seen.add(id(parent))
                path.append((parent, iter(parent._prev)))
                break
        else:
            order.append(node)
            path.pop()
    return order


def _power(x: float, k: float) -> float:
    """x**k among the reals; too large is infinite."""
    if x == 0.0 and k < 0.0:
        raise ZeroDivisionError(f"({x}) ** {k}: zero to a negative power")
    if x < 0.0 and math.isfinite(k) and not k.is_integer():
        raise ValueError(f"({x}) ** {k}: not a real number")
    try:
        return math.pow(x, k)
    except OverflowError:
        return -math.inf if x < 0.0 and k % 2.0 == 1.0 else math.inf


def _slope_along_base(x: float, k: float) -> float:
    """The derivative of x**k by x: k * x**(k - 1), at 0 its limit."""
    if k == 0.0:
        return 0.0
    if x == 0.0 and k < 1.0:
        return math.inf
    if abs(k) > 2.0**53 and x and math.isfinite(x):
        return k * (_power(x, k) / x)
    return k * _power(x, k - 1.0)


def _slope_along_exponent(x: float, k: float) -> float:
    """The derivative of x**k by k: x**k * ln x, nan for x below 0."""
    if x < 0.0:
        return math.nan
    if x == 0.0:
        return 0.0
    return _power(x, k) * math.log(x)


def _sine_and_cosine(name: str, x: float) -> tuple[float, float]:
    if math.isinf(x):
        raise ValueError(f"{name} of {x}: it has no limit there")
    return math.sin(x), math.cos(x)


def _copied(
    cls: type[Value], data: float, grad: float, op: str, label: str
) -> Value:
    """A leaf like the one that __reduce__ described."""
    leaf = cls.__new__(cls)
    Value.__init__(leaf, data, (), op, label)
    leaf.grad = grad
    return leaf
