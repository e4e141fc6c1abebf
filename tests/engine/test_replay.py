"""A recorded program computes what the engine computes, to the last bit."""

from __future__ import annotations

import gc
import math
import random
import re
import subprocess
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from operator import neg
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tanglegrad import MLP, Replay, Value, dot, record, replay, total
from tests.engine.graphs import EVERY, Program, examples, programs

if TYPE_CHECKING:
    from pathlib import Path


def bits(numbers: list[float]) -> list[str]:
    return ["nan" if math.isnan(x) else float(x).hex() for x in numbers]


def eager(root: Value, leaves: list[Value]) -> list[str]:
    """The number of root and the gradients of leaves, by the engine."""
    for leaf in leaves:
        leaf.grad = 0.0
    root.backward()
    return bits([root.data + 0.0, *(leaf.grad for leaf in leaves)])


def replayed(program: Replay, leaves: list[Value], *row: float) -> list[str]:
    for leaf in leaves:
        leaf.grad = 0.0
    number = program(*row)
    return bits([number, *(leaf.grad for leaf in leaves)])


# Random graphs ---------------------------------------------------------------


@examples(60)
@given(programs(EVERY))
def test_every_bit_is_that_of_the_engine(program: Program) -> None:
    values = program.run(Value)
    leaves, root = values[: len(program.inputs)], values[-1]
    if root._prev:
        assert replayed(record(root), leaves) == eager(root, leaves)


@examples(30)
@given(programs(EVERY), st.integers(1, 60))
def test_pieces_of_any_size_compute_the_same(program: Program, size: int) -> None:
    values = program.run(Value)
    leaves, root = values[: len(program.inputs)], values[-1]
    if root._prev:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(replay, "_PIECE", size)
            patch.setattr(replay, "_WIDE", 3)
            patch.setattr(replay, "_LONG", 30)
            cut = record(root)
        assert replayed(cut, leaves) == eager(root, leaves)


def behind(root: Value) -> set[Value]:
    found, waiting = {root}, [root]
    while waiting:
        new = [v for v in waiting.pop()._prev if v not in found]
        found.update(new)
        waiting.extend(new)
    return found


@examples(60)
@given(programs(EVERY, size=60), st.data())
def test_rows_are_the_engine_on_each_row_in_turn(
    program: Program, data: st.DataObject
) -> None:
    values = program.run(Value)
    leaves, root = values[: len(program.inputs)], values[-1]
    there = [i for i, leaf in enumerate(leaves) if leaf in behind(root)]
    if not root._prev or not there:
        return
    given_places = data.draw(st.lists(st.sampled_from(there), min_size=1, unique=True))
    recorded = record(root, [leaves[i] for i in given_places])
    parameters = [v for i, v in enumerate(leaves) if i not in given_places]
    factors = data.draw(st.lists(st.floats(0.5, 1.5), max_size=4))
    rows = [[program.inputs[i] * k for i in given_places] for k in factors]

    number, grads, error = 0.0, [0.0] * len(parameters), None
    try:
        for row in rows:
            xs = list(program.inputs)
            for i, x in zip(given_places, row, strict=True):
                xs[i] = x
            fresh = program.run(Value, *xs)
            for i, v in enumerate(i for i in range(len(xs)) if i not in given_places):
                fresh[v].grad = grads[i]
            fresh[-1].backward()
            number += fresh[-1].data
            grads = [fresh[i].grad for i in range(len(xs)) if i not in given_places]
    except (ValueError, ZeroDivisionError) as failure:
        error = type(failure)
    if error:
        with pytest.raises(error):
            recorded.rows(rows)
        assert all(p.grad == 0.0 for p in parameters)
        return
    assert bits([recorded.rows(rows)]) == bits([number])
    ours = [p.grad for p in parameters]
    inputs = {leaves[i] for i in given_places}
    if all(behind(v) & inputs for v in behind(root) if v._prev):
        assert bits(ours) == bits(grads)
    scale = max([1.0, *map(abs, grads)])
    for mine, theirs in zip(ours, grads, strict=True):
        assert mine == pytest.approx(theirs, abs=1e-9 * scale, nan_ok=True)


def found(program: Program, target: str) -> list[float] | type[Exception]:
    """The number and the gradients of a random graph over three rows; its error."""
    values = program.run(Value)
    leaves, root = values[: len(program.inputs)], values[-1]
    which = next(i for i, leaf in enumerate(leaves) if leaf in behind(root))
    replay = record(root, [leaves[which]], target)
    rows = [[program.inputs[which] * k] for k in (1.0, 0.875, 1.125)]
    try:
        number = replay.rows(rows)
    except (ValueError, ZeroDivisionError) as failure:
        return type(failure)
    return [number, *(leaf.grad for leaf in leaves)]


@examples(40)
@given(programs(EVERY, size=60))
def test_over_columns_random_graphs_agree_up_to_rounding(program: Program) -> None:
    pytest.importorskip("numpy")
    if not program.run(Value)[-1]._prev:
        return
    plain: Any = found(program, "python")
    if isinstance(plain, list):
        scale = max([1.0, *map(abs, plain)])
        plain = pytest.approx(plain, abs=1e-9 * scale, nan_ok=True)
    assert found(program, "columns") == plain


@examples(6)
@given(programs(EVERY, size=60))
def test_in_c_every_bit_of_a_random_graph_is_that_of_python(program: Program) -> None:
    if not program.run(Value)[-1]._prev:
        return
    numbers = [found(program, target) for target in ("python", "c")]
    plain, compiled = (bits(x) if isinstance(x, list) else x for x in numbers)
    assert compiled == plain


@examples(60)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=100))
def test_long_sums_with_shared_factors_keep_their_order(
    pairs: list[tuple[int, int]],
) -> None:
    rng = random.Random(len(pairs))
    leaves = [Value(rng.gauss(0, 1)) for _ in range(4)]
    things: list[Value | float] = [*leaves, 0.3, -1.7]
    start = leaves[0] * leaves[1]
    ws, xs = [things[i] for i, _ in pairs], [things[j] for _, j in pairs]
    root = dot(ws, xs, start) * total([*xs, *ws], leaves[2]) + leaves[3]
    assert replayed(record(root), leaves) == eager(root, leaves)


# Edges -----------------------------------------------------------------------

EDGES = [0.0, -0.0, 1.0, -2.0, 0.5, 30.0, -800.0, 800.0, 1e-320, math.inf, math.nan]
OPERATIONS: dict[str, Callable[[Value, Value], Value]] = {
    "x + y": lambda x, y: x + y,
    "x - y": lambda x, y: x - y,
    "x * y": lambda x, y: x * y,
    "x / y": lambda x, y: x / y,
    "x ** y": lambda x, y: x**y,
    "x ** 2": lambda x, y: x**2 + y,
    "x ** -3": lambda x, y: x**-3 + y,
    "x ** 0.5": lambda x, y: x**0.5 + y,
    "x ** 0": lambda x, y: x**0 + y,
    "0 ** x": lambda x, y: 0**x + y,
    "2 ** x": lambda x, y: 2**x + y,
    "3 - x": lambda x, y: 3 - x + y,
    "3 / x": lambda x, y: 3 / x + y,
    "x / 3": lambda x, y: x / 3 + y,
    "-(-x)": lambda x, y: neg(neg(x)) - neg(y),
    "inf * x": lambda x, y: math.inf * x + y,
    "tanh": lambda x, y: x.tanh() * y,
    "sigmoid": lambda x, y: x.sigmoid() * y,
    "exp": lambda x, y: x.exp() * y,
    "log": lambda x, y: x.log() * y,
    "sqrt": lambda x, y: x.sqrt() * y,
    "sin": lambda x, y: x.sin() * y,
    "cos": lambda x, y: x.cos() * y,
    "relu": lambda x, y: x.relu() * y,
    "abs": lambda x, y: abs(x) * y,
}


@pytest.mark.parametrize("target", ["python", "c"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_at_its_edges_is_that_of_the_engine(
    name: str, target: str
) -> None:
    x, y, k = Value(0.5), Value(0.7), Value(1.0)
    program = record(OPERATIONS[name](x, y) * k, [k], target)
    for a, b in [(a, b) for a in EDGES for b in (1.5, -1.0, 0.0)]:
        x.data, y.data = a, b
        try:
            expected = eager(OPERATIONS[name](x, y) * 1.0, [x, y])
        except (ValueError, ZeroDivisionError) as failure:
            with pytest.raises(type(failure)):
                program(1.0)
        else:
            assert replayed(program, [x, y], 1.0) == expected, (a, b)


@pytest.mark.parametrize("name", OPERATIONS)
def test_over_columns_it_agrees_up_to_rounding(name: str) -> None:
    pytest.importorskip("numpy")
    x, y = Value(0.5), Value(0.7)
    program = record(OPERATIONS[name](x, y) * y, [x], "columns")
    plain = record(OPERATIONS[name](x, y) * y, [x])
    for b in (1.5, -1.0, 0.0):
        y.data = b
        for rows in ([[1.5], [0.5]], *([[a], [1.5]] for a in EDGES)):
            y.grad = 0.0
            try:
                number, slope = plain.rows(rows), y.grad
            except (ValueError, ZeroDivisionError) as failure:
                with pytest.raises(type(failure)):
                    program.rows(rows)
                continue
            y.grad = 0.0
            close = pytest.approx([number, slope], rel=1e-12, nan_ok=True)
            assert [program.rows(rows), y.grad] == close, (rows, b)


def test_a_small_sigmoid_keeps_its_digits_over_columns() -> None:
    pytest.importorskip("numpy")
    x = Value(0.0)
    program = record(x.sigmoid(), [x], "columns")
    for number in (-700.0, -40.0, -30.0, -1.0, 0.0, 1.0, 40.0, 700.0):
        close = pytest.approx(Value(number).sigmoid().data, rel=1e-15, abs=0.0)
        assert program(number) == close, number


# Networks --------------------------------------------------------------------


def network(activation: str) -> tuple[list[Value], Value, list[Value]]:
    """The inputs, the loss with a penalty, and the parameters of a network."""
    model = MLP(2, [5, 4, 1], activation, random.Random(3))
    inputs = [Value(0.0) for _ in range(3)]
    output = model(inputs[:2])
    assert isinstance(output, Value)
    penalty = sum(p * p for p in model.parameters())
    loss = ((1.0 - inputs[2] * output).relu() + 0.01 * penalty) / 30
    return inputs, loss, model.parameters()


def table() -> list[list[float]]:
    rng = random.Random(4)
    return [[rng.gauss(0, 1) for _ in range(3)] for _ in range(30)]


@pytest.mark.parametrize("activation", ["tanh", "relu", "sigmoid"])
@pytest.mark.parametrize("target", ["columns", "c"])
def test_every_target_gives_the_gradients_of_the_engine(
    activation: str, target: str
) -> None:
    pytest.importorskip("numpy")
    inputs, loss, parameters = network(activation)
    numbers = []
    for program in (record(loss, inputs), record(loss, inputs, target)):
        for p in parameters:
            p.grad = 0.25
        numbers.append([program.rows(table()), *(p.grad for p in parameters)])
    if target == "c":
        assert bits(numbers[0]) == bits(numbers[1])
    assert numbers[1] == pytest.approx(numbers[0], rel=1e-12, abs=1e-14)


def test_the_same_graph_has_the_same_source_in_every_process() -> None:
    program = (
        "from tests.engine.test_replay import network; from tanglegrad import record; "
        "inputs, loss, _ = network('tanh'); print(record(loss, inputs).source)"
    )
    command = [sys.executable, "-c", program]
    path = ":".join(sys.path)
    environments = [{"PYTHONPATH": path, "PYTHONHASHSEED": seed} for seed in "12"]
    runs = [
        subprocess.run(command, check=True, capture_output=True, text=True, env=env)
        for env in environments
    ]
    assert runs[0].stdout == runs[1].stdout
    inputs, loss, _ = network("tanh")
    assert record(loss, inputs).source + "\n" == runs[0].stdout


def test_a_fixed_part_is_computed_once() -> None:
    inputs, loss, parameters = network("tanh")
    before, _, after = record(loss, inputs).source.partition("\n    for ")
    squares = sum(f"p{i} * p{i}" in before for i in range(1, len(parameters) + 1))
    assert squares == len(parameters)
    assert " * p1 " not in after.split("    return")[0].split("\n    dv")[0]


def test_no_line_is_written_twice_and_no_name_is_kept_for_nothing() -> None:
    inputs, loss, _ = network("relu")
    lines = record(loss, inputs).source.splitlines()
    names = [line.split()[0] for line in lines if line.lstrip().startswith(("v", "dv"))]
    read = " ".join(line.partition("= ")[2] for line in lines)
    assert len(names) > 20
    assert [name for name in names if not re.search(rf"\b{name}\b", read)] == []
    made = [line for line in lines if " = " in line]
    assert len(made) == len(set(made))


# What it leaves behind -------------------------------------------------------


def alive() -> int:
    return sum(issubclass(type(thing), Value) for thing in gc.get_objects())


def test_a_program_holds_the_parameters_and_nothing_else_of_the_graph() -> None:
    gc.collect()
    before = alive()
    w = Value(2.0)
    program = record((w * 3.0).tanh() * (w + 1.0))
    gc.collect()
    assert alive() - before == 1
    assert program() == (w * 3.0).tanh().data * 3.0


def test_a_replay_leaves_no_work_for_the_collector() -> None:
    inputs, loss, _ = network("tanh")
    rows = table()
    gc.collect()
    gc.disable()
    try:
        program = record(loss, inputs)
        for _ in range(3):
            program.rows(rows)
        del program
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_compiling_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "temporary"
    made.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(made))
    x, w = Value(1.0), Value(2.0)
    program = record(x * w, [x], "c")
    assert list(tmp_path.iterdir()) == [made]
    assert list(made.iterdir()) == []
    assert program(4.0) == 8.0


# Growth ----------------------------------------------------------------------


def test_the_source_grows_as_the_graph_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "_PIECE", 200)
    lengths = []
    for size in (2_000, 4_000, 6_000):
        x, w = Value(0.5), Value(0.9)
        y = x
        for _ in range(size // 2):
            y = (w * y).sin()
        lengths.append(len(record(y, [x]).source))
    first, second = (b - a for a, b in pairwise(lengths))
    assert second == pytest.approx(first, rel=0.1)


def test_long_graphs_in_c_are_cut_into_functions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, w = Value(0.5), Value(0.9)
    y = x
    for _ in range(300):
        y = (w * y).sin()
    whole = record(y, [x])
    monkeypatch.setattr(replay, "_PIECE", 100)
    cut = record(y, [x], "c")
    assert cut.source.count("void each") > 2
    found = []
    for program in (whole, cut):
        w.grad = 0.0
        found.append((program(0.25), w.grad))
    assert found[0] == found[1]


def test_long_graphs_over_columns_are_cut_into_functions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("numpy")
    x, w = Value(0.5), Value(0.9)
    y = x
    for _ in range(300):
        y = (w * y).sin()
    rows = [[0.5], [0.25], [-1.0]]
    found, sources = [], []
    for size in (10_000, 100):
        monkeypatch.setattr(replay, "_PIECE", size)
        program = record(y + w, [x], "columns")
        w.grad = 0.0
        found.append((program.rows(rows), w.grad))
        sources.append(program.source)
    assert sources[1].count("def each") > 2
    assert found[0] == found[1]


def outcome(program: Replay, rows: list[list[float]], w: Value) -> object:
    """What a program returns and adds to the grad of w, or its error."""
    w.grad = 0
    try:
        return [program.rows(rows), w.grad]
    except (ArithmeticError, ValueError) as error:
        return type(error), w.grad


UNFLAGGED: list[tuple[float, Callable[[Value, Value], Value], float]] = [
    # To NumPy and to C infinity over zero is no error; to NumPy nan**0 has a slope.
    (0.0, lambda w, x: math.inf / (w + x), 0.0),
    (0.0, lambda w, x: x / w, math.inf),
    (0.0, lambda w, x: x / w, math.nan),
    (0.0, lambda w, x: (w + x) ** 2.5, -math.inf),
    (0.0, lambda w, x: (w + x) ** -0.5, -math.inf),
    (1.0, lambda w, x: w + (-math.inf) ** x, 2.5),
    (-math.inf, lambda w, x: w**x, 2.5),
    (1.0, lambda w, x: (w + x) ** 0, math.nan),
    (1.0, lambda w, x: abs(w + x), math.nan),
    (0.0, lambda w, x: (w + x).exp() / w, 800.0),
    # And numbers may be whole, however large.
    (2, lambda w, x: w * x, 3.0),
    (10**20, lambda w, x: (w * x) ** 3 + w * w, 2.0),
]


@pytest.mark.parametrize(("number", "function", "at"), UNFLAGGED)
@pytest.mark.parametrize("others", [[], [[1.0], [2.0]]])
@pytest.mark.parametrize("target", ["columns", "c"])
def test_what_numpy_or_c_see_otherwise_is_as_in_python(
    target: str,
    number: float,
    function: Callable[[Value, Value], Value],
    at: float,
    others: list[list[float]],
) -> None:
    if target == "columns":
        pytest.importorskip("numpy")
    w, x = Value(1.0), Value(1.0)
    root = function(w, x)
    programs = [record(root, [x], kind) for kind in ("python", target)]
    w.data = number
    plain, other = (outcome(program, [[at], *others], w) for program in programs)
    if isinstance(plain, list):
        plain = pytest.approx(plain, rel=1e-12, nan_ok=True)
    assert other == plain


@pytest.mark.parametrize("target", ["python", "columns", "c"])
def test_what_is_made_of_constants_is_not_computed_again(target: str) -> None:
    x, w, many = Value(1.0), Value(3.0), total([1.0] * 20_000)
    half, minus = total([0.5]), total([-2.0, 1.5])
    made = [minus.relu(), half.relu(), half.exp(), half.log(), half.sqrt(), half**half]
    made += [half.tanh(), half.sigmoid(), minus.abs(), minus.sin(), half / minus, many]
    root = w * x * dot([v + 3.0 for v in made], [2.0] * len(made))
    program = record(root, [x], target)
    root.backward()
    slope, w.grad = w.grad, 0.0
    assert (program(1.0), w.grad) == (root.data, slope)
    assert len(program.source) < 5_000


def lines_of_arrays(width: int, **how: Any) -> list[str]:
    pytest.importorskip("numpy")
    net = MLP(2, [width, width, 1], rng=random.Random(1), **how)
    inputs = [Value(0.5), Value(-0.5)]
    source = record(net(inputs) ** 2, inputs, "columns").source
    return [line for line in source.splitlines() if "V" in line]


def test_over_columns_a_wide_network_has_the_lines_of_a_narrow_one() -> None:
    assert len(lines_of_arrays(2)) == len(lines_of_arrays(30)) == 19


def test_over_columns_a_layer_is_a_product_of_matrices() -> None:
    first, *_, last = lines_of_arrays(5, activation="relu")
    assert first.strip() == "V1 = F[0:5] + F[5:15].reshape(5, 2) @ X"
    assert last.strip() == "dF[5:15] += (dV1 @ X.T).reshape(-1, 1)"


def layered(rng: random.Random) -> tuple[Value, list[Value]]:
    """A graph of many values that are alike, and its inputs."""
    inputs = [Value(rng.uniform(-1, 1)) for _ in range(rng.randint(1, 4))]
    fixed = [Value(rng.uniform(-1, 1)) for _ in range(rng.randint(1, 4))]
    fixed += [fixed[0] * 0.5, total(fixed)]
    numbers: list[Any] = [0.5, -1.0, 2.0, 0.0, -0.0, 1.0]
    values, layer = [*inputs, *fixed], inputs
    for _ in range(rng.randint(1, 5)):
        size = range(rng.randint(1, 4))
        a, b = rng.choice(layer), rng.choice(values)
        layer = rng.choice(
            [
                [dot(rng.choices(fixed, k=len(layer)), layer, b) for _ in size],
                [dot(layer, rng.choices(fixed + numbers, k=len(layer))) for _ in size],
                [dot(rng.choices(values, k=len(layer)), layer, 0.5) for _ in size],
                [dot([a, a], [a, b], a) for _ in size],
                [total(rng.choices(values, k=rng.randint(1, 60))) for _ in size],
                [fixed[0] * v for v in layer],
                [rng.choice(layer) - rng.choice(values) for _ in size],
                [rng.choice(numbers) * rng.choice(layer) for _ in size],
                [rng.choice(layer).tanh() for _ in size],
                [rng.choice(layer) ** 2 for _ in size],
                [rng.choice(layer).relu() for _ in size],
            ]
        )
        values += layer
    return total([*layer, rng.choice(values), *inputs]), inputs


def test_over_columns_values_are_alike_in_every_way() -> None:
    pytest.importorskip("numpy")
    written = Counter[str]()
    for seed in range(300):
        rng = random.Random(seed)
        root, inputs = layered(rng)
        rows = [[rng.uniform(-1, 1) for _ in inputs] for _ in range(seed % 4)]
        values, found = list(behind(root)), []
        for program in (record(root, inputs), record(root, inputs, "columns")):
            for v in values:
                v.grad = 0.25
            found.append([program.rows(rows), *(v.grad for v in values)])
        plain, over_columns = found
        assert {*map(type, over_columns)} == {float}
        scale = max(map(abs, plain))
        assert over_columns == pytest.approx(plain, rel=1e-9, abs=1e-9 * scale), seed
        for way in ("reshape", "np.add.at", ".sum(0)", "zeros_like", "np.array([0,"):
            written[way] += way in program.source
    assert min(written.values()) > 10, written


@pytest.mark.parametrize(("much", "care"), [(0, "-O0"), (10_000_000, "-O2")])
def test_the_compiler_takes_no_care_of_a_long_program(
    much: int, care: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []

    def watched(command: list[str], **options: Any) -> None:
        commands.append(command)
        compiled(command, **options)

    compiled: Any = subprocess.run
    monkeypatch.setattr(replay, "_MUCH", much)
    monkeypatch.setattr(subprocess, "run", watched)
    inputs, loss, parameters = network("tanh")
    leaves = [*inputs, *parameters]
    expected = replayed(record(loss, inputs), leaves, 0.5, -1.0, 1.0)
    assert replayed(record(loss, inputs, "c"), leaves, 0.5, -1.0, 1.0) == expected
    assert [command[1] for command in commands] == [care]


def test_what_has_no_value_behind_it_is_folded() -> None:
    x, w = Value(2.0), Value(3.0)
    program = record(x * w * total([1.5, 2.0]), [x])
    assert "3.5" in program.source
    assert program(4.0) == 42.0
    assert w.grad == 14.0


# What is refused -------------------------------------------------------------


def test_an_operation_of_ones_own_is_refused() -> None:
    x = Value(2.0)
    own = Value(8.0, (x,), "cube")
    with pytest.raises(ValueError, match=r"'cube'.*closure"):
        record(own * 2.0)
    own._backward = lambda: None
    with pytest.raises(ValueError, match=r"'cube'.*closure"):
        record(own * 2.0)
    sneaky = x * 3.0
    sneaky._backward = lambda: None
    with pytest.raises(ValueError, match=r"'\*'.*closure"):
        record(sneaky + 1.0)


def test_a_closure_that_is_false_is_a_closure() -> None:
    class Nothing:
        def __len__(self) -> int:
            return 0

        def __call__(self) -> None:
            pass

    made = Value(2.0) * 3.0
    made._backward = Nothing()
    with pytest.raises(ValueError, match=r"'\*'.*closure"):
        record(made + 1.0)


def test_what_is_no_leaf_of_the_root_is_no_input() -> None:
    x, y, w = Value(1.0), Value(2.0), Value(3.0)
    made = x * w
    for inputs in ([y], [x, x], [made], [x, y]):
        with pytest.raises(ValueError, match=r"input \d"):
            record(made + 1.0, inputs)
    with pytest.raises(TypeError, match=r"Values, not 1\.0"):
        record(made, [1.0])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"Values, not 1\.0"):
        record(1.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="nothing was computed"):
        record(x)


@pytest.mark.parametrize("target", ["python", "columns", "c"])
def test_a_wrong_row_is_refused_and_nothing_changes(target: str) -> None:
    x, w = Value(1.0), Value(3.0)
    program = record((x * w).log(), [x], target)
    w.grad = 5.0
    with pytest.raises(ValueError, match="row 1 must be a list of length 1, not 2"):
        program.rows([[1.0], [1.0, 2.0]])
    with pytest.raises(TypeError, match="real number, not 'two'"):
        program.rows([[1.0], ["two"]])  # type: ignore[list-item]
    with pytest.raises(OverflowError, match="row 1 holds a float; this int is too la"):
        program.rows([[1.0], [10**400]])
    with pytest.raises(ValueError, match=r"."):
        program.rows([[1.0], [-1.0]])
    assert w.grad == 5.0
    assert program.rows([]) == 0.0
    assert w.grad == 5.0


class Once:
    """A row that has a length and can be read once."""

    def __init__(self, row: list[float]) -> None:
        self.numbers, self.count = iter(row), len(row)

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[float]:
        return self.numbers


KINDS: list[Callable[[list[float]], Any]] = [
    list,
    tuple,
    iter,
    lambda row: map(int, row),
    lambda row: [Fraction(x) for x in row],
    lambda row: array("d", row),
    dict.fromkeys,
    Once,
]


@pytest.mark.parametrize("target", ["python", "columns", "c"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_row_may_be_whatever_lists_numbers(
    kind: Callable[[list[float]], Any], target: str
) -> None:
    x, y, w = Value(0.0), Value(1.0), Value(3.0)
    program = record((w * x).exp() - y, [x, y], target)
    for rows in ([[1.0, 4.0], [2.0, -1.0]], [[1.0, 4.0], [300.0, -1.0]]):  # inf at last
        w.grad = expected = 0.0
        for a, b in rows:
            out = (w * a).exp() - b
            expected += out.data
            out.backward()
        slope, w.grad = w.grad, 0.0
        assert program.rows(map(kind, rows)) == pytest.approx(expected, rel=1e-14)
        assert w.grad == pytest.approx(slope, rel=1e-14)


@pytest.mark.parametrize("target", ["python", "columns", "c"])
def test_a_whole_number_in_a_row_is_a_float(target: str) -> None:
    x, y, w = Value(0.0), Value(0.0), Value(1.0)
    program = record((x - y) * w, [x, y], target)
    assert program.rows([[2**53 + 1, 2**53]]) == w.grad == 0.0


def test_targets_that_are_not_there_say_what_they_need(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, w = Value(1.0), Value(3.0)
    with pytest.raises(ValueError, match="'python', 'columns', 'c', not 'rust'"):
        record(x * w, [x], "rust")
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(RuntimeError, match="needs a C compiler"):
        record(x * w, [x], "c")
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(ImportError, match="needs NumPy"):
        record(x * w, [x], "columns")


def test_columns_need_an_input() -> None:
    pytest.importorskip("numpy")
    with pytest.raises(ValueError, match="at least one input"):
        record(Value(1.0) * Value(2.0), [], "columns")


@pytest.mark.parametrize("k", [2.0, 3.0, -2.0, 2.5, Value(2.0), Value(3.0)])
def test_a_power_in_c_has_the_bits_of_the_engine(k: float | Value) -> None:
    rng = random.Random(7)
    w = Value(1.0)
    program = record(w**k, target="c")
    for _ in range(2_000):
        w.data, w.grad = rng.uniform(0.1, 20.0), 0.0
        result, slope = program(), w.grad
        w.grad = 0.0
        power = w**k
        power.backward()
        assert (result, slope) == (power.data, w.grad), w


@pytest.mark.parametrize("rows", [[[Value(1.0)]], [[2.0], [Value(1.0)]]])
def test_a_value_is_no_number_of_a_row(rows: list[list[Any]]) -> None:
    x, w = Value(0.0), Value(2.0)
    with pytest.raises(TypeError, match=r"row \d holds a real number, not Value"):
        record(w * x, [x]).rows(rows)
    assert w.grad == 0.0


@pytest.mark.parametrize("target", ["python", "columns", "c"])
def test_no_rows_change_nothing(target: str) -> None:
    if target == "columns":
        pytest.importorskip("numpy")
    x, w = Value(1.0), Value(0.0)
    assert record(w.sqrt() + x, [x], target).rows([]) == 0.0
    assert w.grad == 0.0
