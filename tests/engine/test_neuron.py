"""A weighted sum with a bias, through an activation, of as many inputs as it said."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tanglegrad import MLP, Layer, Module, Neuron, Value, gradcheck, micro


def fixed(weights: list[float], bias: float, activation: str | None = "tanh") -> Neuron:
    neuron = Neuron(len(weights), activation=activation)
    for w, number in zip(neuron.w, weights, strict=True):
        w.data = number
    neuron.b.data = bias
    return neuron


# What it computes ------------------------------------------------------------


@pytest.mark.parametrize(
    ("activation", "expected"),
    [
        ("tanh", math.tanh(0.75)),
        ("sigmoid", 1 / (1 + math.exp(-0.75))),
        ("relu", 0.75),
        (None, 0.75),
    ],
)
def test_its_output(activation: str | None, expected: float) -> None:
    neuron = fixed([0.5, -2.0, 1.0], 0.25, activation)
    out = neuron([3.0, 1.0, 1.0])
    assert out.data == pytest.approx(expected, rel=1e-15, abs=0.0)


def test_a_relu_neuron_is_silent_below_zero() -> None:
    neuron = fixed([1.0], -2.0, "relu")
    assert [neuron([x]).data for x in (1.0, 2.0, 5.0)] == [0.0, 0.0, 3.0]


def test_tanh_is_the_default() -> None:
    assert fixed([1.0], 0.0)([20.0]).data == math.tanh(20.0)
    assert Neuron(1).activation == "tanh"


def test_its_slopes() -> None:
    # along the weights the inputs, along the inputs the weights, times 1 - o² = 1/2
    neuron = fixed([-3.0, 1.0], 6.0 + math.asinh(1.0))
    inputs = [Value(2.0), Value(0.0)]
    out = neuron(inputs)
    out.backward()
    assert out.data == pytest.approx(1 / math.sqrt(2))
    assert [w.grad for w in neuron.w] == pytest.approx([1.0, 0.0])
    assert neuron.b.grad == pytest.approx(0.5)
    assert [x.grad for x in inputs] == pytest.approx([-1.5, 0.5])


@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "relu", None])
def test_its_slopes_agree_with_nudging(activation: str | None) -> None:
    neuron = Neuron(3, activation=activation, rng=random.Random(11))
    neuron.b.data = 0.6
    assert gradcheck(lambda *xs: neuron(xs) ** 2, 0.3, -1.2, 0.8)


def test_a_weight_on_a_zero_input_learns_nothing() -> None:
    neuron = Neuron(3)
    (neuron([1.0, 0.0, -1.0]) - 5).backward()
    assert [w.grad == 0.0 for w in neuron.w] == [False, True, False]


# Its inputs ------------------------------------------------------------------


def test_inputs_may_come_from_any_iterable_and_are_read_once() -> None:
    neuron = fixed([1.0, 10.0], 0.0, None)
    reads = []

    def inputs() -> Any:
        for x in (2.0, 3.0):
            reads.append(x)
            yield x

    assert neuron(inputs()).data == 32.0
    assert reads == [2.0, 3.0]
    assert neuron((2, 3)).data == 32.0
    assert neuron([Value(2.0), 3]).data == 32.0
    assert neuron({2.0: "a", 3.0: "b"}).data == 32.0


@pytest.mark.parametrize("count", [0, 1, 2, 4, 5])
def test_a_wrong_number_of_inputs_says_both_numbers(count: int) -> None:
    neuron = Neuron(3)
    for inputs in ([1.0] * count, (1.0 for _ in range(count))):
        with pytest.raises(ValueError, match=rf"Neuron.* 3 inputs, not {count}"):
            neuron(inputs)


@pytest.mark.parametrize(
    "wrong", ["1", None, [1.0], 1j, Decimal(1), micro.Value(1.0)], ids=repr
)
@pytest.mark.parametrize("activation", ["tanh", None])
def test_an_input_that_is_no_number_is_refused_and_named(
    wrong: Any, activation: str | None
) -> None:
    neuron = Neuron(2, activation)
    with pytest.raises(TypeError, match=r"Neuron.* takes a real number") as refused:
        neuron([1.0, wrong])
    assert f"not {wrong!r} ({type(wrong).__name__})" in str(refused.value)


# How it is made --------------------------------------------------------------


def test_its_weights_are_between_minus_one_and_one_and_its_bias_is_zero() -> None:
    neuron = Neuron(10_000, rng=random.Random(5))
    numbers = [w.data for w in neuron.w]
    assert -1.0 <= min(numbers) < -0.99
    assert 0.99 < max(numbers) <= 1.0
    assert abs(sum(numbers) / 10_000) < 0.02
    assert abs(sum(x * x for x in numbers) / 10_000 - 1 / 3) < 0.02
    assert neuron.b.data == 0.0


def test_random_seed_makes_it_repeatable() -> None:
    random.seed(3)
    first = [w.data for w in Neuron(4).w]
    second = [w.data for w in Neuron(4).w]
    random.seed(3)
    assert [w.data for w in Neuron(4).w] == first
    assert second != first


def test_a_generator_of_ones_own_gives_the_same_and_leaves_random_alone() -> None:
    random.seed(3)
    first = [w.data for w in Neuron(4).w]
    state = random.getstate()
    assert [w.data for w in Neuron(4, rng=random.Random(3)).w] == first
    assert random.getstate() == state


@pytest.mark.parametrize("nin", [0, -1, 2.0, 1.5, "2", None, [2]], ids=repr)
def test_a_bad_number_of_inputs_is_refused(nin: Any) -> None:
    with pytest.raises(ValueError, match="nin must be a whole number") as refused:
        Neuron(nin)
    assert repr(nin) in str(refused.value)


@pytest.mark.parametrize("name", ["tahn", "Tanh", "", 0, ["tanh"]], ids=repr)
def test_an_unknown_activation_is_refused_with_those_that_are_known(name: Any) -> None:
    with pytest.raises(ValueError, match="activation must be one of") as refused:
        Neuron(2, activation=name)
    message = str(refused.value)
    assert all(known in message for known in ("'tanh'", "'relu'", "'sigmoid'", "None"))
    assert message.endswith(f"not {name!r}")


@pytest.mark.parametrize("rng", [0, 42, "seed", [], ...], ids=repr)
def test_a_seed_is_no_generator(rng: Any) -> None:
    for make in (
        lambda: Neuron(2, rng=rng),
        lambda: Layer(2, 3, rng=rng),
        lambda: MLP(2, [3, 1], rng=rng),
    ):
        with pytest.raises(TypeError, match=r"rng must be a random\.Random") as refused:
            make()
        assert str(refused.value).endswith(f"not {rng!r}")


def test_a_refused_neuron_has_drawn_no_number() -> None:
    state = random.getstate()
    with pytest.raises(ValueError, match="activation"):
        Neuron(2, activation="tahn")
    with pytest.raises(ValueError, match="nin"):
        Neuron(0)
    assert random.getstate() == state


def test_it_prints_as_one_would_write_it() -> None:
    assert repr(Neuron(2)) == "Neuron(2, activation='tanh')"
    assert repr(Neuron(3, activation=None)) == "Neuron(3, activation=None)"


# Modules ---------------------------------------------------------------------


def test_its_parameters_are_the_weights_and_then_the_bias() -> None:
    neuron = Neuron(3)
    assert neuron.parameters() == [*neuron.w, neuron.b]
    assert list(neuron.named_parameters()) == ["w.0", "w.1", "w.2", "b"]
    assert isinstance(neuron, Module)


class Tied(Module):
    """Two neurons that share the first weight, a scale, and things that are none."""

    def __init__(self) -> None:
        self.name = "tied"
        self.pair = (Neuron(1), Neuron(2))
        self.pair[1].w[0] = self.pair[0].w[0]
        self.scales = [[Value(1.0)], []]
        self.count = 3
        self.more = {"gain": Value(2.0), "note": "none"}


def test_a_module_finds_the_parameters_of_all_its_parts_in_order() -> None:
    module = Tied()
    first, second = module.pair
    assert list(module.named_parameters()) == [
        "pair.0.w.0",
        "pair.0.b",
        "pair.1.w.1",
        "pair.1.b",
        "scales.0.0",
        "more.gain",
    ]
    assert module.parameters() == [
        first.w[0],
        first.b,
        second.w[1],
        second.b,
        module.scales[0][0],
        module.more["gain"],
    ]


def test_a_module_may_be_a_part_of_its_own_parts() -> None:
    module = Tied()
    names = list(module.named_parameters())
    vars(module)["more"]["owner"] = vars(module.pair[0])["owner"] = module
    assert list(module.named_parameters()) == names
    assert len(module.parameters()) == len(names)


def _list_in_itself(w: Value) -> object:
    parts: list[object] = [w]
    parts.append(parts)
    return parts


def _dictionary_in_itself(w: Value) -> object:
    parts: dict[str, object] = {"w": w}
    parts["parts"] = parts
    return parts


def _tuple_in_its_list(w: Value) -> object:
    parts: list[object] = []
    parts.append((w, parts))
    return parts


def _module_in_itself(w: Value) -> object:
    module = Module()
    vars(module).update(w=w, owners=[{"of": (module,)}])
    return module


@pytest.mark.parametrize(
    "around",
    [_list_in_itself, _dictionary_in_itself, _tuple_in_its_list, _module_in_itself],
)
def test_what_holds_itself_is_searched_once(around: Callable[[Value], object]) -> None:
    w, b = Value(1.0), Value(2.0)
    module = Module()
    vars(module).update(parts=around(w), b=b)
    assert module.parameters() == [w, b]
    assert list(module.named_parameters().values()) == [w, b]
    assert len(module.state_dict()) == 2


def test_two_parameters_of_one_name_are_refused() -> None:
    module = Module()
    vars(module)["parts"] = {1: Value(1.0), "1": Value(2.0)}
    assert len(module.parameters()) == 2
    with pytest.raises(ValueError, match=r"two parameters have the name 'parts\.1'"):
        module.named_parameters()


def test_a_module_without_parts_has_no_parameters() -> None:
    assert Module().parameters() == []
    assert Module().state_dict() == {}


def test_a_module_prints_its_name_and_the_number_of_its_parameters() -> None:
    assert repr(Tied()) == "Tied(6 parameters)"
    assert repr(Module()) == "Module(0 parameters)"


class Level(Value):
    """A parameter that is compared by its number."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Level) and self.data == other.data

    __hash__ = None  # type: ignore[assignment]


def test_two_parameters_of_equal_numbers_are_two() -> None:
    module = Module()
    module.levels = [Level(0.0), Level(0.0)]  # type: ignore[attr-defined]
    assert len(module.parameters()) == len(module.state_dict()) == 2


def test_zero_grad_clears_every_parameter_and_nothing_else() -> None:
    module = Tied()
    x = Value(2.0)
    out = module.pair[0]([x]) * module.pair[1]([x, x]) * module.scales[0][0]
    out = out * module.more["gain"]  # type: ignore[operator]
    out.backward()
    held = x.grad
    assert all(p.grad != 0.0 for p in module.parameters())
    module.zero_grad()
    assert [p.grad for p in module.parameters()] == [0.0] * 6
    assert x.grad == held != 0.0
