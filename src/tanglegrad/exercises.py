"""The exercises of the book, and the checks of their answers.

To pytest: this has no assertions to rewrite. PYTEST_DONT_REWRITE
"""

from __future__ import annotations

import io
import math
import runpy
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise, permutations, product
from pathlib import Path
from random import Random
from string import ascii_lowercase
from typing import Any
from unittest import SkipTest

from . import micro
from .draw import _parents, _Scene, trace
from .engine import Value, dot, total
from .gpt import GPT, Head
from .nn import MLP, Neuron, cross_entropy, softmax
from .numeric import derivative, gradcheck, gradient
from .replay import record


class NotYet(AssertionError):  # noqa: N818
    """What is wrong with an answer, in a sentence."""


@dataclass(frozen=True)
class Exercise:
    """A task: its chapter, its grade, the name of the answer.

    trial takes an answer and raises NotYet if it is not right.
    """

    chapter: int
    grade: str
    name: str
    task: str
    trial: Callable[[Any], None]

    def verdict(self, answer: Any) -> str:
        """What there is to say about an answer."""
        if answer is ...:
            return "no answer yet"
        try:
            self.trial(answer)
        except NotYet as wrong:
            return f"not yet: {wrong}"
        except Exception as error:  # noqa: BLE001
            return f"not yet: expected an answer, came {_failure(error)}"
        return "solved"


def check(name: str, answer: Any) -> None:
    """Print whether an answer solves the exercise of a name.

    A ValueError if there is no such exercise.
    """
    found = [e for e in EXERCISES if e.name == name]
    if not found:
        known = ", ".join(e.name for e in EXERCISES)
        raise ValueError(f"no exercise is called {name!r}, only: {known}")
    print(f"{name}: {found[0].verdict(answer)}")


def _alike(one: Any, other: Any, within: float) -> bool:
    """Whether two answers are the same, numbers up to a distance."""
    if hasattr(other, "tolist"):
        other = other.tolist()
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        pairs = zip(one, other)
        same = all(_alike(a, b, within) for a, b in pairs)
        return same and len(one) == len(other)
    try:
        return math.isclose(one, other, rel_tol=within, abs_tol=within)
    except (TypeError, ValueError):
        return bool(one == other)


MANY = 8


def _told(thing: Any) -> str:
    """A thing as the reader is told about it."""
    if isinstance(thing, float):
        return f"{thing:.6g}"
    if isinstance(thing, list | tuple):
        dots = ", ..." if len(thing) > MANY else "," * (len(thing) == 1)
        return f"({', '.join(map(_told, thing[:MANY]))}{dots})"
    if isinstance(thing, Value | micro.Value):
        return thing.label or _told(float(thing.data))
    name: str = getattr(thing, "__name__", repr(thing))
    return name.lstrip("_")


def _expect(
    where: str, expected: Any, came: Any, within: float = 1e-6
) -> None:
    """NotYet, unless what came is what was expected."""
    if not _alike(expected, came, within):
        told = f"expected {_told(expected)}, came {_told(came)}"
        raise NotYet(f"{where}: {told}")


def _result(where: str, expected: Any, f: Any, *xs: Any) -> Any:
    """f(*xs), or a NotYet that tells how f failed."""
    try:
        return f(*xs)
    except Exception as error:
        words = expected if isinstance(expected, str) else _told(expected)
        told = f"{where}: expected {words}, came {_failure(error)}"
        raise NotYet(told) from error


def _failure(error: Exception) -> str:
    """An error in words."""
    says = str(error).partition(" while calling")[0]
    return f"{type(error).__name__}: {says}"


def _call(f: Any, xs: Sequence[Any]) -> str:
    """The call of f with xs, as text."""
    return f"{_told(f)}({', '.join(map(_told, xs))})"


def _predicts(what: str, truth: Callable[[], Any]) -> Callable[[Any], None]:
    """The check of a number, or of several, that the package knows."""
    return lambda answer: _expect(what, truth(), answer)


def _computes(
    truth: Callable[..., Any], *inputs: Any, within: float = 1e-6
) -> Callable[[Any], None]:
    """The check of a function, at several inputs."""

    def trial(answer: Any) -> None:
        for xs in inputs:
            where, expected = _call(answer, xs), truth(*xs)
            came = _result(where, expected, answer, *deepcopy(xs))
            _expect(where, expected, came, within)

    return trial


def _operates(
    kind: Any, truth: Callable[..., float], *inputs: Any
) -> Callable[[Any], None]:
    """The check of an operation on values of a kind."""

    def trial(answer: Any) -> None:
        for xs in inputs:
            where, expected = _call(answer, xs), truth(*xs)
            leaves = [kind(x) for x in xs]
            out = _result(where, expected, answer, *leaves)
            _expect(where, expected, getattr(out, "data", out))
            if not isinstance(out, kind):
                raise NotYet(f"{where}: expected a Value, came {out!r}")
            _result(where, "a backward pass", out.backward)
            _expect_slopes(where, gradient(truth, *xs), leaves)
            leaves = [kind(x) for x in xs]
            root = 3 * answer(*leaves)
            for leaf in leaves:
                root = root + leaf
            root.backward()
            graph = f"3 * {where} + {' + '.join(map(_told, xs))}"
            slopes = [3 * slope + 1 for slope in gradient(truth, *xs)]
            _expect_slopes(graph, slopes, leaves)

    return trial


def _expect_slopes(
    where: str, slopes: Sequence[float], leaves: Sequence[Any]
) -> None:
    """NotYet, unless the grads of the leaves are the slopes."""
    for i, (slope, leaf) in enumerate(zip(slopes, leaves), start=1):
        there = f"{where}: slope along input {i}"
        _expect(there, slope, leaf.grad, within=1e-5)


_EXPRESSIONS: dict[str, Callable[[Any, Any], Any]] = {
    "a + b": lambda a, b: a + b,
    "a * b": lambda a, b: a * b,
    "a * a": lambda a, _: a * a,
    "a ** 3": lambda a, _: a**3,
    "a.tanh()": lambda a, _: a.tanh(),
    "a.relu()": lambda a, _: a.relu(),
    "a * b + a": lambda a, b: a * b + a,
    "(a + b) + (a * b) * (a + b)": lambda a, b: _shared(a + b, a * b),
}


def _shared(s: Any, p: Any) -> Any:
    return s + p * s


def _walk(engine: Any, root: Any) -> None:
    engine.backward(root)


def _engine(answer: Any) -> None:
    """The check of a class of values."""
    for text, f in _EXPRESSIONS.items():
        for a, b in ((2.0, 3.0), (-0.5, 4.0)):
            where = f"{text} at a = {a}, b = {b}"
            right = micro.Value(a), micro.Value(b)
            f(*right).backward()
            leaves = [_result(where, x, answer, x.data) for x in right]
            out = _result(where, f(*right), f, *leaves)
            _expect(where, f(*right).data, getattr(out, "data", out))
            _result(where, "a backward pass", _walk, answer, out)
            _expect_slopes(where, [x.grad for x in right], leaves)


_TRIALS: dict[str, Callable[[Any], None]] = {}
_TRIALS["product_slopes"] = _predicts(
    "a*b + c at (2, -3, 10)",
    lambda: gradient(lambda a, b, c: a * b + c, 2, -3, 10),
)


def _cube(x: float) -> float:
    return x**3


def _second(f: Callable[[float], float], x: float) -> float:
    """The slope of the slope of f at x."""
    return derivative(lambda t: derivative(f, t, 1e-3), x, 1e-3)


_TRIALS["second"] = _computes(
    _second, (_cube, 2.0), (_cube, -1.0), (math.sin, 1.0), within=1e-3
)


def _lecture(a: float, b: float, c: float) -> float:
    powers = -math.pow(a, 3) + math.pow(b, 2.5) - math.pow(a, 0.5)
    return powers + math.sin(3 * b) - 1 / c


_TRIALS["lecture_slopes"] = _computes(
    lambda *xs: gradient(_lecture, *xs),
    (2.0, 3.0, 4.0),
    (1.0, 0.5, -2.0),
)


def _too_small(h: Any) -> None:
    where = f"the slope of x * x at 1 with h = {h}"
    came = _result(where, 0.0, derivative, lambda x: x * x, 1.0, h)
    _expect(where, 0.0, came)


_TRIALS["too_small"] = _too_small


def _boxes(f: Callable[[Any, Any], Any]) -> int:
    """How many values the graph of f has."""
    return len(trace(f(micro.Value(2.0), micro.Value(3.0)))[0])


_TRIALS["box_counts"] = _predicts(
    "s * s with s = a + b, and (a + b) * (a + b)",
    lambda: [
        _boxes(lambda a, b: _square(a + b)),
        _boxes(lambda a, b: (a + b) * (a + b)),
    ],
)


def _square(x: Any) -> Any:
    return x * x


_TRIALS["square_parents"] = _predicts(
    "len(y._prev) for y = x * x",
    lambda: len(_square(micro.Value(3.0))._prev),
)


def _graphs(kind: Any) -> list[Any]:
    """The roots of a few graphs, labelled by what they are."""
    a, b, c = (kind(x, label=s) for x, s in zip((2.0, 3.0, 4.0), "abc"))
    s = a + b
    s.label = "s"
    roots = [a, a * b, a * a, a * b + c, s * s, (a * b + s) * s + c]
    texts = ["a", "a * b", "a * a", "a * b + c", "s * s"]
    for root, text in zip(roots, [*texts, "(a * b + s) * s + c"]):
        root.label = text
    return roots


def _depth(root: Any) -> int:
    """The operations on the longest way from root to a leaf."""
    return max((1 + _depth(parent) for parent in root._prev), default=0)


def _on_graphs(answer: Any) -> None:
    _computes(_depth, *[(root,) for root in _graphs(micro.Value)])(answer)


_TRIALS["depth"] = _on_graphs


def _one_step() -> list[float]:
    a, b = micro.Value(3.0), micro.Value(-2.0)
    out = a * b
    out.grad = 10.0
    out._backward()
    return [a.grad, b.grad]


_TRIALS["one_step"] = _predicts("a * b at (3, -2), out.grad 10", _one_step)
_TRIALS["log"] = _operates(micro.Value, math.log, (0.5,), (1.0,), (10.0,))


def _sigmoid(x: float) -> float:
    u = math.exp(-abs(x))
    return (1.0 if x >= 0.0 else u) / (1.0 + u)


_TRIALS["sigmoid"] = _operates(
    micro.Value, _sigmoid, (0.5,), (-2.0,), (1000.0,), (-1000.0,)
)


def _doubled() -> float:
    a = micro.Value(3.0)
    _square(a + a).backward()
    return a.grad


def _orders() -> int:
    return sum(
        max(map(order.index, "ab")) < order.index("e") < order.index("d")
        and order.index("c") < order.index("d")
        for order in permutations("abecd")
    )


_TRIALS["doubled_slope"] = _predicts("s * s, s = a + a, a = 3", _doubled)
_TRIALS["orders"] = _predicts("the orders of e = a*b, d = e + c", _orders)


def _chain(length: int) -> Any:
    """The root of a chain of sums."""
    root = micro.Value(1.0)
    for _ in range(length):
        root = root + 1
    root.label = f"a chain of {length} sums"
    return root


def _topological(answer: Any) -> None:
    for root in [*_graphs(micro.Value), _chain(5000)]:
        where, nodes = _call(answer, [root]), trace(root)[0]
        came = _result(where, nodes, lambda r: list(answer(r)), root)
        _expect(f"{where}: how many values", len(nodes), len(came))
        seen: set[Any] = set()
        for node in came:
            for parent in _parents(node):
                if parent not in seen:
                    told = f"expected {_told(parent)} before {_told(node)}"
                    raise NotYet(f"{where}: {told}, came {_told(came)}")
            seen.add(node)
        _expect(f"{where}: different values", len(nodes), len(seen))


_TRIALS["topological"] = _topological


def _neuron_on_paper() -> list[float]:
    x1, x2, w1, w2, b = map(micro.Value, (1.0, 2.0, 3.0, -1.0, 0.5))
    loss = ((x1 * w1 + x2 * w2 + b).relu() - 1) ** 2
    loss.backward()
    return [loss.data, x1.grad, x2.grad, w1.grad, w2.grad, b.grad]


_TRIALS["neuron_on_paper"] = _predicts(
    "loss and slopes along x1, x2, w1, w2, b", _neuron_on_paper
)
for _number in range(1, 6):
    _TRIALS[f"engine_{_number}"] = _engine


def _twice(kind: Any) -> float:
    x = kind(3.0)
    y = (x + x) * x
    y.backward()
    y.backward()
    grad: float = x.grad
    return grad


_TRIALS["two_passes"] = _predicts(
    "x.grad after two passes, engine and micro",
    lambda: [_twice(Value), _twice(micro.Value)],
)


def _at_the_kink(x: Any) -> None:
    where = f"gradcheck(relu, {x})"
    try:
        gradcheck(Value.relu, x)
    except AssertionError:
        return
    except TypeError as error:
        raise NotYet(f"{where}: expected a number, came {x!r}") from error
    raise NotYet(f"{where}: expected a disagreement, came none")


_TRIALS["kink"] = _at_the_kink
_TRIALS["largest"] = _operates(
    Value, lambda *xs: max(xs), (1.0, 5.0, 2.0), (-1.0, -3.0), (7.0,)
)
_TRIALS["lecture_value"] = _operates(
    Value, _lecture, (2.0, 3.0, 4.0), (1.0, 0.5, -2.0)
)


def _neuron(where: str, weights: Any, bias: Any) -> Neuron:
    """A neuron with these weights and this bias."""
    neuron = Neuron(len(weights))
    for p, number in zip(neuron.parameters(), [*weights, bias]):
        p.data = _result(where, "a number", float, number)
    return neuron


def _slopes(neuron: Neuron, x: list[float]) -> list[float]:
    """The slopes of a neuron's output along its parameters."""
    neuron(x).backward()
    return [p.grad for p in neuron.parameters()]


_TRIALS["slopes_at_zero"] = _predicts(
    "tanh(w1*x1 + w2*x2 + b) at x1 = 0, x2 = 4, all else 0",
    lambda: _slopes(_neuron("", [0.0, 0.0], 0.0), [0.0, 4.0]),
)


def _majority(answer: Any) -> None:
    *weights, bias = _result("majority", "4 numbers", list, answer)
    _expect("majority: how many weights", 3, len(weights))
    neuron = _neuron("majority", weights, bias)
    for x in product([-1.0, 1.0], repeat=3):
        sign = 1.0 if sum(x) > 0 else -1.0
        came = neuron(x).data
        where = f"the neuron at {_told(x)}"
        _expect(where, sign, came, within=0.1)


_TRIALS["majority"] = _majority


def _asleep(bias: Any) -> None:
    where = f"tanh(w*x + b) at w = 1, x = 1, b = {bias}"
    neuron = _neuron(where, [1.0], bias)
    slope, _ = _slopes(neuron, [1.0])
    if not 0.0 < slope < 1e-6:
        told = "expected a slope along w between 0 and 1e-06"
        raise NotYet(f"{where}: {told}, came {_told(slope)}")


_TRIALS["asleep"] = _asleep


def _count(nin: int, nouts: list[int]) -> int:
    return len(MLP(nin, nouts).parameters())


_TRIALS["parameters"] = _predicts(
    "MLP(4, [8, 8, 2])", lambda: _count(4, [8, 8, 2])
)
_TRIALS["parameter_count"] = _computes(
    _count, (3, [4, 4, 1]), (1, [1]), (2, [16, 16, 1]), (5, [7])
)


def _affine(model: Any) -> list[float]:
    """The w1, w2 and b of a network that is an affine map."""
    b, b1, b2 = (model(x).data for x in ([0, 0], [1, 0], [0, 1]))
    return [b1 - b, b2 - b, b]


def _collapse(answer: Any) -> None:
    for seed in range(3):
        model = MLP(2, [3, 1], activation=None, rng=Random(seed))
        for p in model.parameters():
            p.data += 0.25
        where, expected = f"collapse({model}), seed {seed}", _affine(model)
        _expect(where, expected, _result(where, expected, answer, model))


_TRIALS["collapse"] = _collapse
_TRIALS["one_update"] = _predicts(
    "loss (3*w - 3)**2, w = 2, rate 0.1: the new w",
    lambda: 2.0 - 0.1 * derivative(lambda w: (3 * w - 3) ** 2, 2.0),
)


def _line(xs: list[float], ys: list[float]) -> list[float]:
    """The w and b of the least squared error (Gauss, 1809)."""
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    above = sum((a - x) * (b - y) for a, b in zip(xs, ys))
    w = above / sum((a - x) ** 2 for a in xs)
    return [w, y - w * x]


_TRIALS["fit"] = _computes(
    _line,
    ([0.0, 1.0, 2.0, 3.0], [1.0, 3.0, 5.0, 7.0]),
    ([-1.0, 0.0, 1.0], [1.0, 0.0, 0.5]),
    within=0.01,
)


def _edge(rate: Any) -> None:
    w, where = 1.0, f"100 steps down w * w from w = 1 at rate {rate}"
    if rate == 0:
        raise NotYet(f"{where}: expected steps, came none")
    for _ in range(100):
        w -= _result(where, "a step", lambda at: rate * 2 * at, w)
    _expect(f"{where}: the size of w", 1.0, abs(w))


_TRIALS["edge"] = _edge


def _drawn() -> int:
    x1, x2, w1, w2, b = map(Value, (1.0, 2.0, 3.0, -1.0, 0.5))
    return len(trace((x1 * w1 + x2 * w2 + b).tanh())[0])


_TRIALS["boxes"] = _predicts("boxes of tanh(x1*w1 + x2*w2 + b)", _drawn)


def _arrows(root: Any) -> int:
    return len(trace(root)[1])


def _arrows_on_graphs(answer: Any) -> None:
    _computes(_arrows, *[(root,) for root in _graphs(Value)])(answer)


_TRIALS["arrows"] = _arrows_on_graphs


def _uncrossed(answer: Any) -> None:
    points = (2.0, 3.0), (-0.5, 4.0)
    _operates(Value, lambda a, b: (a + b) * (a * b), *points)(answer)
    root = answer(Value(2.0), Value(3.0))
    crossings = _Scene(*trace(root)).layout.crossings()
    where = f"the picture of {_call(answer, points[0])}"
    _expect(f"{where}: crossings that draw finds", 0, crossings)


_TRIALS["uncrossed"] = _uncrossed
_TRIALS["hinges"] = _predicts(
    "max(0, 1 - y*s) at y, s = (1, 0.3), (-1, 0.3), (1, 2)",
    lambda: [max(0.0, 1 - y * s) for y, s in ((1, 0.3), (-1, 0.3), (1, 2))],
)


def _accuracy(outputs: list[float], ys: list[float]) -> float:
    return sum(s * y > 0 for s, y in zip(outputs, ys)) / len(ys)


_TRIALS["accuracy"] = _computes(
    _accuracy,
    ([2.0, -0.1, 0.5], [1.0, -1.0, -1.0]),
    ([-3.0], [-1.0]),
    ([0.0, 4.0], [1.0, 1.0]),
)


def _top_price(price: Any) -> None:
    def slope() -> float:
        w = Value(1.0 - 1e-9)
        ((1 - w).relu() + price * w**2).backward()
        return w.grad

    what = f"relu(1 - w) + {_told(price)} * w**2"
    where = f"{what} close below w = 1: its slope"
    _expect(where, 0.0, _result(where, 0.0, slope))


_TRIALS["top_price"] = _top_price


def _loss(*logits: float) -> float:
    return cross_entropy(logits, 3).data


_TRIALS["lecture_loss"] = _operates(
    Value,
    _loss,
    (0.0, 3.0, -2.0, 1.0),
    (1000.0, 0.0, 0.0, 998.0),
    (1000.0, 0.0, 0.0, 0.0),
)


def _equal_logits() -> list[float]:
    logits = [Value(0.0) for _ in range(4)]
    cross_entropy(logits, 0).backward()
    return [z.grad for z in logits]


_TRIALS["equal_logits"] = _predicts(
    "four logits 0, label 0: the slopes", _equal_logits
)


def _lowest(counts: list[int]) -> float:
    came = [count for count in counts if count > 0]
    logits = [math.log(count) for count in came]
    paid = [n * cross_entropy(logits, i) for i, n in enumerate(came)]
    return total(paid).data / sum(came)


_TRIALS["lowest"] = _computes(
    _lowest, ([3, 1],), ([2, 2, 4],), ([5, 0, 1],)
)


def _recorded() -> list[float]:
    x, w = Value(2.0), Value(3.0)
    replay = record(x * w, [x])
    return [replay.rows([[1.0], [4.0]]), w.grad]


_TRIALS["recorded"] = _predicts(
    "record(x * w, [x]) at w = 3 over rows 1 and 4", _recorded
)


def _replayed(answer: Any) -> None:
    for power in (2.0, 3.0):
        x, w = Value(0.0), Value(3.0)
        replay = record((x * w) ** power, [x])
        for number in (1.0, -0.5):
            where = f"slope_of_replay((x * w) ** {power}, w, {number})"
            slope = power * (number * 3.0) ** (power - 1.0) * number
            w.grad = 7.0
            came = _result(where, slope, answer, replay, w, number)
            _expect(where, slope, came)


_TRIALS["slope_of_replay"] = _replayed


def _bend(p: Value) -> Value:
    return p * p if p.data >= 0 else -p


def _replayed_bend(w: Value, number: Any) -> float:
    x = Value(2.0)
    return record(_bend(w * x), [x])(number)


def _by_accident(answer: Any) -> None:
    where = f"bend(w * x) at w = 1, x = {_told(answer)}"
    w, v = Value(1.0), Value(1.0)
    eager = _result(where, "a number", lambda x: _bend(w * x), answer)
    _expect(f"{where}, replayed", eager.data, _replayed_bend(v, answer))
    eager.backward()
    if _alike(w.grad, v.grad, 1e-6):
        told = f"expected a slope that is wrong, came {_told(v.grad)}"
        raise NotYet(f"{where}, replayed: {told}, which is right")


_TRIALS["by_accident"] = _by_accident


def _know_nothing() -> float:
    model = GPT(ascii_lowercase, 5, width=4, heads=2, rng=Random(0))
    for p in model.parameters():
        p.data = 0.0
    return model.loss(model.marks("ada")).data


_TRIALS["know_nothing"] = _predicts(
    "the loss of ada, all parameters 0", _know_nothing
)


def _two_places() -> list[float]:
    head = Head(width=4, size=4, draw=Random(0).uniform)
    head.query = head.key = _leaves(
        [[float(i == j) for j in range(4)] for i in range(4)]
    )
    rows = head.weights([[1.0, -1.0, 1.0, -1.0], [1.0, 1.0, 1.0, 1.0]])
    return [weight.data for row in rows for weight in row]


_TRIALS["two_places"] = _predicts(
    "the weights of place 1, then of place 2", _two_places
)


_Rows = Sequence[Sequence[float]]


def _leaves(rows: _Rows) -> list[list[Value]]:
    """A matrix of leaves with these numbers."""
    return [[Value(number) for number in row] for row in rows]


def _grads(rows: list[list[Value]]) -> list[list[float]]:
    """The slopes along a matrix of leaves."""
    return [[leaf.grad for leaf in row] for row in rows]


def _causal(scores: _Rows) -> list[list[float]]:
    found = []
    for t, row in enumerate(scores, start=1):
        past = [share.data for share in softmax(row[:t])]
        found.append(past + [0.0] * (len(row) - t))
    return found


_TRIALS["causal"] = _computes(
    _causal,
    ([[0.0, 0.0], [0.0, 0.0]],),
    ([[1.0, 9.0, 9.0], [0.5, 0.0, 9.0], [2.0, -1.0, 0.0]],),
)


def _cool(temperature: Any) -> None:
    def share(at: Any) -> float:
        return softmax([1.0 / at, 0.0])[0].data

    where = f"logits 1 and 0 at temperature {temperature}: the first"
    came = _result(where, 0.75, share, temperature)
    _expect(where, 0.75, came, within=0.001)


_TRIALS["cool"] = _cool


def _layer_slopes() -> list[float]:
    x = [Value(1.0), Value(-1.0)]
    n = [dot(row, x) for row in ([1.0, 2.0], [3.0, 4.0])]
    dot([1.0, 10.0], n).backward()
    return [v.grad for v in x]


_TRIALS["layer_slopes"] = _predicts(
    "W = ((1, 2), (3, 4)), x = (1, -1), g = (1, 10): along x",
    _layer_slopes,
)


def _matrix_slopes(a: _Rows, b: _Rows, g: _Rows) -> list[Any]:
    left, right = _leaves(a), _leaves(b)
    n = [[dot(row, column) for column in zip(*right)] for row in left]
    total(map(dot, g, n)).backward()
    return [_grads(left), _grads(right)]


_TRIALS["matrix_slopes"] = _computes(
    _matrix_slopes,
    ([[2.0]], [[3.0]], [[10.0]]),
    ([[1.0, 2.0]], [[3.0], [4.0]], [[10.0]]),
    ([[1.0, 2.0], [0.0, 3.0]], [[4.0, 0.0], [5.0, 6.0]], [[1.0, 2.0]] * 2),
)


def _stretched(g: _Rows, rows: int, columns: int) -> list[list[float]]:
    leaves = _leaves([[0.0] * columns for _ in range(rows)])
    for i, row in enumerate(g):
        used = [leaves[i % rows][j % columns] for j in range(len(row))]
        dot(row, used).backward()
    return _grads(leaves)


_G = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
_TRIALS["stretched"] = _computes(
    _stretched, (_G, 1, 3), (_G, 2, 1), (_G, 1, 1), (_G, 2, 3)
)


def _joined_means(means: list[float], counts: list[int]) -> float:
    return sum(m * n for m, n in zip(means, counts)) / sum(counts)


_TRIALS["joined_means"] = _computes(
    _joined_means,
    ([1.0, 5.0], [2, 2]),
    ([2.0, 10.0], [3, 1]),
    ([1.0, 0.0, 4.0], [1, 0, 3]),
)


def _tokens_left() -> list[int]:
    tokens, lengths = [*"ababcababd"], []
    for _ in range(2):
        pairs = [*pairwise(tokens)]
        pair = max(pairs, key=pairs.count)
        tokens = _merged(tokens, pair)
        lengths.append(len(tokens))
    return lengths


def _merged(tokens: list[str], pair: tuple[str, str]) -> list[str]:
    found: list[str] = []
    for token in tokens:
        if found and (found[-1], token) == pair:
            found[-1] += token
        else:
            found.append(token)
    return found


_TRIALS["tokens_left"] = _predicts(
    "ababcababd: how many tokens after 1 and 2 merges", _tokens_left
)


def _decoded(tokens: list[int], merges: dict[Any, int]) -> str:
    for pair, new in reversed(merges.items()):
        parts = {new: pair}
        tokens = [x for t in tokens for x in parts.get(t, (t,))]
    return bytes(tokens).decode()


_TRIALS["decoded"] = _computes(
    _decoded,
    ([98, 256], {(97, 98): 256}),
    ([257, 99], {(97, 98): 256, (256, 256): 257}),
    ([99, 97, 102, 256], {(195, 169): 256}),
)


def _table_slopes(
    letters: list[int], slopes: _Rows, size: int
) -> list[list[float]]:
    table = _leaves([[0.0] * len(slopes[0])] * size)
    total(dot(row, table[k]) for k, row in zip(letters, slopes)).backward()
    return _grads(table)


_TRIALS["table_slopes"] = _computes(
    _table_slopes,
    ([1, 0], [[1.0, 2.0], [3.0, 4.0]], 2),
    ([0, 2, 0], [[1.0], [2.0], [4.0]], 3),
)


def _largest_after(rate: Any) -> float:
    """The largest relu(w*x + b) after a step down the sum of three."""
    w, b = Value(1.0), Value(0.0)
    for x in (1.0, 2.0, 3.0):
        (w * x + b).relu().backward()
    for p in (w, b):
        p.data -= rate * p.grad
    return max((w * x + b).relu().data for x in (1.0, 2.0, 3.0))


def _deadly(rate: Any) -> None:
    where = f"relu(w*x + b) after a step at rate {rate}: the largest"
    _expect(where, 0.0, _result(where, 0.0, _largest_after, rate))
    if _largest_after(rate / 2) == 0.0:
        told = "expected a number above 0 at half of the rate, came 0"
        raise NotYet(f"{where}: {told}")


_TRIALS["deadly"] = _deadly


_TASKS = """
1 | warm-up | product_slopes | predict three slopes of a*b + c
1 | build it | second | the slope of the slope
1 | build it | lecture_slopes | the lecture's first exercise, by calculus
1 | think | too_small | a step too small to see a slope
2 | warm-up | box_counts | how many values two graphs have
2 | build it | depth | how deep a graph is
2 | think | square_parents | how many parents x * x has
3 | warm-up | one_step | what one closure adds
3 | build it | log | the logarithm as an operation of your own
3 | think | sigmoid | a sigmoid that never overflows
4 | warm-up | doubled_slope | predict a slope where a value is used twice
4 | build it | topological | the order, without recursion
4 | think | orders | how many orders a graph has
5 | warm-up | neuron_on_paper | a neuron and its slopes, by hand
5 | build it | engine_1 | find the bug
5 | build it | engine_2 | find the bug
5 | build it | engine_3 | find the bug
5 | think | engine_4 | find the bug in a walk
5 | think | engine_5 | find the bug in another walk
6 | warm-up | two_passes | predict a gradient after two passes
6 | build it | largest | the maximum as an operation of your own
6 | build it | lecture_value | the lecture's first exercise, on values
6 | think | kink | where no engine agrees with nudging
7 | warm-up | slopes_at_zero | which slopes of a neuron are 0
7 | build it | majority | a neuron that counts votes
7 | think | asleep | a weight that hardly learns
8 | warm-up | parameters | how many parameters a network has
8 | build it | parameter_count | count them without making them
8 | think | collapse | two layers without a bend are one
9 | warm-up | one_update | one step of training by hand
9 | build it | fit | a line through points
9 | think | edge | the rate at which training stops to converge
10 | warm-up | boxes | how many boxes a picture has
10 | build it | arrows | count the arrows
10 | think | uncrossed | the same slopes in a picture without crossings
11 | warm-up | hinges | three hinge losses by hand
11 | build it | accuracy | the share of right answers
11 | think | top_price | the price at which a margin is given up
12 | warm-up | equal_logits | the slopes of a loss, by hand
12 | build it | lecture_loss | the lecture's second exercise
12 | think | lowest | the loss below which no model comes
13 | warm-up | recorded | what a replay returns and what it adds
13 | build it | slope_of_replay | a slope from a replay
13 | think | by_accident | a replay that is right by accident
14 | warm-up | know_nothing | the loss of a model that knows nothing
14 | warm-up | two_places | the attention of two places, by hand
14 | build it | causal | find the leak in a mask
14 | think | cool | a temperature for three times in four
15 | warm-up | layer_slopes | the slopes of a layer, by hand
15 | build it | matrix_slopes | the slopes of a product of matrices
15 | build it | stretched | the slopes of a tensor that was stretched
15 | think | joined_means | one mean from the means of several processes
16 | warm-up | tokens_left | two merges by hand
16 | build it | table_slopes | find the bug in an embedding's slopes
16 | build it | decoded | from tokens back to text
16 | think | deadly | a step that kills a unit
"""


EXERCISES = [
    Exercise(int(chapter), grade, name, task, _TRIALS[name])
    for line in _TASKS.strip().splitlines()
    for chapter, grade, name, task in [line.split(" | ")]
]


_TOP = """# My answers, each in the place of its three dots.

from tanglegrad.exercises import test_answer

pytest_plugins = ["tanglegrad.exercises"]  # how pytest finds the answers
"""


def _place(e: Exercise) -> str:
    """The lines of the file for an exercise."""
    return f"\n# Chapter {e.chapter}, {e.grade}: {e.task}\n{e.name} = ...\n"


def _start(file: Path) -> int:
    """Write a file to put answers in, if there is none."""
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(_TOP + "".join(map(_place, EXERCISES)))
    except FileExistsError:
        print(f"{file} is there already; nothing was written")
        return 1
    print(f"wrote {file}; {COMMAND} {file} checks it")
    return 0


def _list(file: Path) -> int:
    """Print each exercise, and what there is to say of its answer."""
    answers: dict[str, Any] = {}
    if file.exists():
        with redirect_stdout(io.StringIO()):
            answers = runpy.run_path(str(file))
    else:
        print(f"there is no {file}; {COMMAND} start {file} writes it")
    verdicts = [(e, e.verdict(answers.get(e.name, ...))) for e in EXERCISES]
    for e, verdict in verdicts:
        print(f"{e.chapter:2}  {e.grade:8}  {e.name:15}  {verdict}")
    solved = sum(verdict == "solved" for _, verdict in verdicts)
    print(f"{solved} of {len(verdicts)} solved")
    return 0


COMMAND = "python -m tanglegrad.exercises"


def main(words: list[str]) -> int:
    """Run the command given in words; the exit status."""
    match words:
        case ["start", *rest] if len(rest) <= 1:
            return _start(Path(*rest or ["my_answers.py"]))
        case [] | [_]:
            return _list(Path(*words or ["my_answers.py"]))
    print(f"usage: {COMMAND} [start] [FILE]", file=sys.stderr)
    return 2


def test_answer(exercise: Exercise, request: Any) -> None:
    """The answer in the file that imports this solves the exercise."""
    answer = getattr(request.module, exercise.name, ...)
    verdict = exercise.verdict(answer)
    if answer is ...:
        raise SkipTest(verdict)
    if verdict != "solved":
        raise NotYet(verdict)


def pytest_configure(config: Any) -> None:
    """Tell pytest the mark."""
    mark = "exercises: the exercises of the book tanglegrad"
    config.addinivalue_line("markers", mark)


def pytest_generate_tests(metafunc: Any) -> None:
    """Make a test for each exercise."""
    if metafunc.function is test_answer:
        names = [e.name for e in EXERCISES]
        metafunc.parametrize("exercise", EXERCISES, ids=names)


def pytest_itemcollected(item: Any) -> None:
    """Mark the tests that were made here."""
    if getattr(item, "function", None) is test_answer:
        item.add_marker("exercises")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
