"""Softmax and cross-entropy, against closed forms, nudging and PyTorch; the names."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tanglegrad import MLP, Value, cross_entropy, gradcheck, softmax, total
from tanglegrad.data import names

# Beyond about 745 a power of e is 0 or infinite.
NUMBERS = st.lists(st.floats(-2000.0, 2000.0), min_size=1, max_size=8)


def shares(numbers: list[float]) -> list[float]:
    """Softmax in plain numbers: 1 over the sum of e to the differences."""
    return [
        1.0 / math.fsum(math.exp(min(other - own, 700.0)) for other in numbers)
        for own in numbers
    ]


@given(NUMBERS)
def test_probabilities_are_between_0_and_1_and_add_up(numbers: list[float]) -> None:
    found = [p.data for p in softmax(numbers)]
    assert all(0.0 <= p <= 1.0 for p in found)
    assert math.fsum(found) == pytest.approx(1.0, abs=1e-15 * len(found))


@given(NUMBERS)
def test_they_are_the_powers_over_their_sum(numbers: list[float]) -> None:
    found = [p.data for p in softmax(numbers)]
    assert found == pytest.approx(shares(numbers), rel=1e-12, abs=1e-300)


@given(NUMBERS, st.integers(-1000, 1000))
def test_a_shift_of_all_logits_changes_nothing(numbers: list[float], by: int) -> None:
    whole = [round(number) for number in numbers]
    moved: list[Any] = [number + by for number in whole]
    there = [p.data for p in softmax(list(map(float, whole)))]
    assert [p.data for p in softmax(moved)] == there


@given(NUMBERS, st.data())
def test_the_loss_is_the_logarithm_of_the_probability(
    numbers: list[float], data: Any
) -> None:
    label = data.draw(st.integers(0, len(numbers) - 1))
    top = max(numbers)
    powers = math.fsum(math.exp(number - top) for number in numbers)
    expected = math.log(powers) + (top - numbers[label])
    loss = cross_entropy(numbers, label).data
    assert loss == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert loss >= 0.0


@given(NUMBERS, st.data())
def test_a_slope_is_the_probability_less_what_it_should_be(
    numbers: list[float], data: Any
) -> None:
    label = data.draw(st.integers(0, len(numbers) - 1))
    logits = [Value(number) for number in numbers]
    cross_entropy(logits, label).backward()
    expected = [p.data - (k == label) for k, p in enumerate(softmax(numbers))]
    assert [z.grad for z in logits] == pytest.approx(expected, abs=1e-14)


@given(NUMBERS, st.data())
def test_the_slopes_of_softmax_are_those_of_the_formula(
    numbers: list[float], data: Any
) -> None:
    k = data.draw(st.integers(0, len(numbers) - 1))
    logits = [Value(number) for number in numbers]
    found = softmax(logits)
    found[k].backward()
    p = [v.data for v in found]
    expected = [p[k] * ((j == k) - p[j]) for j in range(len(p))]
    assert [z.grad for z in logits] == pytest.approx(expected, abs=1e-14)


@given(st.lists(st.floats(-5.0, 5.0), min_size=1, max_size=5), st.data())
def test_nudging_agrees(numbers: list[float], data: Any) -> None:
    label = data.draw(st.integers(0, len(numbers) - 1))
    weights = [1.0 + k for k in range(len(numbers))]

    def mixed(*logits: Any) -> Value:
        parts = zip(weights, softmax(logits), strict=True)
        return total(w * p for w, p in parts) + cross_entropy(logits, label)

    assert gradcheck(mixed, *numbers)


def test_the_exercise_of_the_lectures() -> None:
    logits = [Value(z) for z in (0.0, 3.0, -2.0, 1.0)]
    loss = cross_entropy(logits, 3)
    loss.backward()
    assert loss.data == pytest.approx(2.1755153626167147, rel=1e-15)
    assert [z.grad for z in logits] == pytest.approx(
        [
            0.04177257051535045,
            0.839024507462532,
            0.005653302662216329,
            -0.8864503806400987,
        ],
        rel=1e-14,
    )


@pytest.mark.parametrize("size", [800.0, 1e5, 1e300, 1.7e308])
def test_logits_of_any_size_have_a_loss_and_slopes(size: float) -> None:
    for sign in (1.0, -1.0):
        logits = [Value(sign * size), Value(0.0)]
        right, wrong = (0, 1) if sign > 0 else (1, 0)
        assert [p.data for p in softmax(logits)][right] == 1.0
        assert [p.data for p in softmax(logits)][wrong] == 0.0
        assert cross_entropy(logits, right).data == 0.0
        loss = cross_entropy(logits, wrong)
        assert loss.data == size
        loss.backward()
        assert [logits[k].grad for k in (right, wrong)] == [1.0, -1.0]


def test_a_logit_of_minus_infinity_rules_a_class_out() -> None:
    logits = [Value(0.0), Value(-math.inf), Value(0.0)]
    assert [p.data for p in softmax(logits)] == [0.5, 0.0, 0.5]
    cross_entropy(logits, 0).backward()
    assert [z.grad for z in logits] == [-0.5, 0.0, 0.5]
    assert cross_entropy(logits, 1).data == math.inf


@pytest.mark.parametrize("bad", [[math.inf, 0.0], [math.nan, 0.0], [-math.inf] * 2])
def test_what_has_no_answer_is_nan(bad: list[float]) -> None:
    assert all(math.isnan(p.data) for p in softmax(bad))
    assert math.isnan(cross_entropy(bad, 1).data)


def test_numbers_of_all_kinds_and_values_may_be_mixed() -> None:
    third: Any = Fraction(1, 3)
    mixed = [Value(1.0), 2, third, True]
    plain = [1.0, 2.0, 1.0 / 3.0, 1.0]
    assert [p.data for p in softmax(mixed)] == [p.data for p in softmax(plain)]
    assert cross_entropy(iter(mixed), 1).data == cross_entropy(plain, 1).data


def test_one_class_is_certain() -> None:
    z = Value(3.0)
    assert [p.data for p in softmax([z])] == [1.0]
    loss = cross_entropy([z], 0)
    loss.backward()
    assert (loss.data, z.grad) == (0.0, 0.0)


def test_a_logit_that_is_there_twice_gets_both_slopes() -> None:
    z = Value(0.0)
    cross_entropy([z, z, Value(0.0)], 0).backward()
    assert z.grad == pytest.approx(2 / 3 - 1)


@pytest.mark.parametrize("function", [softmax, lambda zs: cross_entropy(zs, 0)])
def test_what_is_no_list_of_logits_is_refused(function: Any) -> None:
    single: Any = MLP(2, [1])([0.0, 0.0])
    for bad in (single, 1.0, None):
        with pytest.raises(TypeError, match="takes a list of logits, not "):
            function(bad)
    for bad in (["0.5"], [None, 1.0], [[1.0], [2.0]], [1j], "abc"):
        with pytest.raises(TypeError, match="takes a real number, not "):
            function(bad)
    with pytest.raises(ValueError, match="needs at least one logit, not none"):
        function([])
    with pytest.raises(OverflowError, match="takes a float; this int is too large"):
        function([10**400])


def test_the_message_names_the_function() -> None:
    with pytest.raises(ValueError, match=r"^softmax needs"):
        softmax([])
    with pytest.raises(ValueError, match=r"^cross_entropy needs"):
        cross_entropy([], 0)


@pytest.mark.parametrize("label", [1.0, "1", None, [0], Value(0.0)])
def test_a_label_that_is_no_integer_is_refused(label: Any) -> None:
    with pytest.raises(TypeError, match=r"^label must be a whole number, not "):
        cross_entropy([0.0, 1.0], label)


@pytest.mark.parametrize("label", [-1, 2, 10**30])
def test_a_label_without_a_logit_is_refused(label: int) -> None:
    with pytest.raises(ValueError, match=f"^label must be from 0 to 1, not {label}$"):
        cross_entropy([0.0, 1.0], label)


def test_torch_agrees() -> None:
    torch = pytest.importorskip("torch")
    numbers = [0.3, -1.2, 4.5, 900.0, 899.0]
    theirs = torch.tensor(numbers, dtype=torch.float64, requires_grad=True)
    label = torch.tensor(4)
    torch.nn.functional.cross_entropy(theirs, label).backward()
    ours = [Value(number) for number in numbers]
    loss = cross_entropy(ours, 4)
    loss.backward()
    assert [z.grad for z in ours] == pytest.approx(theirs.grad.tolist(), rel=1e-12)


def test_the_names_are_names() -> None:
    listed = names()
    assert 100 <= len(listed) <= 250
    assert listed == sorted(set(listed))
    assert all(name.isascii() and name.isalpha() for name in listed)
    assert all(name.islower() and 2 <= len(name) <= 10 for name in listed)
    assert {name[0] for name in listed} >= set("abcdefghijklmnoprstuvwyz")


def test_the_names_are_a_new_list_each_time() -> None:
    names().clear()
    assert names()
