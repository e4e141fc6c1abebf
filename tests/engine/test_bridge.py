"""A network goes to PyTorch and comes back, whole or not at all.

What can be said without PyTorch is said to a stand-in, which has of PyTorch the few
things that the bridge touches. Where PyTorch is installed, the same tests run on it.
"""

from __future__ import annotations

import random
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import MLP, Layer, Neuron, Value
from tanglegrad.bridge import from_torch, to_torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


# A stand-in ------------------------------------------------------------------


class Tensor:
    """Numbers, or rows of them, and the type that they were asked to have."""

    def __init__(self, numbers: Any, dtype: str = "torch.float32") -> None:
        self.numbers, self.dtype = numbers, dtype
        rows = isinstance(numbers[0], list)
        self.shape = (len(numbers), len(numbers[0])) if rows else (len(numbers),)

    def tolist(self) -> Any:
        return self.numbers


class Part:
    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Tanh(Part):
    pass


class ReLU(Part):
    pass


class Sigmoid(Part):
    pass


class Dropout(Part):
    pass


class Linear(Part):
    def __init__(self, nin: int, nout: int, *, bias: bool = True, **kind: str) -> None:
        self.in_features, self.out_features = nin, nout
        self.weight = Tensor([[0.5] * nin for _ in range(nout)], **kind)
        self.bias = Tensor([0.5] * nout, **kind) if bias else None


class Sequential(Part):
    def __init__(self, *parts: Part) -> None:
        self.parts = parts

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts)

    def __getitem__(self, place: int) -> Part:
        return self.parts[place]

    def named_parameters(self) -> Iterator[tuple[str, Tensor]]:
        seen: list[Tensor] = []
        for place, part in enumerate(self.parts):
            for name in ("weight", "bias"):
                tensor = getattr(part, name, None)
                if tensor is not None and not any(tensor is other for other in seen):
                    seen.append(tensor)
                    yield f"{place}.{name}", tensor


def skip_init(kind: Any, *sizes: int) -> Any:
    return kind(*sizes)


STAND_IN = SimpleNamespace(
    float64="torch.float64",
    tensor=Tensor,
    nn=SimpleNamespace(
        Parameter=lambda tensor: tensor,
        Linear=Linear,
        Sequential=Sequential,
        Tanh=Tanh,
        ReLU=ReLU,
        Sigmoid=Sigmoid,
        Dropout=Dropout,
        utils=SimpleNamespace(skip_init=skip_init),
    ),
)


@pytest.fixture(params=["a stand-in", "PyTorch"])
def torch(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    if request.param == "PyTorch":
        return pytest.importorskip("torch", reason="PyTorch is not installed")
    monkeypatch.setitem(sys.modules, "torch", STAND_IN)
    return STAND_IN


def linear(torch: Any, nin: int, nout: int, **kind: Any) -> Any:
    return torch.nn.Linear(nin, nout, **{"dtype": torch.float64, **kind})


# Both ways -------------------------------------------------------------------

NETWORKS: list[tuple[int, list[int], str | None]] = [
    (3, [4, 4, 1], "tanh"),
    (2, [5, 3], "relu"),
    (1, [1, 1, 2], "sigmoid"),
    (2, [3, 1], None),
    (2, [1], "tanh"),
]


@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_a_network_comes_back_as_it_went(torch: Any, network: Any) -> None:
    nin, nouts, activation = network
    model = MLP(nin, nouts, activation, random.Random(1))
    model.layers[0].neurons[0].b.data = 0.25
    back = from_torch(to_torch(model))
    assert back.state_dict() == model.state_dict()
    assert repr(back) == repr(model)
    assert not {id(p) for p in back.parameters()} & {id(p) for p in model.parameters()}
    assert torch


def test_a_layer_is_a_linear_with_a_row_for_each_neuron(torch: Any) -> None:
    model = MLP(3, [2, 1], "relu", random.Random(1))
    first, bend, last = to_torch(model)
    assert [type(first), type(bend)] == [torch.nn.Linear, torch.nn.ReLU]
    rows = [[w.data for w in neuron.w] for neuron in model.layers[0].neurons]
    assert first.weight.tolist() == rows
    assert (last.in_features, last.out_features) == (2, 1)
    assert last.bias.tolist() == [0.0]
    assert {p.dtype for p in (first.weight, last.bias)} == {torch.float64}


def test_the_two_know_nothing_of_each_other(torch: Any) -> None:
    model = MLP(2, [1], rng=random.Random(1))
    network = to_torch(model)
    before = network[0].weight.tolist()
    model.layers[0].neurons[0].w[0].data += 1.0
    assert network[0].weight.tolist() == before
    assert torch


def test_no_random_number_is_used_up(torch: Any) -> None:
    state = random.getstate()
    from_torch(to_torch(MLP(2, [3, 1], rng=random.Random(1))))
    assert random.getstate() == state
    assert torch


# What is refused -------------------------------------------------------------


def mixed() -> MLP:
    model = MLP(2, [2, 1])
    model.layers[0].neurons[1].activation = "relu"
    return model


def bent() -> MLP:
    model = MLP(2, [2, 1])
    model.layers[1].neurons[0].activation = "tanh"
    return model


def shared() -> MLP:
    model = MLP(2, [2, 1])
    model.layers[1].neurons[0].b = model.layers[0].neurons[0].b
    return model


def ragged() -> MLP:
    model = MLP(2, [2, 1])
    model.layers[0].neurons[1].w.append(Value(1.0))
    return model


class Own(MLP):
    """A class that may compute anything."""


MODELS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "nothing": (lambda: None, TypeError, "to_torch takes an MLP, not NoneType: None"),
    "a neuron": (lambda: Neuron(2), TypeError, "an MLP, not Neuron: Neuron(2, "),
    "a layer": (lambda: Layer(2, 1), TypeError, "an MLP, not Layer: Layer(2, 1, "),
    "an own class": (lambda: Own(2, [1]), TypeError, "not Own: MLP(2, [1], "),
    "two activations": (
        mixed,
        ValueError,
        "activations [['tanh', 'tanh'], [None]], not [['tanh', 'relu'], [None]]",
    ),
    "a bend at the end": (bent, ValueError, "not [['tanh', 'tanh'], ['tanh']]"),
    "a shared bias": (shared, ValueError, "missing: 'layers.1.neurons.0.b'"),
    "a weight too many": (ragged, ValueError, "unknown: 'layers.0.neurons.1.w.2'"),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_cannot_go_is_refused(torch: Any, name: str) -> None:
    make, kind, says = MODELS[name]
    model = make()
    with pytest.raises(kind) as refused:
        to_torch(model)
    assert says in str(refused.value)
    assert torch


def twice(torch: Any) -> Any:
    again = linear(torch, 2, 2)
    return [again, torch.nn.Tanh(), again]


FLOAT32 = "0.weight must be torch.float64 of shape (1, 2), not torch.float32 of shape"
MODULES: dict[str, tuple[Callable[[Any], list[Any]], str]] = {
    "nothing": (lambda _: [], "needs a Linear, not Sequential()"),
    "no Linear": (lambda t: [t.nn.Tanh()], "needs a Linear, not Sequential("),
    "24 bits": (lambda t: [t.nn.Linear(2, 1)], FLOAT32),
    "no bias": (lambda t: [linear(t, 2, 1, bias=False)], "0.bias must be torch.float"),
    "another kind": (
        lambda t: [linear(t, 2, 2), t.nn.Dropout(), linear(t, 2, 1)],
        "Dropout",
    ),
    "a bend first": (lambda t: [t.nn.Tanh(), linear(t, 2, 1)], "part 0 must be"),
    "a bend last": (
        lambda t: [linear(t, 2, 1), t.nn.Tanh()],
        "part 1 must be absent, not",
    ),
    "two bends": (
        lambda t: [linear(t, 2, 2), t.nn.Tanh(), t.nn.Tanh(), linear(t, 2, 1)],
        "part 2 must be",
    ),
    "two kinds of bend": (
        lambda t: [
            *[linear(t, 2, 2), t.nn.Tanh(), linear(t, 2, 2)],
            *[t.nn.ReLU(), linear(t, 2, 1)],
        ],
        "part 3 must be",
    ),
    "widths that do not meet": (
        lambda t: [linear(t, 2, 3), linear(t, 4, 1)],
        "1.weight must be torch.float64 of shape (1, 3), not torch.float64 of shape",
    ),
    "a Linear twice": (
        twice,
        "2.weight must be torch.float64 of shape (2, 2), not abs",
    ),
}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_that_cannot_come_is_refused(torch: Any, name: str) -> None:
    make, says = MODULES[name]
    module = torch.nn.Sequential(*make(torch))
    with pytest.raises(ValueError, match=r"^from_torch") as refused:
        from_torch(module)
    assert says in str(refused.value)


def test_what_is_no_sequential_is_refused(torch: Any) -> None:
    for strange in (None, [1.0], linear(torch, 2, 1)):
        with pytest.raises(TypeError) as refused:
            from_torch(strange)
        assert str(refused.value) == f"from_torch takes a Sequential, not {strange!r}"


@pytest.mark.parametrize("cross", [to_torch, from_torch])
def test_without_pytorch_it_is_said_what_to_install(
    cross: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"not installed; pip install torch$"):
        cross(MLP(2, [1]))


# What only PyTorch can say ---------------------------------------------------


def test_outputs_and_gradients_agree_to_twelve_digits() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    rng = random.Random(2)
    xs = [[rng.gauss(0, 1) for _ in range(3)] for _ in range(10)]
    for activation in ("tanh", "relu", "sigmoid", None):
        model = MLP(3, [4, 4, 1], activation, rng)
        network = to_torch(model)
        outputs = network(torch.tensor(xs, dtype=torch.float64)).squeeze(1)
        (outputs**2).sum().backward()
        ours: list[Any] = [model(x) for x in xs]
        sum(out**2 for out in ours).backward()
        assert [o.data for o in ours] == pytest.approx(outputs.tolist(), abs=1e-12)
        slopes = [
            slope
            for part in network
            if isinstance(part, torch.nn.Linear)
            for ws, b in zip(part.weight.grad, part.bias.grad, strict=True)
            for slope in (*ws.tolist(), b.item())
        ]
        assert [p.grad for p in model.parameters()] == pytest.approx(slopes, abs=1e-12)


def test_pytorch_draws_the_numbers_that_it_would_have_drawn() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    before = torch.get_rng_state().tolist()
    from_torch(to_torch(MLP(2, [3, 1])))
    assert torch.get_rng_state().tolist() == before
