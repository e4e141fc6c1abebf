"""Layers, and layers in a row: counted, seeded, saved, loaded and copied."""

from __future__ import annotations

import copy
import json
import math
import pickle
import random
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import MLP, Layer, Module, Neuron, Value, gradcheck

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SIZES: list[tuple[int, list[int], int]] = [
    (3, [4, 4, 1], 41),
    (2, [16, 16, 1], 337),
    (1, [1], 2),
    (5, [7], 42),
    (2, [1, 3], 9),
    (2, [16, 1, 1], 67),
    (2, [1, 1, 1, 1], 9),
]


def call(model: Any, *xs: float | Value) -> list[Value]:
    """The outputs of a model, in a list also if there is one."""
    out = model(xs)
    return out if isinstance(out, list) else [out]


def numbers(model: Module) -> list[float]:
    return [p.data for p in model.parameters()]


# Shapes ----------------------------------------------------------------------


@pytest.mark.parametrize(("nin", "nouts", "count"), SIZES)
def test_parameters_are_counted(nin: int, nouts: list[int], count: int) -> None:
    model = MLP(nin, nouts)
    assert len(model.parameters()) == len(model.state_dict()) == count


@pytest.mark.parametrize(("nin", "nout"), [(1, 1), (3, 4), (4, 3), (784, 1)])
def test_a_layer_has_a_weight_for_each_input_and_a_bias(nin: int, nout: int) -> None:
    layer = Layer(nin, nout)
    assert len(layer.parameters()) == (nin + 1) * nout
    assert [len(neuron.w) for neuron in layer.neurons] == [nin] * nout


@pytest.mark.parametrize(("nin", "nouts", "count"), SIZES)
def test_there_are_as_many_outputs_as_asked_and_one_stands_alone(
    nin: int, nouts: list[int], count: int
) -> None:
    out = MLP(nin, nouts)([0.5] * nin)
    if nouts[-1] == 1:
        assert isinstance(out, Value), count
    else:
        assert isinstance(out, list)
        assert [type(v) for v in out] == [Value] * nouts[-1]


def test_a_layer_of_one_gives_the_value_itself() -> None:
    assert isinstance(Layer(2, 1)([1.0, 2.0]), Value)
    assert isinstance(Layer(2, 2)([1.0, 2.0]), list)
    (only,) = Layer(2, 1).outputs([1.0, 2.0])
    assert isinstance(only, Value)


@pytest.mark.parametrize(("nin", "nouts", "count"), SIZES)
def test_every_parameter_matters_to_the_outputs(
    nin: int, nouts: list[int], count: int
) -> None:
    model = MLP(nin, nouts, rng=random.Random(2))
    total: Any = sum(call(model, *[0.5] * nin))
    total.backward()
    assert sum(p.grad != 0.0 for p in model.parameters()) == count


# What it computes ------------------------------------------------------------


def test_a_layer_is_its_neurons_side_by_side() -> None:
    layer = Layer(2, 3, activation="sigmoid")
    expected = [neuron([0.3, -0.7]).data for neuron in layer.neurons]
    assert [v.data for v in call(layer, 0.3, -0.7)] == expected


@pytest.mark.parametrize(
    ("activation", "bend"),
    [
        ("tanh", math.tanh),
        ("relu", lambda x: max(0.0, x)),
        ("sigmoid", lambda x: 1 / (1 + math.exp(-x))),
        (None, lambda x: x),
    ],
)
def test_it_bends_inside_and_is_linear_at_the_end(
    activation: str | None, bend: Callable[[float], float]
) -> None:
    model = MLP(2, [3, 2, 2], activation=activation, rng=random.Random(9))
    for i, p in enumerate(model.parameters()):
        p.data += 0.1 * (i % 3)
    row = [0.8, -0.4]
    for depth, layer in enumerate(model.layers):
        sums = [
            sum(w.data * x for w, x in zip(n.w, row, strict=True)) + n.b.data
            for n in layer.neurons
        ]
        row = sums if depth == 2 else [bend(s) for s in sums]
    assert [v.data for v in call(model, 0.8, -0.4)] == pytest.approx(
        row, rel=1e-14, abs=0.0
    )


def test_tanh_inside_is_the_default() -> None:
    def one() -> random.Random:
        return random.Random(1)

    for default, named in (
        (MLP(2, [3, 1], rng=one()), MLP(2, [3, 1], "tanh", one())),
        (Layer(2, 3, rng=one()), Layer(2, 3, "tanh", one())),
    ):
        for ours, theirs in zip(call(default, 1, 2), call(named, 1, 2), strict=True):
            assert ours.data == theirs.data


def test_an_output_may_be_any_number() -> None:
    model = MLP(1, [2, 1])
    model.layers[-1].neurons[0].b.data = 1000.0
    assert call(model, 0.0)[0].data == 1000.0


@pytest.mark.parametrize("activation", ["tanh", "relu", "sigmoid", None])
def test_its_slopes_agree_with_nudging(activation: str | None) -> None:
    model = MLP(3, [4, 1, 2], activation=activation, rng=random.Random(8))

    def f(*xs: Value) -> Value:
        first, second = call(model, *xs)
        return first * second + first

    assert gradcheck(f, 0.4, -1.1, 0.9)


def test_the_slope_of_every_parameter_agrees_with_nudging() -> None:
    model = MLP(2, [3, 1, 2], rng=random.Random(8))
    names = list(model.state_dict())

    def loss(*ps: Any) -> Any:
        for neuron in (n for layer in model.layers for n in layer.neurons):
            count = len(neuron.w)
            neuron.w, neuron.b, ps = list(ps[:count]), ps[count], ps[count + 1 :]
        return sum((out - 0.5) ** 2 for out in call(model, 0.7, -0.3))

    assert len(names) == 17
    assert gradcheck(loss, *model.state_dict().values())


def test_without_an_activation_layers_collapse_into_one_affine_map() -> None:
    model = MLP(2, [5, 4, 1], activation=None)
    zero, x, y, xy = (
        call(model, *at)[0].data for at in ((0, 0), (3, 0), (0, -2), (3, -2))
    )
    assert xy == pytest.approx(x + y - zero, abs=1e-12)


# Sizes -----------------------------------------------------------------------


def test_sizes_and_inputs_may_be_generators_and_are_read_once() -> None:
    model = MLP(2, (n for n in (3, 3, 2)))
    assert repr(model) == "MLP(2, [3, 3, 2], activation='tanh')"
    from_list = model([0.1, 0.2])
    from_generator: Any = model(x for x in (0.1, 0.2))
    assert isinstance(from_list, list)
    assert [v.data for v in from_list] == [v.data for v in from_generator]
    layer = Layer(2, 3)
    out: Any = layer(x for x in (0.1, 0.2))
    assert [v.data for v in out] == [v.data for v in call(layer, 0.1, 0.2)]


@pytest.mark.parametrize("count", [0, 1, 3, 30])
def test_a_wrong_number_of_inputs_says_both_numbers(count: int) -> None:
    for model in (MLP(2, [4, 1]), MLP(2, [1]), Layer(2, 1), Layer(2, 5)):
        with pytest.raises(ValueError, match=rf"\b2 inputs, not {count}\b"):
            model([0.5] * count)


@pytest.mark.parametrize("x", [3, 0.5, None, Value(1.0)], ids=repr)
def test_inputs_that_are_not_listed_are_refused_and_shown(x: Any) -> None:
    for model in (Neuron(1), Layer(1, 1), Layer(1, 2), MLP(1, [1]), MLP(1, [2, 2])):
        with pytest.raises(TypeError, match=r"\(1,.*takes a list") as refused:
            model(x)
        assert str(refused.value).endswith(f"not {x!r}")


@pytest.mark.parametrize("size", [0, -4, 2.0, "2", None], ids=repr)
def test_a_bad_size_is_refused_and_shown(size: Any) -> None:
    for make, name in (
        (lambda: Layer(size, 2), "nin"),
        (lambda: Layer(2, size), "nout"),
        (lambda: MLP(size, [2, 1]), "nin"),
        (lambda: MLP(2, [size]), "nout"),
        (lambda: MLP(2, [3, size]), "nout"),
        (lambda: MLP(2, [size, 3]), "nout"),
    ):
        with pytest.raises(ValueError, match=f"{name} must be a whole") as refused:
            make()
        assert str(refused.value).endswith(f"not {size!r}")


def test_a_network_of_no_layers_is_refused() -> None:
    nouts: Iterable[int]
    for nouts in ([], (), iter(())):
        with pytest.raises(ValueError, match="at least one layer"):
            MLP(3, nouts)


def test_an_unknown_activation_is_refused() -> None:
    with pytest.raises(ValueError, match=r"one of 'tanh'.*not 'tahn'"):
        Layer(2, 1, activation="tahn")
    with pytest.raises(ValueError, match=r"one of 'tanh'.*not 'tahn'"):
        MLP(2, [3, 1], activation="tahn")


def test_an_unknown_activation_is_refused_also_where_no_layer_would_use_it() -> None:
    with pytest.raises(ValueError, match=r"one of 'tanh'.*not 'tahn'"):
        MLP(2, [1], activation="tahn")


def test_it_prints_its_shape() -> None:
    assert repr(MLP(3, [4, 4, 1])) == "MLP(3, [4, 4, 1], activation='tanh')"
    assert repr(MLP(1, [2], None)) == "MLP(1, [2], activation=None)"
    assert repr(MLP(2, [1, 1], "relu")) == "MLP(2, [1, 1], activation='relu')"
    assert repr(Layer(2, 3)) == "Layer(2, 3, activation='tanh')"
    assert repr(Layer(2, 1, "sigmoid")) == "Layer(2, 1, activation='sigmoid')"


@pytest.mark.parametrize("nouts", [3, None, 2.5], ids=repr)
def test_widths_that_are_not_listed_are_refused_and_shown(nouts: Any) -> None:
    with pytest.raises(TypeError, match=rf"nouts must list .*, not {nouts}"):
        MLP(2, nouts)


def test_a_refused_network_has_drawn_no_number() -> None:
    state = random.getstate()
    for sizes, activation in (([4, 0], "tanh"), ([], "tanh"), ([4, 1], "tahn")):
        with pytest.raises(ValueError, match="must"):
            MLP(3, sizes, activation)
    assert random.getstate() == state


# Seeds -----------------------------------------------------------------------


def test_the_same_seed_makes_the_same_network() -> None:
    random.seed(42)
    first, second = MLP(3, [4, 2]), MLP(3, [4, 2])
    random.seed(42)
    assert numbers(MLP(3, [4, 2])) == numbers(first) != numbers(second)
    assert numbers(MLP(3, [4, 2], rng=random.Random(42))) == numbers(first)


def test_a_generator_of_ones_own_leaves_random_alone() -> None:
    state = random.getstate()
    MLP(3, [4, 2], rng=random.Random(1))
    Layer(3, 4, rng=random.Random(1))
    assert random.getstate() == state


def test_no_two_weights_are_equal_and_every_bias_is_zero() -> None:
    model = MLP(3, [4, 4, 1])
    neurons = [n for layer in model.layers for n in layer.neurons]
    weights = [w.data for n in neurons for w in n.w]
    assert len(set(weights)) == len(weights) == 32
    assert all(-1.0 <= w <= 1.0 for w in weights)
    assert [n.b.data for n in neurons] == [0.0] * 9


# Saving and loading ----------------------------------------------------------


def test_the_names_tell_the_way_to_a_parameter() -> None:
    model = MLP(2, [2, 1])
    named = model.named_parameters()
    assert list(named) == [
        "layers.0.neurons.0.w.0",
        "layers.0.neurons.0.w.1",
        "layers.0.neurons.0.b",
        "layers.0.neurons.1.w.0",
        "layers.0.neurons.1.w.1",
        "layers.0.neurons.1.b",
        "layers.1.neurons.0.w.0",
        "layers.1.neurons.0.w.1",
        "layers.1.neurons.0.b",
    ]
    assert named["layers.0.neurons.1.w.0"] is model.layers[0].neurons[1].w[0]
    assert list(named.values()) == model.parameters()


def test_what_was_saved_can_be_loaded_bit_for_bit() -> None:
    model, twin = MLP(3, [4, 1], rng=random.Random(1)), MLP(3, [4, 1])
    assert numbers(twin) != numbers(model)
    twin.load_state_dict(json.loads(json.dumps(model.state_dict())))
    assert numbers(twin) == numbers(model)
    assert call(twin, 1, 2, 3)[0].data == call(model, 1, 2, 3)[0].data


def test_a_saved_state_is_plain_and_does_not_follow_the_model() -> None:
    model = MLP(2, [2])
    state = model.state_dict()
    before = dict(state)
    model.parameters()[0].data += 1.0
    assert state == before
    assert {type(x) for x in state.values()} == {float}


def test_loading_sets_the_numbers_of_the_same_parameters() -> None:
    model = MLP(2, [2, 1])
    kept = model.parameters()
    grads = [float(i) for i in range(len(kept))]
    for p, grad in zip(kept, grads, strict=True):
        p.grad = grad
    model.load_state_dict(dict.fromkeys(model.state_dict(), 3))
    assert model.parameters() == kept
    assert [p.grad for p in kept] == grads
    assert numbers(model) == [3.0] * 9
    assert {type(x) for x in numbers(model)} == {float}


def test_the_order_of_a_state_does_not_matter() -> None:
    model = MLP(2, [2, 1])
    state = {name: float(i) for i, name in enumerate(model.state_dict())}
    model.load_state_dict(dict(reversed(state.items())))
    assert numbers(model) == [float(i) for i in range(9)]


def refuses(model: Module, state: Any, error: type[Exception]) -> str:
    """The message with which a state is refused, the model being as it was."""
    before = numbers(model)
    with pytest.raises(error) as refused:
        model.load_state_dict(state)
    assert numbers(model) == before
    return str(refused.value)


def changed(model: Module, **entries: Any) -> dict[str, Any]:
    """The state with 1 added everywhere, and some entries set or, if None, left out."""
    state: dict[str, Any] = {name: x + 1 for name, x in model.state_dict().items()}
    for name, number in entries.items():
        state[name.replace("_", ".")] = number
        if number is None:
            del state[name.replace("_", ".")]
    return state


def test_a_missing_name_is_refused_and_told() -> None:
    model = MLP(2, [2, 1])
    message = refuses(model, changed(model, layers_1_neurons_0_b=None), ValueError)
    assert "MLP(2, [2, 1], activation='tanh') expects 9 numbers, 8 came" in message
    assert "missing: 'layers.1.neurons.0.b';" in message
    assert "unknown: none" in message


def test_an_unknown_name_is_refused_and_told() -> None:
    model = MLP(2, [2, 1])
    message = refuses(model, changed(model, bias=1.0), ValueError)
    assert "expects 9 numbers, 10 came" in message
    assert "missing: none; unknown: 'bias'" in message


def test_a_misprint_is_both() -> None:
    model = Neuron(2)
    message = refuses(model, changed(model, b=None, B=0.5), ValueError)
    assert "expects 3 numbers, 3 came; missing: 'b'; unknown: 'B'" in message


def test_the_state_of_another_network_is_refused_with_a_few_of_its_names() -> None:
    model, other = MLP(3, [4, 1]), MLP(3, [4, 4, 1])
    message = refuses(model, other.state_dict(), ValueError)
    assert "expects 21 numbers, 41 came" in message
    assert "and 17 more" in message
    assert message.count("layers.") == 3
    assert "0 came" in refuses(model, {}, ValueError)


@pytest.mark.parametrize("wrong", ["0.5", None, [0.5], 1j], ids=repr)
def test_what_is_no_number_is_refused_and_told_with_its_name(wrong: Any) -> None:
    model = MLP(2, [2, 1])
    last = "layers.1.neurons.0.b"
    message = refuses(model, {**changed(model), last: wrong}, TypeError)
    assert repr(wrong) in message
    assert repr(last) in message


def test_a_number_too_large_is_refused_before_any_is_loaded() -> None:
    model = MLP(2, [2, 1])
    last = "layers.1.neurons.0.b"
    message = refuses(model, {**changed(model), last: 10**400}, OverflowError)
    assert message.startswith(repr(last))


@pytest.mark.parametrize("state", [None, [1.0, 2.0, 3.0], "state", Neuron(2)], ids=repr)
def test_a_state_that_is_no_mapping_is_refused_and_shown(state: Any) -> None:
    message = refuses(Neuron(2), state, TypeError)
    assert message == f"a state must be a mapping, not {state!r}"


# Copies ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))]
)
def test_a_model_can_be_copied_also_while_its_graph_is_alive(copied: Any) -> None:
    model = MLP(2, [3, 2], activation="relu", rng=random.Random(4))
    alive = call(model, 1.0, -0.5)
    (alive[0] * alive[1]).backward()
    twin = copied(model)
    assert repr(twin) == repr(model)
    assert twin.state_dict() == model.state_dict()
    assert [p.grad for p in twin.parameters()] == [p.grad for p in model.parameters()]
    assert set(twin.parameters()).isdisjoint(model.parameters())
    before = numbers(model)
    for p in twin.parameters():
        p.data = 0.0
    assert numbers(model) == before
    assert [v.data for v in call(twin, 1.0, -0.5)] == [0.0, 0.0]


def test_a_parameter_that_is_shared_is_shared_in_the_copy() -> None:
    layer = Layer(1, 2)
    layer.neurons[1].w = layer.neurons[0].w
    twin = copy.deepcopy(layer)
    assert len(twin.parameters()) == len(layer.parameters()) == 3
    assert twin.neurons[1].w[0] is twin.neurons[0].w[0]
