"""The steps of the lectures, one after the other, with the numbers that they reach."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import MLP, Neuron, Value, derivative, gradient

if TYPE_CHECKING:
    from collections.abc import Callable


def near(*xs: float, digits: int = 4) -> object:
    return pytest.approx(list(xs), rel=0.0, abs=0.51 * 10**-digits)


# Slopes by nudging -----------------------------------------------------------


def parabola(x: Any) -> Any:
    return 3 * x**2 - 4 * x + 5


def test_a_parabola_and_its_slopes() -> None:
    assert parabola(3.0) == parabola(Value(3.0)).data == 20.0
    for at, slope in ((3.0, 14.0), (2 / 3, 0.0), (-3.0, -22.0)):
        x = Value(at)
        parabola(x).backward()
        assert x.grad == pytest.approx(slope, abs=1e-12)
        assert derivative(parabola, at) == pytest.approx(slope, abs=1e-8)


def test_a_product_and_a_sum_have_three_slopes() -> None:
    def d(a: Any, b: Any, c: Any) -> Any:
        return a * b + c

    leaves = [Value(2.0), Value(-3.0), Value(10.0)]
    out = d(*leaves)
    out.backward()
    assert out.data == 4.0
    assert [v.grad for v in leaves] == [-3.0, 2.0, 1.0]
    assert gradient(d, 2.0, -3.0, 10.0) == near(-3.0, 2.0, 1.0, digits=8)


# An expression, its gradient by hand, and a step -----------------------------


def expression() -> dict[str, Value]:
    a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(10.0, label="c")
    e = a * b
    d = e + c
    f = Value(-2.0, label="f")
    root = d * f
    e.label, d.label, root.label = "e", "d", "L"
    return {v.label: v for v in (a, b, c, e, d, f, root)}


def test_the_expression_remembers_what_it_was_made_of() -> None:
    v = expression()
    assert (v["L"].data, v["d"].data, v["e"].data) == (-8.0, 4.0, -6.0)
    assert v["L"]._prev == (v["d"], v["f"])
    assert v["d"]._prev == (v["e"], v["c"])
    assert [v[name]._op for name in "Lde"] == ["*", "+", "*"]
    assert v["a"]._prev == ()


def test_its_gradient_written_in_by_hand_is_the_one_that_backward_writes() -> None:
    by_hand = {"L": 1.0, "d": -2.0, "f": 4.0, "c": -2.0, "e": -2.0, "a": 6.0, "b": -4.0}
    v = expression()
    v["L"].backward()
    assert {name: v[name].grad for name in by_hand} == by_hand


def test_every_one_of_its_leaves_nudged_changes_the_end_as_its_grad_says() -> None:
    def end(**nudge: float) -> float:
        a, b, c, f = (
            x + nudge.get(name, 0.0)
            for name, x in {"a": 2.0, "b": -3.0, "c": 10.0, "f": -2.0}.items()
        )
        return (a * b + c) * f

    h = 1e-6
    v = expression()
    v["L"].backward()
    for name in "abcf":
        rise = (end(**{name: h}) - end()) / h
        assert rise == pytest.approx(v[name].grad, abs=1e-5)


def test_a_small_step_along_the_gradient_raises_the_end() -> None:
    v = expression()
    v["L"].backward()
    for name in "abcf":
        v[name].data += 0.01 * v[name].grad
    raised = (v["a"] * v["b"] + v["c"]) * v["f"]
    assert raised.data == pytest.approx(-7.286496, abs=1e-12)


# A neuron --------------------------------------------------------------------

BIAS = 6.8813735870195432
NEURON = {"x1": 2.0, "x2": 0.0, "w1": -3.0, "w2": 1.0, "b": BIAS}
SLOPES = {"x1": -1.5, "x2": 0.5, "w1": 1.0, "w2": 0.0, "b": 0.5}


def taken_apart(n: Value) -> Value:
    e = (2 * n).exp()
    return (e - 1) / (e + 1)


BENT: dict[str, Callable[[Value], Value]] = {"whole": Value.tanh, "apart": taken_apart}


@pytest.mark.parametrize("way", BENT)
def test_a_neuron_with_tanh_whole_and_taken_apart(way: str) -> None:
    v = {name: Value(x, label=name) for name, x in NEURON.items()}
    n = v["x1"] * v["w1"] + v["x2"] * v["w2"] + v["b"]
    o = BENT[way](n)
    o.backward()
    assert [n.data, o.data] == near(0.8814, 0.7071)
    assert n.grad == pytest.approx(0.5, rel=1e-12)
    for name, slope in SLOPES.items():
        assert v[name].grad == pytest.approx(slope, rel=1e-12, abs=1e-15), name


def test_the_numbers_inside_a_tanh_that_is_taken_apart() -> None:
    twice = Value(2.0 * 0.8813735870195432)
    e = twice.exp()
    above, below = e - 1, e + 1
    (above / below).backward()
    inside = [twice, e, above, below]
    assert [v.data for v in inside] == near(1.7627, 5.8284, 4.8284, 6.8284)
    assert [v.grad for v in inside] == near(0.25, 0.0429, 0.1464, -0.1036)


def test_a_neuron_walked_back_by_hand() -> None:
    x1, x2, w1, w2, b = map(Value, NEURON.values())
    first, second = x1 * w1, x2 * w2
    both = first + second
    n = both + b
    o = n.tanh()
    o.grad = 1.0
    seen = []
    for made in (o, n, both, first, second):
        made._backward()
        seen.append([v.grad for v in (n, both, first, second, x1, w1, x2, w2, b)])
    half = pytest.approx(0.5, rel=1e-12)
    assert seen[0] == [half, 0, 0, 0, 0, 0, 0, 0, 0]
    assert seen[1] == [half, half, 0, 0, 0, 0, 0, 0, half]
    assert seen[2] == [half, half, half, half, 0, 0, 0, 0, half]
    assert seen[3][4:] == [pytest.approx(-1.5), pytest.approx(1.0), 0, 0, half]
    assert seen[4][4:] == [pytest.approx(-1.5), pytest.approx(1.0), half, 0, half]
    x1._backward()
    assert x1.grad == pytest.approx(-1.5)


def test_a_walk_in_an_order_of_ones_own() -> None:
    x1, x2, w1, w2, b = map(Value, NEURON.values())
    o = (x1 * w1 + x2 * w2 + b).tanh()
    order: list[Value] = []
    seen = set()

    def visit(v: Value) -> None:
        if v not in seen:
            seen.add(v)
            for child in v._prev:
                visit(child)
            order.append(v)

    visit(o)
    assert len(order) == 10
    o.grad = 1.0
    for node in reversed(order):
        node._backward()
    grads = [v.grad for v in (x1, x2, w1, w2, b)]
    assert grads == pytest.approx(list(SLOPES.values()), rel=1e-12, abs=1e-15)


def test_the_loss_of_that_neuron_has_two_slopes_and_not_one() -> None:
    v = {name: Value(x) for name, x in NEURON.items()}
    o = (v["x1"] * v["w1"] + v["x2"] * v["w2"] + v["b"]).tanh()
    ((o - 1) ** 2).backward()
    assert [v["w1"].grad, v["b"].grad] == near(-0.5858, -0.2929)
    assert v["w1"].grad == pytest.approx(2 * v["b"].grad, rel=1e-15)


# Where gradients meet --------------------------------------------------------


def test_a_value_used_twice_adds_up() -> None:
    a = Value(3.0)
    (a + a).backward()
    assert a.grad == 2.0


def test_a_value_used_on_two_ways_adds_up() -> None:
    a, b = Value(-2.0), Value(3.0)
    f = (a * b) * (a + b)
    f.backward()
    assert (f.data, a.grad, b.grad) == (-6.0, -3.0, -8.0)


# The exercises ---------------------------------------------------------------


def test_the_first_exercise() -> None:
    a, b, c = Value(2.0), Value(3.0), Value(4.0)
    f = -(a**3) + (3 * b).sin() - 1 / c + b**2.5 - a**0.5
    f.backward()
    assert f.data == pytest.approx(6.336362190988558, rel=1e-14)
    expected = [-12.353553390593273, 10.25699027111255, 0.0625]
    assert [v.grad for v in (a, b, c)] == pytest.approx(expected, rel=1e-14)


def test_the_second_exercise() -> None:
    logits = [Value(x) for x in (0.0, 3.0, -2.0, 1.0)]
    exps = [x.exp() for x in logits]
    whole: Any = sum(exps)
    loss = -(exps[3] / whole).log()
    loss.backward()
    assert loss.data == pytest.approx(2.1755153626167147, rel=1e-14)
    expected = [
        *[0.04177257051535045, 0.839024507462532],
        *[0.005653302662216329, -0.8864503806400987],
    ]
    assert [x.grad for x in logits] == pytest.approx(expected, rel=1e-13)


# Networks --------------------------------------------------------------------

XS = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
YS = [1.0, -1.0, -1.0, 1.0]


def test_a_network_of_forty_one_parameters() -> None:
    model = MLP(3, [4, 4, 1])
    assert len(model.parameters()) == 16 + 20 + 5 == 41
    assert isinstance(model(XS[0]), Value)
    assert len(Neuron(3).parameters()) == 4


def test_the_loop_by_hand_fits_the_four_examples() -> None:
    random.seed(1337)
    model: Any = MLP(3, [4, 4, 1])
    losses = []
    for _ in range(50):
        outputs = [model(x) for x in XS]
        loss: Any = sum((out - y) ** 2 for y, out in zip(YS, outputs, strict=True))
        for p in model.parameters():
            p.grad = 0.0
        loss.backward()
        for p in model.parameters():
            p.data += -0.05 * p.grad
        losses.append(loss.data)
    assert losses[-1] < 0.05 < losses[0]
    assert [math.copysign(1.0, model(x).data) for x in XS] == YS
