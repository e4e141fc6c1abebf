"""total and dot: one operation for a whole sum, with the bits of the plain one."""

from __future__ import annotations

import math
import random
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import Value, dot, gradcheck, total

if TYPE_CHECKING:
    from collections.abc import Callable

RNG = random.Random(5)
NUMBERS = [RNG.uniform(-3.0, 3.0) * 10 ** RNG.randint(-8, 8) for _ in range(40)]


def plain_dot(ws: list[Value], xs: list[Value], start: Value) -> Any:
    return sum((w * x for w, x in zip(ws, xs, strict=True)), start)


def test_a_total_has_the_bits_of_the_plain_sum() -> None:
    for count in range(1, len(NUMBERS)):
        values = [Value(x) for x in NUMBERS[:count]]
        plain: Any = sum(values)
        assert total(values).data.hex() == plain.data.hex()


def test_a_dot_has_the_bits_of_the_plain_sum_of_products() -> None:
    for count in range(1, len(NUMBERS) // 2):
        ws = [Value(x) for x in NUMBERS[:count]]
        xs = [Value(x) for x in NUMBERS[count : 2 * count]]
        start = Value(0.1)
        assert dot(ws, xs, start).data.hex() == plain_dot(ws, xs, start).data.hex()


def test_every_term_of_a_total_has_slope_one() -> None:
    values, start = [Value(x) for x in NUMBERS], Value(2.0)
    (total(values, start) * 3.0).backward()
    assert [v.grad for v in (start, *values)] == [3.0] * 41


def test_every_side_of_a_dot_has_the_other_as_its_slope() -> None:
    ws, xs = [Value(x) for x in NUMBERS[:20]], [Value(x) for x in NUMBERS[20:]]
    start = Value(1.0)
    (dot(ws, xs, start) * 2.0).backward()
    assert [w.grad for w in ws] == [2.0 * x.data for x in xs]
    assert [x.grad for x in xs] == [2.0 * w.data for w in ws]
    assert start.grad == 2.0


def test_one_value_may_stand_in_many_places() -> None:
    x, y = Value(3.0), Value(5.0)
    total([x, y, x, x], x).backward()
    assert (x.grad, y.grad) == (4.0, 1.0)
    x.grad = y.grad = 0.0
    dot([x, x, y], [x, y, 2.0], y).backward()  # x² + xy + 2y + y
    assert (x.grad, y.grad) == (11.0, 6.0)


def test_they_pass_the_check_with_what_is_around_them() -> None:
    def f(a: Any, b: Any, c: Any) -> Value:
        inner = dot([a, b.tanh()], [c, a * a], b)
        return total([inner, inner * c, a.exp()], inner.sin()) * inner

    assert gradcheck(f, 0.3, -0.7, 1.2)


def test_numbers_may_stand_among_the_values() -> None:
    w, x = Value(2.0), Value(-3.0)
    made = dot([w, 4, 0.5], [x, w, True], Fraction(1, 4))
    made.backward()
    assert made.data == 0.25 - 6.0 + 8.0 + 0.5
    assert (w.grad, x.grad) == (-3.0 + 4.0, 2.0)
    summed = total([1, w, 2.5], 3)
    summed.backward()
    assert (summed.data, type(summed.data)) == (8.5, float)
    assert w.grad == 2.0


@pytest.mark.parametrize("start", [0.0, 7, Value(1.5)], ids=repr)
def test_a_sum_of_nothing_is_its_start(start: Any) -> None:
    number = start.data if isinstance(start, Value) else float(start)
    for made in (total([], start), dot([], [], start)):
        assert (type(made), made.data) == (Value, number)
    assert total([]).data == dot([], []).data == 0.0


def test_generators_are_read_once() -> None:
    values = [Value(x) for x in (1.0, 2.0, 3.0)]
    assert total(v for v in values).data == 6.0
    assert dot((v for v in values), iter(values)).data == 14.0


def test_a_list_that_is_changed_afterwards_changes_nothing() -> None:
    ws, xs, values = [Value(2.0)], [Value(5.0)], [Value(3.0)]
    product, summed = dot(ws, xs), total(values)
    w, x, v = ws[0], xs[0], values[0]
    for changed in (ws, xs, values):
        changed[0] = Value(100.0)
        changed.append(Value(100.0))
    product.backward()
    summed.backward()
    assert (w.grad, x.grad, v.grad) == (5.0, 2.0, 1.0)


def test_their_parents_are_the_values_from_left_to_right() -> None:
    a, b, c, d = map(Value, (1.0, 2.0, 3.0, 4.0))
    assert total([b, 5.0, c], a)._prev == (a, b, c)
    assert dot([a, b], [c, d])._prev == (a, c, b, d)
    assert [made._op for made in (total([a]), dot([a], [b]))] == ["total", "dot"]


def test_a_million_terms() -> None:
    xs = [Value(1.0)] * 1_000_000
    made = dot(xs, [0.5] * len(xs))
    made.backward()
    assert (made.data, xs[0].grad) == (500_000.0, 500_000.0)


MAKERS: dict[str, Callable[[Any], Value]] = {
    "total, a value": lambda bad: total([Value(1.0), bad]),
    "total, its start": lambda bad: total([Value(1.0)], bad),
    "dot, a weight": lambda bad: dot([bad], [Value(1.0)]),
    "dot, an input": lambda bad: dot([Value(1.0)], [bad]),
    "dot, its start": lambda bad: dot([Value(1.0)], [Value(1.0)], bad),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("bad", ["1", None, [1.0], 1j], ids=repr)
def test_what_is_no_number_is_refused_with_the_name_of_the_operation(
    name: str, bad: Any
) -> None:
    with pytest.raises(TypeError) as refused:
        MAKERS[name](bad)
    message = str(refused.value)
    assert message.startswith(name.partition(",")[0])
    assert repr(bad) in message


@pytest.mark.parametrize(("left", "right"), [(0, 1), (1, 0), (2, 3), (5, 1)])
def test_lists_of_two_lengths_are_refused_with_both(left: int, right: int) -> None:
    with pytest.raises(ValueError, match=rf"^dot .*{left}.*{right}"):
        dot([Value(1.0)] * left, [2.0] * right)


@pytest.mark.parametrize("bad", [None, 3.0, Value(1.0)], ids=repr)
def test_what_is_not_listed_is_refused(bad: Any) -> None:
    message = f"takes lists of numbers, not {bad!r}"
    with pytest.raises(TypeError, match=f"^total {re.escape(message)}"):
        total(bad)
    for pair in ((bad, [1.0]), ([1.0], bad)):
        with pytest.raises(TypeError, match=f"^dot {re.escape(message)}"):
            dot(*pair)


def test_infinities_and_nan_go_through() -> None:
    assert total([Value(math.inf), 1.0]).data == math.inf
    assert math.isnan(total([Value(math.inf), -math.inf]).data)
    assert math.isnan(dot([Value(0.0)], [math.inf]).data)
