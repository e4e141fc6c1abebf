"""The Value that tanglegrad exports: it stores local derivatives."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from numbers import Real
from typing import Any

Number = float | int | Real
_Closure = Callable[[], None] | None
_Many = tuple[Sequence[Any], Sequence[Any], Sequence[float], _Closure]


def _comparison(
    compare: Callable[[Any, Any], bool],
) -> Callable[[Value, Value | Number], bool]:
    """The method that compares the number of a Value with another."""

    def method(self: Value, other: Value | Number) -> Any:
        if isinstance(other, Value):
            return compare(self.data, other.data)
        if isinstance(other, Number):
            return bool(compare(self.data, other))
        return NotImplemented

    return method


class Value:
    """A real number that knows what it was made from, and how.

    data is the number, a float. grad is the slope of the value on which
    backward() was called with respect to this one. label is a name to
    print. Equality is identity, and a Value can be hashed.
    """

    __slots__ = (
        "_dx",
        "_dy",
        "_many",
        "_mark",
        "_op",
        "_x",
        "_y",
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
        parents = _parents(_prev)
        self._op = _op
        self._x: Any = None
        self._y: Any = None
        self._dx: float | None = None
        self._dy: float | None = None
        self._many: _Many | None = None
        if parents:
            self._many = parents, parents, (), None
        self._mark: object = None

    @property
    def _operands(self) -> tuple[Value | float, ...]:
        """The Values and plain numbers that this was made from."""
        if self._many is not None:
            operands = self._many[0]
            return tuple(
                v if isinstance(v, Value) else float(v) for v in operands
            )
        if self._y is None:
            return () if self._x is None else (self._x,)
        return self._x, self._y

    @property
    def _prev(self) -> tuple[Value, ...]:
        """The Values among the operands, in their order."""
        if self._many is not None:
            return tuple(self._many[1])
        return tuple(v for v in (self._x, self._y) if isinstance(v, Value))

    @property
    def _slopes(self) -> tuple[float, ...]:
        """The local derivative along each of _prev."""
        if self._many is not None:
            return tuple(self._many[2])
        return tuple(s for s in (self._dx, self._dy) if s is not None)

    def __repr__(self) -> str:
        return f"Value(data={self.data}, grad={self.grad})"

    def _repr_svg_(self) -> str:
        """The picture of the graph behind this value, for a notebook."""
        from .draw import draw  # noqa: PLC0415

        return draw(self).svg

    @property
    def _closure(self) -> _Closure:
        return None if self._many is None else self._many[3]

    @property
    def _backward(self) -> Callable[[], None]:
        """What passes the gradient on; assign a closure to replace it."""
        if self._closure is not None:
            return self._closure
        return partial(_share, self, self._prev, self._slopes)

    @_backward.setter
    def _backward(self, closure: Callable[[], None]) -> None:
        if not callable(closure):
            raise TypeError(f"_backward must be callable, not {closure!r}")
        self._many = self._operands, self._prev, self._slopes, closure
        self._x = self._y = self._dx = self._dy = None

    def backward(self) -> None:
        """Add to the grad of every leaf behind this value its slope.

        Values in between hold the slopes of this pass alone. Any depth.
        After an error every grad is what it was.
        """
        order = _topological_order(self)
        before = [node.grad for node in order]
        try:
            if any(before):
                _clear(order)
            self.grad += 1.0
            _pass_on(reversed(order))
        except BaseException:
            for node, grad in zip(order, before):
                node.grad = grad
            raise

    def __add__(self, other: Value | Number) -> Value:
        if isinstance(other, Value):
            data = self.data + other.data
            return _made(data, "+", self, 1.0, other, 1.0)
        k = _plain(other)
        if k is None:
            return NotImplemented
        return _made(self.data + k, "+", self, 1.0, k)

    def __sub__(self, other: Value | Number) -> Value:
        if isinstance(other, Value):
            data = self.data - other.data
            return _made(data, "-", self, 1.0, other, -1.0)
        k = _plain(other)
        if k is None:
            return NotImplemented
        return _made(self.data - k, "-", self, 1.0, k)

    def __mul__(self, other: Value | Number) -> Value:
        x = self.data
        if isinstance(other, Value):
            y = other.data
            return _made(x * y, "*", self, y, other, x)
        k = _plain(other)
        if k is None:
            return NotImplemented
        return _made(x * k, "*", self, k, k)

    def __truediv__(self, other: Value | Number) -> Value:
        if isinstance(other, Value):
            y = other.data
            q = _quotient(self.data, y)
            return _made(q, "/", self, 1.0 / y, other, -q / y)
        k = _plain(other)
        if k is None:
            return NotImplemented
        return _made(_quotient(self.data, k), "/", self, 1.0 / k, k)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: Number) -> Value:
        k = _plain(other)
        if k is None:
            return NotImplemented
        return _made(k - self.data, "-", k, None, self, -1.0)

    def __rtruediv__(self, other: Number) -> Value:
        k, y = _plain(other), self.data
        if k is None:
            return NotImplemented
        q = _quotient(k, y)
        return _made(q, "/", k, None, self, -q / y)

    def __neg__(self) -> Value:
        return _made(-self.data, "neg", self, -1.0)

    def __pos__(self) -> Value:
        return self

    def __format__(self, spec: str) -> str:
        return format(self.data, spec) if spec else str(self)

    def __float__(self) -> float:
        return self.data

    def __round__(self, digits: int | None = None) -> float:
        return round(self.data, digits)

    def __bool__(self) -> bool:
        return bool(self.data)

    __lt__ = _comparison(operator.lt)
    __le__ = _comparison(operator.le)
    __gt__ = _comparison(operator.gt)
    __ge__ = _comparison(operator.ge)

    def __pow__(self, other: Value | Number) -> Value:
        x = self.data
        k = other.data if isinstance(other, Value) else _plain(other)
        if k is None:
            return NotImplemented
        y, dx = _power(x, k), _slope_along_base(x, k)
        if isinstance(other, Value):
            dy = _slope_along_exponent(x, k)
            return _made(y, "**", self, dx, other, dy)
        return _made(y, f"**{other}", self, dx, k)

    def __rpow__(self, other: Number) -> Value:
        x, k = _plain(other), self.data
        if x is None:
            return NotImplemented
        dy = _slope_along_exponent(x, k)
        return _made(_power(x, k), "**", x, None, self, dy)

    def tanh(self) -> Value:
        """The hyperbolic tangent."""
        u = math.exp(-2.0 * abs(self.data))
        slope = 4.0 * u / (1.0 + u) ** 2
        return _made(math.tanh(self.data), "tanh", self, slope)

    def sigmoid(self) -> Value:
        """The logistic function, 1 / (1 + exp(-x))."""
        u = math.exp(-abs(self.data))
        s = (1.0 if self.data >= 0.0 else u) / (1.0 + u)
        slope = u / (1.0 + u) ** 2
        return _made(s, "sigmoid", self, slope)

    def exp(self) -> Value:
        """e to this power; infinite where that is too large for a float."""
        try:
            y = math.exp(self.data)
        except OverflowError:
            y = math.inf
        return _made(y, "exp", self, y)

    def log(self) -> Value:
        """The natural logarithm. ValueError at 0 and below."""
        x = self.data
        if x <= 0.0:
            raise ValueError(f"log of {x}: only numbers above 0 have one")
        return _made(math.log(x), "log", self, 1.0 / x)

    def sqrt(self) -> Value:
        """The square root, of infinite slope at 0. ValueError below 0."""
        x = self.data
        if x < 0.0:
            raise ValueError(f"sqrt of {x}: not a real number")
        y = math.sqrt(x)
        slope = 0.5 / y if y else math.inf
        return _made(y, "sqrt", self, slope)

    def sin(self) -> Value:
        """The sine of an angle in radians. ValueError at infinity."""
        s, c = _sine_and_cosine("sin", self.data)
        return _made(s, "sin", self, c)

    def cos(self) -> Value:
        """The cosine of an angle in radians. ValueError at infinity."""
        s, c = _sine_and_cosine("cos", self.data)
        return _made(c, "cos", self, -s)

    def relu(self) -> Value:
        """What is above 0, else 0; the slope at 0 is 0."""
        if self.data <= 0.0:
            return _made(0.0, "relu", self, 0.0)
        return _made(self.data, "relu", self, 1.0)

    def abs(self) -> Value:
        """The distance from 0; the slope at 0 is 0."""
        x = self.data
        slope = math.copysign(1.0, x) if x else 0.0
        return _made(math.fabs(x), "abs", self, slope)

    def __abs__(self) -> Value:
        return self.abs()

    def __reduce__(self) -> tuple[object, ...]:
        if self._prev:
            return _regrown, (_rows(self),)
        if self._closure is not None:
            raise TypeError(f"{self!r} has a closure and cannot be copied")
        state: Any = self.__getstate__()
        attributes, fields = state
        fields["_mark"] = None
        return _empty, (type(self),), (attributes, fields)


def _real(x: object, who: object = "a Value", does: str = "holds") -> float:
    """x as a float; an error that names it if it is no real number."""
    if type(x) is float:
        return x
    kind = type(x).__name__
    if not isinstance(x, Number):
        raise TypeError(f"{who} {does} a real number, not {x!r} ({kind})")
    try:
        return float(x)
    except OverflowError:
        message = f"{who} {does} a float; this {kind} is too large for one"
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
    x: Value | float | None = None,
    dx: float | None = None,
    y: Value | float | None = None,
    dy: float | None = None,
    many: _Many | None = None,
) -> Value:
    """A Value made by op from x and y, or from many, with its slopes."""
    out = _new(Value)
    out.data = data
    out.grad = 0.0
    out.label = ""
    out._op = op
    out._many, out._mark = many, None
    out._x, out._dx = x, dx
    out._y, out._dy = y, dy
    return out


_new = object.__new__


def _pass_on(nodes: Iterable[Value]) -> None:
    """Add to the grads of the operands of each node their shares."""
    for node in nodes:
        grad = node.grad
        if node._many is None:
            if node._dx is not None:
                node._x.grad += node._dx * grad
            if node._dy is not None:
                node._y.grad += node._dy * grad
        else:
            _, parents, slopes, closure = node._many
            if closure is None:
                for parent, slope in zip(parents, slopes):
                    parent.grad += slope * grad
            else:
                closure()


def _share(
    node: Value, parents: Iterable[Value], slopes: Iterable[float]
) -> None:
    """Add to the grad of each parent of node its share."""
    for parent, slope in zip(parents, slopes):
        parent.grad += slope * node.grad


def _clear(nodes: Iterable[Value]) -> None:
    """Set the grad of all nodes to 0.0, but not those of leaves."""
    for node in nodes:
        many = node._many is not None and node._many[0]
        if many or node._x is not None:
            node.grad = 0.0


def _topological_order(root: Value) -> list[Value]:
    """The values behind root and root itself, parents first."""
    order: list[Value] = []
    mark = object()
    waiting: list[Any] = [root]
    while waiting:
        node = waiting.pop()
        if node is None:
            order.append(waiting.pop())
        elif node._mark is not mark:
            node._mark = mark
            if node._x is not None:
                waiting.append(node)
                waiting.append(None)
                if node._dy is not None:
                    waiting.append(node._y)
                if node._dx is not None:
                    waiting.append(node._x)
            elif node._many is not None:
                waiting.append(node)
                waiting.append(None)
                waiting += node._many[1][::-1]
            else:
                order.append(node)
    return order


def _plain(x: object) -> float | None:
    """x as a float, or None if it is no number."""
    if type(x) is float:
        return x
    return _real(x) if isinstance(x, Number) else None


def _quotient(x: float, y: float) -> float:
    if y == 0.0:
        raise ZeroDivisionError(f"division of {x} by {y}")
    return x / y


def _power(x: float, k: float) -> float:
    """x**k among the reals; too large is infinite."""
    if x == 0.0 and k < 0.0:
        raise ZeroDivisionError(f"({x}) ** {k}: zero to a negative power")
    if x < 0.0 and k % 1.0 > 0.0:
        raise ValueError(f"({x}) ** {k}: not a real number")
    if k == 2.0:
        return x * x
    try:
        return math.pow(x, k)
    except OverflowError:
        return -math.inf if x < 0.0 and k % 2.0 == 1.0 else math.inf


def _slope_along_base(x: float, k: float) -> float:
    """The derivative of x**k by x: k * x**(k - 1), at 0 its limit."""
    if k == 2.0:
        return 2.0 * x
    if k == 0.0:
        return 0.0
    if x == 0.0 and k < 1.0:
        return math.inf
    if k % 1.0 != 0.0 or abs(k) > 2.0**53:
        y = _power(x, k)
        exact = sys.float_info.min <= y < math.inf
        if exact or (abs(k) > 2.0**53 and x and math.isfinite(x)):
            return k * (y / x)
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


def total(
    values: Iterable[Value | Number], start: Value | Number = 0.0
) -> Value:
    """The sum of start and values, in this order, as one operation.

    Each is a Value or a number; anything else is a TypeError.
    """
    terms = [start, *_listed("total", values)]
    _, (data, *others), _ = _known("total", terms)
    for number in others:
        data += number
    parents, slopes = _of_values(terms, [1.0] * len(terms))
    return _made(data, "total", many=(terms, parents, slopes, None))


def _of_values(
    operands: Sequence[Any], slopes: list[float]
) -> tuple[list[Value], list[float]]:
    """The Values among operands, and the slopes along these."""
    pairs = [p for p in zip(operands, slopes) if isinstance(p[0], Value)]
    return [v for v, _ in pairs], [slope for _, slope in pairs]


def dot(
    ws: Iterable[Value | Number],
    xs: Iterable[Value | Number],
    start: Value | Number = 0.0,
) -> Value:
    """start + w * x for all pairs from ws and xs, as one operation.

    Each is a Value or a number; anything else is a TypeError, and
    lists of different lengths are a ValueError.
    """
    ws, xs = _listed("dot", ws), _listed("dot", xs)
    if len(ws) != len(xs):
        lengths = f"{len(ws)} and {len(xs)}"
        raise ValueError(f"dot takes lists of one length, not {lengths}")
    return _weighted(ws, _known("dot", xs), start)


_Known = tuple[Sequence[Any], list[float], int]


def _known(who: object, operands: Sequence[Any]) -> _Known:
    """operands, the number of each, and how many of them are Values."""
    numbers = [v.data for v in operands if isinstance(v, Value)]
    count = len(numbers)
    if count < len(operands):
        numbers = [
            v if type(v) is float else _data(who, v) for v in operands
        ]
    return operands, numbers, count


def _data(who: object, operand: Value | Number) -> float:
    """The number of an operand; an error names who and what came."""
    if isinstance(operand, Value):
        return operand.data
    return _real(operand, who, "takes")


def _weighted(
    ws: Sequence[Any], xs: _Known, start: Value | Number
) -> Value:
    """The dot of weights and of inputs that have been looked up."""
    inputs, x_numbers, x_count = xs
    if isinstance(start, Value):
        data, mixed = start.data, False
    else:
        data, mixed = _real(start, "dot", "takes"), True
    w_numbers: list[float] = []
    for w, x in zip(ws, x_numbers):
        if isinstance(w, Value):
            w_number = w.data
        else:
            w_number, mixed = _real(w, "dot", "takes"), True
        w_numbers.append(w_number)
        data += w_number * x
    operands = parents = [start, *ws, *inputs]
    if x_count:
        slopes = [1.0, *x_numbers, *w_numbers]
        mixed = mixed or x_count < len(inputs)
    else:
        slopes = [1.0, *x_numbers]
        parents = [start, *ws]
    if mixed:
        parents, slopes = _of_values(parents, slopes)
    op, many = "dot", (operands, parents, slopes, None)
    out = _new(Value)
    out.data = data
    out.grad = 0.0
    out.label = ""
    out._op = op
    out._many, out._mark = many, None
    out._x = out._dx = out._y = out._dy = None
    return out


def _listed(
    who: str, values: Iterable[Value | Number]
) -> list[Value | Number]:
    """values as a list; a TypeError if they are not listed."""
    if not hasattr(values, "__iter__"):
        raise TypeError(f"{who} takes lists of numbers, not {values!r}")
    return list(values)


def _empty(cls: type[Value]) -> Value:
    """A Value of a class, with nothing in it yet."""
    return cls.__new__(cls)


def _rows(root: Value) -> list[object]:
    """The graph behind root as a list, each value after its parents."""
    rows: list[object] = []
    place: dict[int, int] = {}
    for node in _topological_order(root):
        place[id(node)] = len(rows)
        rows.append(_row(node, place) if node._prev else node)
    return rows


def _row(node: Value, place: dict[int, int]) -> tuple[Any, ...]:
    """What node holds, with the place of each parent for it."""
    if node._closure is not None or type(node) is not Value:
        raise TypeError(
            f"{node!r}, made by {node._op!r}, is an operation of your own "
            "and cannot be copied; copy its leaves, or a new "
            "leaf, Value(v.data)"
        )
    operands = [
        place[id(v)] if isinstance(v, Value) else v for v in node._operands
    ]
    about = node.data, node.grad, node._op, node.label
    return about, operands, node._slopes


def _regrown(rows: list[Any]) -> Value:
    """The last value of the graph that the rows describe."""
    nodes: list[Value] = []
    for row in rows:
        nodes.append(row if isinstance(row, Value) else _grown(row, nodes))
    return nodes[-1]


def _grown(row: tuple[Any, ...], nodes: list[Value]) -> Value:
    """The Value of one row, made from nodes."""
    (data, grad, op, label), places, slopes = row
    operands = [nodes[v] if isinstance(v, int) else v for v in places]
    parents = [v for v in operands if isinstance(v, Value)]
    out = _made(data, op, many=(operands, parents, slopes, None))
    out.grad, out.label = grad, label
    return out
