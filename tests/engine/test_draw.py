"""Pictures of graphs: complete, in order, and the same each time."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tanglegrad import MLP, Value, micro
from tanglegrad.draw import (
    Picture,
    Step,
    _Layout,
    _nondecreasing,
    _scene,
    draw,
    draw_dot,
    steps,
    to_dot,
    trace,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

SVG = "{http://www.w3.org/2000/svg}"


def network(sizes: list[int]) -> Value:
    out = MLP(3, sizes, rng=random.Random(0))([1.0, 2.0, 3.0])
    assert isinstance(out, Value)
    out.backward()
    return out


def parsed(picture: Picture) -> ET.Element:
    return ET.fromstring(picture.svg)


def boxes(picture: Picture) -> list[tuple[float, float, float, float]]:
    """The boxes of a picture: left, top, right, bottom."""
    found = []
    for group in parsed(picture).iter(f"{SVG}g"):
        (rect,) = group.iter(f"{SVG}rect")
        x, y, w, h = (float(rect.get(k, "")) for k in ("x", "y", "width", "height"))
        found.append((x, y, x + w, y + h))
    return found


def diamond() -> Value:
    a, b = Value(2.0, label="a"), Value(3.0, label="b")
    s, p = a + b, a * b
    return (s + p) + s * p


@st.composite
def edges(draws: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    """A graph of a few values, each after its parents, none alone."""
    count = draws(st.integers(2, 12))
    found = []
    for child in range(1, count):
        parents = st.lists(
            st.integers(0, child - 1), min_size=1, max_size=3, unique=True
        )
        found += [(parent, child) for parent in draws(parents)]
    return count, found


# The walk --------------------------------------------------------------------


def test_the_trace_has_every_value_once_parents_first() -> None:
    nodes, pairs = trace(network([4, 1]))
    place = {id(v): n for n, v in enumerate(nodes)}
    assert len(place) == len(nodes)
    assert all(place[id(p)] < place[id(v)] for p, v in pairs)
    assert [p for p, _ in pairs] == [p for v in nodes for p in v._prev]


def test_the_trace_is_as_deep_as_the_graph() -> None:
    y = Value(1.0)
    for _ in range(100_000):
        y = -y
    nodes, pairs = trace(y)
    assert (len(nodes), len(pairs)) == (100_001, 100_000)


# The layout ------------------------------------------------------------------


@given(edges())
def test_every_arrow_points_to_the_right(
    graph: tuple[int, list[tuple[int, int]]],
) -> None:
    count, pairs = graph
    layout = _Layout(count, pairs)
    for path in layout.paths.values():
        columns = [layout.column[stop] for stop in path]
        assert columns == list(range(columns[0], columns[-1] + 1))
        assert len(columns) > 1


@given(edges())
def test_a_value_that_is_used_stands_just_before_its_first_use(
    graph: tuple[int, list[tuple[int, int]]],
) -> None:
    count, pairs = graph
    column = _Layout(count, pairs).column
    for value in range(count):
        used = [column[child] for parent, child in pairs if parent == value]
        assert not used or column[value] == min(used) - 1


@given(edges())
def test_crossings_are_pairs_of_arrows_in_opposite_orders(
    graph: tuple[int, list[tuple[int, int]]],
) -> None:
    layout = _Layout(*graph)
    arrows: dict[int, list[tuple[int, int]]] = {}
    for path in layout.paths.values():
        for a, b in pairwise(path):
            column = layout.column[a]
            rows = layout.rows[column].index(a), layout.rows[column + 1].index(b)
            arrows.setdefault(column, []).append(rows)
    counted = sum(
        (a - c) * (b - d) < 0
        for pairs in arrows.values()
        for (a, b), (c, d) in combinations(pairs, 2)
    )
    assert layout.crossings() == counted


@given(edges())
def test_arranging_never_adds_a_crossing(
    graph: tuple[int, list[tuple[int, int]]],
) -> None:
    layout = _Layout(*graph)
    rows = [sorted(column) for column in layout.rows]
    before = layout.crossings()
    layout.arrange()
    assert layout.crossings() <= before
    assert [sorted(column) for column in layout.rows] == rows


@given(edges())
def test_nothing_in_a_column_overlaps(graph: tuple[int, list[tuple[int, int]]]) -> None:
    layout = _Layout(*graph)
    layout.arrange()
    y = layout.heights()
    for column in layout.rows:
        for a, b in pairwise(column):
            assert y[b] - y[a] >= (layout.size[a] + layout.size[b]) / 2


numbers = st.lists(st.floats(-100, 100), min_size=1, max_size=8)


@given(numbers, numbers)
def test_no_other_steady_numbers_are_nearer(
    wishes: list[float], other: list[float]
) -> None:
    found = _nondecreasing(wishes)
    assert found == sorted(found)
    steady = sorted((other * len(wishes))[: len(wishes)])

    def far(numbers: list[float]) -> float:
        return sum((n - w) ** 2 for n, w in zip(numbers, wishes, strict=True))

    assert far(found) <= far(steady) + 1e-6


# The picture -----------------------------------------------------------------


def test_a_picture_has_every_value_and_every_edge() -> None:
    out = network([4, 4, 1])
    nodes, pairs = trace(out)
    root = parsed(draw(out))
    assert len(boxes(draw(out))) == len(nodes)
    assert len(root.findall(f"{SVG}path")) == len({(id(p), id(v)) for p, v in pairs})


def test_boxes_do_not_overlap_and_stay_in_the_frame() -> None:
    picture = draw(network([8, 8, 1]))
    found = boxes(picture)
    for a, b in combinations(found, 2):
        beside = a[2] <= b[0] or b[2] <= a[0]
        assert beside or a[3] <= b[1] or b[3] <= a[1]
    x, y, w, h = map(float, parsed(picture).get("viewBox", "").split())
    for left, top, right, bottom in found:
        assert x <= left
        assert right <= x + w
        assert y <= top
        assert bottom <= y + h


def test_a_box_shows_operation_label_number_and_gradient() -> None:
    x = Value(2.0, label="x")
    y = x**2
    y.label = "y"
    y.backward()
    texts = [t.text for t in parsed(draw(y)).iter(f"{SVG}text") if t.text]
    assert texts == ["4", "x", "2.0000", "4.0000", "**2 → y", "4.0000", "1.0000"]


def test_a_box_without_a_label_has_the_name_that_the_words_use() -> None:
    picture = draw(Value(2.0) ** 2)
    texts = [t.text for t in parsed(picture).iter(f"{SVG}text") if t.text]
    assert {"v0", "**2 → v1"} < set(texts)
    assert "v1 = v0 ** 2 is 4.0000" in picture.alt


def test_a_number_of_many_digits_is_shown_by_its_first() -> None:
    texts = [t.text for t in parsed(draw(Value(1.23456789e-7))).iter(f"{SVG}text")]
    assert "1.23e-07" in texts


def test_an_operand_used_twice_has_one_arrow_with_both_slopes() -> None:
    x = Value(3.0)
    root = parsed(draw(x * x))
    assert len(root.findall(f"{SVG}path")) == 1
    assert "3 + 3" in [t.text for t in root.iter(f"{SVG}text")]


def test_labels_are_escaped() -> None:
    label = '<b> & "q"'
    picture = draw(Value(1.0, label=label) + 1)
    assert label in [t.text for t in parsed(picture).iter(f"{SVG}text")]
    assert label in picture.alt
    assert label in parsed(picture).get("aria-label", "")


def test_the_words_are_made_from_the_edges() -> None:
    y = diamond()
    y.label = "y"
    said = draw(y).alt
    assert said.startswith("A graph of 7 values. a is 2.0000, its gradient 0.0000; ")
    for sentence in ("v2 = a + b is 5", "v3 = a * b is 6", "y = v4 + v5 is 41"):
        assert sentence in said


def test_the_words_of_a_large_graph_are_its_last_steps() -> None:
    said = draw(network([8, 8, 1])).alt
    assert ". The last 30: " in said
    assert said.count("; ") == 29


def test_of_a_graph_too_large_the_part_near_the_root_is_drawn() -> None:
    y = x = Value(1.0)
    for _ in range(1000):
        y = y + x
    picture = draw(y, limit=10)
    note = "The 10 values nearest to the root, of 1001. "
    assert len(boxes(picture)) == 10
    assert picture.alt.startswith(note)
    assert note in [t.text for t in parsed(picture).iter(f"{SVG}text")]


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_1_is_an_error(limit: int) -> None:
    says = f"limit must be a whole number of at least 1, not {limit}"
    with pytest.raises(ValueError, match=says):
        draw(Value(1.0), limit=limit)


def test_a_leaf_alone_can_be_drawn() -> None:
    assert draw(Value(1.0)).alt == (
        "A graph of 1 value. v0 is 1.0000, its gradient 0.0000."
    )


def test_values_of_micro_are_drawn_without_slopes() -> None:
    a, b = micro.Value(2.0, label="a"), micro.Value(3.0, label="b")
    y = a * b
    assert "v2 = a * b is 6.0000" in draw(y).alt
    texts = [t.text for t in parsed(draw(y)).iter(f"{SVG}text") if t.text]
    assert len(texts) == 9


def test_a_value_shows_itself_in_a_notebook() -> None:
    y = diamond()
    assert y._repr_svg_() == draw(y).svg == str(draw(y)) == draw(y)._repr_svg_()


PROGRAM = """
from tanglegrad import micro
from tanglegrad.draw import draw, to_dot
a, b, c = (micro.Value(float(n), label=n) for n in "123")
y = (a * b + c * a).tanh() + b * c
print(draw(y), to_dot(y))
"""


def test_the_same_graph_gives_the_same_text_in_every_process() -> None:
    texts = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(texts) == 1


# Step by step ----------------------------------------------------------------


def test_the_steps_end_with_the_gradients_of_backward() -> None:
    out = network([4, 1])
    nodes, _ = trace(out)
    assert steps(out)[-1].grads == tuple(f"{v.grad:.4f}" for v in nodes)


def test_forward_the_values_come_one_by_one_without_gradients() -> None:
    y = diamond()
    nodes, _ = trace(y)
    forward = steps(y)[: len(nodes)]
    assert [step.known for step in forward] == [1, 2, 3, 4, 5, 6, 7]
    assert [step.value for step in forward] == [0, 1, 2, 3, 4, 5, 6]
    assert {grad for step in forward for grad in step.grads} == {"0.0000"}
    assert forward[2].says == "v2 = a + b is 5.0000"


def test_each_step_back_is_what_the_engine_does() -> None:
    y = diamond()
    nodes, _ = trace(y)
    recorded = steps(y)[len(nodes) :]
    y.grad = 1.0
    made = [v for v in reversed(nodes) if v._prev]
    assert [step.value for step in recorded] == [nodes.index(v) for v in [y, *made]]
    assert recorded[0].grads == tuple(f"{v.grad:.4f}" for v in nodes)
    for step, value in zip(recorded[1:], made, strict=True):
        value._backward()
        assert step.grads == tuple(f"{v.grad:.4f}" for v in nodes)


def test_a_step_back_says_the_chain_rule_with_its_numbers() -> None:
    w, x = Value(-3.0, label="w"), Value(0.5, label="x")
    assert (
        steps(w * x)[-1].says == "w.grad += 0.5000 * 1.0000; x.grad += -3.0000 * 1.0000"
    )


def test_recording_leaves_every_gradient_as_it_was() -> None:
    y = diamond()
    nodes, _ = trace(y)
    for n, value in enumerate(nodes):
        value.grad = float(n)
    steps(y)
    assert [value.grad for value in nodes] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def test_an_error_on_the_way_leaves_every_gradient_as_it_was() -> None:
    x = Value(1.0)
    x.grad = 5.0
    y = Value(2.0, (x,), "mine")

    def fail() -> None:
        x.grad += 1.0
        raise RuntimeError("mine")

    y._backward = fail
    with pytest.raises(RuntimeError, match="mine"):
        steps(y)
    assert x.grad == 5.0


def test_an_operation_of_ones_own_passes_its_gradient_on() -> None:
    x = Value(1.0)
    y = Value(2.0, (x,), "mine")

    def push() -> None:
        x.grad += 7.0 * y.grad

    y._backward = push
    last = steps(y)[-1]
    assert last.says == "v1 passes 1.0000 on"
    assert last.grads == ("7.0000", "1.0000")


def test_a_rule_that_was_replaced_is_not_told() -> None:
    a, b = Value(2.0, label="a"), Value(3.0, label="b")
    p = a * b

    def push() -> None:
        a.grad += 100.0 * p.grad

    p._backward = push
    last = steps(p)[-1]
    assert last.says == "v2 passes 1.0000 on"
    assert last.grads == ("100.0000", "0.0000", "1.0000")


def test_everything_that_is_late_is_told_once() -> None:
    a = Value(2.0, label="a")
    s = a + 1
    u, v, w = s * 2, s * 3, s * s
    y = u + v + w
    for value, label in zip((s, u, v, w, y), "suvwy", strict=True):
        value.label = label
    (early,) = (step for step in steps(y, [s, u, v, w]) if "early" in step.says)
    assert early.says.endswith("(too early: u and v and w are still to come)")


def test_a_picture_of_the_root_alone_says_so() -> None:
    for picture in (draw(Value(1.0) + 1, limit=1), draw(Value(1.0) + 1, limit=True)):
        assert "The value nearest to the root, of 2." in picture.alt


def test_a_wrong_order_is_told_and_gives_wrong_gradients() -> None:
    y = diamond()
    y.label = "y"

    def at_once(value: Value) -> Iterator[Value]:
        yield value
        for parent in value._prev:
            yield from at_once(parent)

    assert not any("too early" in step.says for step in steps(y))
    wrong = steps(y, at_once(y))
    assert any("(too early: v5 is still to come)" in step.says for step in wrong)
    assert wrong[-1].grads[:2] == ("29.0000", "22.0000")


def test_the_steps_of_a_part_are_those_of_its_boxes() -> None:
    out = network([4, 1])
    places = {id(v): n for n, v in enumerate(trace(out)[0])}
    scene, _ = _scene(out, 14)
    here = [places[id(v)] for v in scene.nodes]
    whole = [(s.value, tuple(s.grads[n] for n in here)) for s in steps(out)]
    part = steps(out, limit=14)
    assert [s.value for s in part[:14]] == list(range(14))
    back = [scene.nodes[s.value]._op for s in part[14:]]
    assert back == ["dot", "dot", "tanh", "tanh", "tanh", "tanh"]
    assert all((here[s.value], s.grads) in whole for s in part)
    assert part[-1].grads == whole[-1][1]


@pytest.mark.parametrize("kind", [Value, micro.Value])
def test_a_gradient_that_comes_from_outside_the_part_arrives(kind: Any) -> None:
    a = kind(2.0, label="a")
    root = a + a.relu().relu().relu()
    part = steps(root, limit=3)
    assert part[-1].grads == ("2.0000", "1.0000", "1.0000")
    assert len(part) == 6
    assert part[-1].value == 0
    assert part[-1].says.startswith("from outside: ")
    assert not any("outside" in step.says for step in part[:-1])
    assert a.grad == 0.0


def test_what_goes_to_values_outside_the_part_is_not_told() -> None:
    a, b = Value(2.0, label="a"), Value(3.0, label="b")
    said = [step.says for step in steps((a + 1) * b, limit=2)]
    assert said[-1] == "v0.grad += 3.0000 * 1.0000"


def test_values_of_micro_can_be_walked() -> None:
    x = micro.Value(3.0, label="x")
    y = x * x
    assert steps(y)[-1] == Step(1, 2, "v1 passes 1.0000 on", ("6.0000", "1.0000"))


# Dot -------------------------------------------------------------------------


def test_dot_has_a_line_for_each_value_and_each_edge() -> None:
    nodes, pairs = trace(diamond())
    lines = to_dot(diamond()).splitlines()
    assert lines[0] == "digraph {"
    assert lines[-1] == "}"
    assert len(lines) == 3 + len(nodes) + len(pairs)
    assert sum(" -> " in line for line in lines) == len(pairs)


def test_signs_of_dot_lose_their_meaning() -> None:
    text = to_dot(Value(1.0, label='a{b}|<c> "d" \\e'))
    assert r'"{a\{b\}\|\<c\>\ \"d\"\ \\e | 1.0000 | 0.0000}"' in text


def test_the_name_of_the_lectures_draws() -> None:
    assert draw_dot is draw
