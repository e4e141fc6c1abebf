"""A network in PyTorch, with the same numbers; and the way back."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

from .nn import MLP


def _torch() -> Any:
    try:
        return import_module("torch")
    except ImportError:
        raise ImportError(
            "tanglegrad.bridge needs PyTorch, which is not installed; "
            "pip install torch"
        ) from None


_BENDS: dict[str | None, str] = {
    "tanh": "Tanh",
    "relu": "ReLU",
    "sigmoid": "Sigmoid",
}


def _parameter(numbers: list[Any]) -> Any:
    """Numbers, or rows of them, as a parameter in float64."""
    torch = _torch()
    tensor = torch.tensor(numbers, dtype=torch.float64)
    return torch.nn.Parameter(tensor)


def to_torch(model: MLP) -> Any:
    """The model as a torch.nn.Sequential, in float64.

    Each layer is a Linear, with a Tanh, a ReLU or a Sigmoid behind it.
    A TypeError for what is no MLP, a ValueError for one that has been
    altered, an ImportError if there is no PyTorch.
    """
    nn, modules = _torch().nn, []
    if type(model) is not MLP:
        kind = type(model).__name__
        raise TypeError(f"to_torch takes an MLP, not {kind}: {model!r}")
    twin = _twin(model)
    twin.load_state_dict(model.state_dict())
    came, expected = _activations(model), _activations(twin)
    if came != expected:
        raise ValueError(
            f"to_torch expects the activations {expected}, not {came}"
        )
    for layer in model.layers:
        rows = [[w.data for w in neuron.w] for neuron in layer.neurons]
        biases = [neuron.b.data for neuron in layer.neurons]
        linear = nn.utils.skip_init(nn.Linear, len(rows[0]), len(rows))
        linear.weight = _parameter(rows)
        linear.bias = _parameter(biases)
        modules.append(linear)
        if bend := _BENDS.get(layer.neurons[0].activation):
            modules.append(getattr(nn, bend)())
    return nn.Sequential(*modules)


def _twin(model: MLP) -> MLP:
    """A new MLP, of the sizes and the activation of a model."""
    sizes = [len(layer.neurons) for layer in model.layers]
    first = model.layers[0].neurons[0]
    activation = first.activation if len(sizes) > 1 else None
    return MLP(len(first.w), sizes, activation, random.Random(0))


def _activations(model: MLP) -> list[list[str | None]]:
    """What each neuron of each layer bends its sum with."""
    return [[n.activation for n in layer.neurons] for layer in model.layers]


def from_torch(module: Any) -> MLP:
    """The MLP that to_torch makes such a torch.nn.Sequential of.

    It holds Linears with biases, in float64, and the same Tanh, ReLU or
    Sigmoid, or none, between any two. A TypeError for what is no
    Sequential, a ValueError for one that holds anything else, an
    ImportError if there is no PyTorch.
    """
    nn = _torch().nn
    if type(module) is not nn.Sequential:
        raise TypeError(f"from_torch takes a Sequential, not {module!r}")
    linears = [part for part in module if type(part) is nn.Linear]
    if not linears:
        raise ValueError(f"from_torch needs a Linear, not {module!r}")
    sizes = [linear.out_features for linear in linears]
    known = {getattr(nn, bend): name for name, bend in _BENDS.items()}
    bend = known.get(type(module[1])) if len(linears) > 1 else None
    model = MLP(linears[0].in_features, sizes, bend, random.Random(0))
    expected, came = _form(to_torch(model)), _form(module)
    for place in [*expected, *came]:
        form, other = (at.get(place, "absent") for at in (expected, came))
        if form != other:
            raise ValueError(
                f"from_torch: {place} must be {form}, not {other}"
            )
    for layer, linear in zip(model.layers, linears):
        rows = zip(linear.weight.tolist(), linear.bias.tolist())
        for neuron, (weights, bias) in zip(layer.neurons, rows):
            for p, number in zip([*neuron.w, neuron.b], [*weights, bias]):
                p.data = number
    return model


def _form(module: Any) -> dict[str, str]:
    """What a Sequential is made of: its parts and parameters."""
    parts = enumerate(map(type, module))
    form = {f"part {i}": f"{p.__module__}.{p.__name__}" for i, p in parts}
    for name, p in module.named_parameters():
        form[name] = f"{p.dtype} of shape {tuple(p.shape)}"
    return form
