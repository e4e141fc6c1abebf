"""A Value is equal to itself alone: equal numbers may be different parameters."""

from __future__ import annotations

import math

from tanglegrad import Value


def test_only_the_same_value_is_equal() -> None:
    v, w = Value(1.0), Value(1.0)
    assert v == v
    assert v != w
    assert not v == w  # noqa: SIM201
    assert not v != v  # noqa: SIM202


def test_a_value_is_equal_to_no_number() -> None:
    one: object = Value(1.0)
    assert one != 1.0
    assert one != 1
    assert one not in [1.0, 1]


def test_nan_is_equal_to_itself_as_an_object() -> None:
    v = Value(math.nan)
    assert v == v


def test_values_are_members_of_sets_and_keys_of_dicts() -> None:
    v, w = Value(1.0), Value(1.0)
    assert len({v, w, v}) == 2
    names = {v: "v", w: "w"}
    assert (names[v], names[w]) == ("v", "w")


def test_a_value_is_found_in_a_list_by_identity() -> None:
    values = [Value(0.0) for _ in range(5)]
    assert [values.index(v) for v in values] == [0, 1, 2, 3, 4]
    assert Value(0.0) not in values


def test_its_hash_does_not_follow_its_data() -> None:
    v = Value(1.0)
    before, members = hash(v), {v}
    v.data, v.grad, v.label = 2.0, 3.0, "v"
    assert hash(v) == before
    assert v in members
