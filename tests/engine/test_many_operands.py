"""dot and total: one operation in place of many products and sums."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tanglegrad import Value, dot, gradcheck, total

if TYPE_CHECKING:
    from collections.abc import Callable

number = st.floats(-1e3, 1e3)
operand = st.tuples(number, st.booleans())


def made(drawn: tuple[float, bool]) -> Value | float:
    """A Value or a plain number."""
    x, plain = drawn
    return x if plain else Value(x)


def both(f: Callable[[], Any], leaves: list[Any]) -> tuple[str, list[float]]:
    """The bits of a result, and the gradients of the leaves among its operands."""
    values = [v for v in leaves if isinstance(v, Value)]
    for v in values:
        v.grad = 0.0
    out = f() + Value(0.0)
    out.backward()
    return out.data.hex(), [v.grad for v in values]


@given(st.lists(st.tuples(operand, operand), max_size=12), operand)
def test_dot_is_the_sum_of_the_products_bit_for_bit(pairs: Any, first: Any) -> None:
    ws, xs = [made(w) for w, _ in pairs], [made(x) for _, x in pairs]
    start = made(first)
    whole = both(lambda: dot(ws, xs, start), [start, *ws, *xs])
    parts = both(
        lambda: sum((w * x for w, x in zip(ws, xs, strict=True)), start + Value(0.0)),
        [start, *ws, *xs],
    )
    assert whole == parts


@given(st.lists(operand, max_size=12), operand)
def test_total_is_the_sum_bit_for_bit(drawn: Any, first: Any) -> None:
    values, start = [made(v) for v in drawn], made(first)
    whole = both(lambda: total(values, start), [start, *values])
    parts = both(lambda: sum(values, start + Value(0.0)), [start, *values])
    assert whole == parts


@pytest.mark.parametrize("x", [2.0, Value(2.0)])
def test_what_is_made_has_no_label_and_no_gradient_yet(x: Any) -> None:
    for out in dot([Value(1.0), x], [x, x]), total([x, Value(1.0)], x):
        assert (type(out), out.label, out.grad) == (Value, "", 0.0)


def test_one_value_in_several_places_gets_the_sum_of_its_slopes() -> None:
    x = Value(3.0)
    dot([x, x], [x, 2.0], x).backward()
    assert x.grad == 2 * 3.0 + 2.0 + 1.0
    y = Value(5.0)
    total([y, 1, y], y).backward()
    assert y.grad == 3.0


def test_nudging_agrees() -> None:
    assert gradcheck(lambda a, b, c: dot([a, b], [c, a], b).tanh(), 0.3, -0.8, 0.5)
    assert gradcheck(lambda a, b: total([a, b, a]).exp(), 0.3, -0.8)


def test_what_it_was_made_from_can_be_asked() -> None:
    w, x, b = Value(2.0), Value(3.0), Value(1.0)
    out = dot([w, 4], [x, w], b)
    assert out._op == "dot"
    assert out._prev == (b, w, x, w)
    assert out._slopes == (1.0, 3.0, 2.0, 4.0)
    assert out._operands == (b, w, 4.0, x, w)
    out = total([w, 4, x])
    assert out._op == "total"
    assert (out._prev, out._slopes) == ((w, x), (1.0, 1.0))
    assert out._operands == (0.0, w, 4.0, x)
    assert {type(v) for v in out._operands} == {float, Value}


def test_lists_are_read_once() -> None:
    out = dot((Value(x) for x in (1.0, 2.0)), iter([3.0, 4.0]))
    assert (out.data, len(out._prev)) == (11.0, 2)
    assert total(Value(x) for x in (1.0, 2.0)).data == 3.0


def test_nothing_to_add_is_the_start() -> None:
    assert (total([]).data, dot([], []).data) == (0.0, 0.0)
    assert (total([], Value(2.0)).data, dot([], [], 2).data) == (2.0, 2.0)


def test_nan_and_infinity_pass_through() -> None:
    assert math.isnan(dot([Value(0.0)], [math.inf]).data)
    assert math.isnan(total([Value(math.nan), 1.0]).data)
    assert dot([Value(1e200)], [1e200]).data == math.inf


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "text": (lambda: dot([Value(1.0)], ["2"]), TypeError, r"dot .*'2' \(str\)"),  # type: ignore[list-item]
    "none": (lambda: total([None]), TypeError, r"total .*None"),  # type: ignore[list-item]
    "start": (lambda: dot([1], [1], "2"), TypeError, r"dot .*'2'"),  # type: ignore[arg-type]
    "first": (lambda: total([1], [1]), TypeError, r"total .*\[1\]"),  # type: ignore[arg-type]
    "no list": (lambda: dot(Value(1.0), [1]), TypeError, r"dot .*Value\(data=1.0"),  # type: ignore[arg-type]
    "number": (lambda: total(3.0), TypeError, r"total .*3\.0"),  # type: ignore[arg-type]
    "shorter": (lambda: dot([1], [1, 2]), ValueError, r"dot .*1 and 2"),
    "longer": (lambda: dot([1, 2, 3], [1, 2]), ValueError, r"dot .*3 and 2"),
    "large": (lambda: total([10**400]), OverflowError, r"int is too large"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_sum_is_refused_by_name(name: str) -> None:
    call, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        call()


NUMBERS = [x / 7 for x in range(-20, 20)]


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


def test_a_million_terms() -> None:
    xs = [Value(1.0)] * 1_000_000
    made = dot(xs, [0.5] * len(xs))
    made.backward()
    assert (made.data, xs[0].grad) == (500_000.0, 500_000.0)
