"""Neurons, layers and networks, made of Values."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from numbers import Integral
from typing import Any

from .engine import Number, Value, _Known, _known, _weighted
from collections.abc import Mapping
from .engine import total


class Module:
    """Anything with parameters: a neuron, a layer, a network.

    Its parameters are the Values among its attributes, in the order in
    which they were set, and those in the modules, lists and
    dictionaries among them.
    """

    def parameters(self) -> list[Value]:
        """The parameters in order, each once."""
        found: dict[int, Value] = {}
        _collect(self, found, set())
        return list(found.values())

    def zero_grad(self) -> None:
        """Set the grad of every parameter to 0.0."""
        for p in self.parameters():
            p.grad = 0.0

    def named_parameters(self) -> dict[str, Value]:
        """The parameters by name, such as "layers.0.neurons.2.w.1".

        One in several places has its first name. A ValueError if two
        parameters have the same.
        """
        found: dict[str, Value] = {}
        for name, p in _named("", self, set()):
            if name in found:
                raise ValueError(f"two parameters have the name {name!r}")
            found[name] = p
        return found

    def state_dict(self) -> dict[str, float]:
        """The number of every parameter, by name."""
        return {name: p.data for name, p in self.named_parameters().items()}

    def load_state_dict(self, state: Mapping[str, Number]) -> None:
        """Set every parameter to the number of its name in state.

        A ValueError says which names are missing or unknown, a TypeError
        what is no number; then no parameter has changed.
        """
        if not isinstance(state, Mapping):
            raise TypeError(f"a state must be a mapping, not {state!r}")
        own = self.named_parameters()
        missing = [name for name in own if name not in state]
        unknown = [name for name in state if name not in own]
        if missing or unknown:
            raise ValueError(
                f"{self} expects {len(own)} numbers, {len(state)} came; "
                f"missing: {_some(missing)}; unknown: {_some(unknown)}"
            )
        numbers = [_number(name, state[name]) for name in own]
        for p, number in zip(own.values(), numbers):
            p.data = number

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.parameters())} parameters)"


def _collect(
    thing: object, found: dict[int, Value], seen: set[int]
) -> None:
    """Add the Values in a module or a collection to found."""
    seen.add(id(thing))
    for part in _parts(thing):
        if isinstance(part, Value):
            found[id(part)] = part
        elif isinstance(part, _WITH_PARTS) and id(part) not in seen:
            _collect(part, found, seen)


def _parts(thing: Any) -> Iterable[object]:
    """The parts of a module or a collection."""
    if isinstance(thing, Module):
        return thing.__dict__.values()
    return thing.values() if isinstance(thing, dict) else thing


_WITH_PARTS = (Module, list, tuple, dict)


def _keys(thing: Any) -> Iterable[object]:
    """The keys of the parts, in their order."""
    if isinstance(thing, Module):
        return vars(thing)
    return thing if isinstance(thing, dict) else range(len(thing))


def _named(
    prefix: str, thing: object, seen: set[int]
) -> Iterator[tuple[str, Value]]:
    """The Values in a module or a collection and their names."""
    seen.add(id(thing))
    for key, part in zip(_keys(thing), _parts(thing)):
        if id(part) in seen:
            continue
        if isinstance(part, Value):
            seen.add(id(part))
            yield f"{prefix}{key}", part
        elif isinstance(part, _WITH_PARTS):
            yield from _named(f"{prefix}{key}.", part, seen)


class Neuron(Module):
    """A weighted sum of inputs, plus a bias, through an activation.

    nin is the number of inputs, at least 1; activation is "tanh",
    "relu", "sigmoid" or None. The nin weights are drawn from
    uniform(-1, 1) by rng, or by the random module; the bias is 0.
    A wrong count or name is a ValueError.
    """

    def __init__(
        self,
        nin: int,
        activation: str | None = "tanh",
        rng: random.Random | None = None,
    ) -> None:
        draw = _uniform(rng)
        self.activation = _activation(activation)
        self.w = [Value(draw(-1.0, 1.0)) for _ in range(_count("nin", nin))]
        self.b = Value(0.0)

    def __call__(self, x: Iterable[Value | Number]) -> Value:
        """The output for nin inputs; an error for anything else."""
        return self._fire(_inputs(self, len(self.w), x))

    def _fire(self, inputs: _Known) -> Value:
        weighted = _weighted(self.w, inputs, self.b)
        return _ACTIVATIONS[self.activation](weighted)

    def __repr__(self) -> str:
        return f"Neuron({len(self.w)}, activation={self.activation!r})"


def _uniform(rng: random.Random | None) -> Callable[[float, float], float]:
    """The uniform() of rng, or of the random module if rng is None."""
    if rng is None:
        return random.uniform
    if not hasattr(rng, "uniform"):
        raise TypeError(f"rng must be a random.Random, not {rng!r}")
    return rng.uniform


def _inputs(
    module: Module, nin: int, x: Iterable[Value | Number]
) -> _Known:
    """What the engine has to know of nin Values or numbers x."""
    if not hasattr(x, "__iter__"):
        raise TypeError(f"{module} takes a list of inputs, not {x!r}")
    inputs = tuple(x)
    count = len(inputs)
    if count != nin:
        raise ValueError(f"{module} expects {nin} inputs, not {count}")
    return _known(module, inputs)


_ACTIVATIONS: dict[str | None, Callable[[Value], Value]] = {
    "tanh": Value.tanh,
    "relu": Value.relu,
    "sigmoid": Value.sigmoid,
    None: lambda weighted: weighted,
}


def _activation(name: str | None) -> str | None:
    """name, if it is one of the activations; else a ValueError."""
    if name not in list(_ACTIVATIONS):
        known = ", ".join(map(repr, _ACTIVATIONS))
        raise ValueError(f"activation must be one of {known}, not {name!r}")
    return name


def _count(what: str, n: int) -> int:
    """n, if it is a whole number of at least 1; else a ValueError."""
    if not isinstance(n, Integral) or n < 1:
        raise ValueError(
            f"{what} must be a whole number of at least 1, not {n!r}"
        )
    return int(n)


class Layer(Module):
    """nout neurons side by side, each with the same nin inputs.

    activation and rng are those of Neuron. A count below 1 is a
    ValueError.
    """

    def __init__(
        self,
        nin: int,
        nout: int,
        activation: str | None = "tanh",
        rng: random.Random | None = None,
    ) -> None:
        self.neurons = [
            Neuron(nin, activation, rng)
            for _ in range(_count("nout", nout))
        ]

    def __call__(self, x: Iterable[Value | Number]) -> Any:
        """The nout outputs in a list; if there is one, the Value itself."""
        outputs = self.outputs(x)
        return outputs[0] if len(outputs) == 1 else outputs

    def outputs(self, x: Iterable[Value | Number]) -> list[Value]:
        """The nout outputs for nin inputs, always in a list."""
        inputs = _inputs(self, len(self.neurons[0].w), x)
        return [neuron._fire(inputs) for neuron in self.neurons]

    def __repr__(self) -> str:
        nin, nout = len(self.neurons[0].w), len(self.neurons)
        activation = self.neurons[0].activation
        return f"Layer({nin}, {nout}, activation={activation!r})"


class MLP(Module):
    """Layers in a row: nin inputs, then as many outputs as nouts says.

    nouts lists the width of each layer, the last being the output. The
    layers inside use activation, the last one none: its outputs are
    free to be any number. A wrong size is a ValueError.
    """

    def __init__(
        self,
        nin: int,
        nouts: Iterable[int],
        activation: str | None = "tanh",
        rng: random.Random | None = None,
    ) -> None:
        sizes = _sizes(nin, nouts)
        _activation(activation)
        self.layers = [
            Layer(sizes[i], sizes[i + 1], activation, rng)
            for i in range(len(sizes) - 2)
        ]
        self.layers.append(Layer(sizes[-2], sizes[-1], None, rng))

    def __call__(self, x: Iterable[Value | Number]) -> Any:
        """The outputs of the last layer; if there is one, the Value."""
        for layer in self.layers[:-1]:
            x = layer.outputs(x)
        return self.layers[-1](x)

    def __repr__(self) -> str:
        nin = len(self.layers[0].neurons[0].w)
        nouts = [len(layer.neurons) for layer in self.layers]
        activation = self.layers[0].neurons[0].activation
        return f"MLP({nin}, {nouts}, activation={activation!r})"


def _sizes(nin: int, nouts: Iterable[int]) -> list[int]:
    """nin and nouts in one list; a ValueError if one is no size."""
    if not isinstance(nouts, Iterable):
        raise TypeError(f"nouts must list layer sizes, not {nouts!r}")
    sizes = [_count("nin", nin)]
    sizes += [_count("nout", n) for n in nouts]
    if len(sizes) < 2:
        raise ValueError("nouts must list at least one layer, not none")
    return sizes


def _number(name: str, x: Number) -> float:
    """x as a float; an error that says whose number it was to be."""
    try:
        return Value(x).data
    except (TypeError, OverflowError) as error:
        raise type(error)(f"{name!r}: {error}") from None


def _some(names: list[str]) -> str:
    """The first three names, and how many more there are."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return (", ".join(map(repr, names[:3])) or "none") + more


def softmax(logits: Iterable[Value | Number]) -> list[Value]:
    """The probability of each class: exp(logit), over their sum.

    logits are Values or numbers, at least one, else an error. They may
    be of any size; minus infinity has 0, infinity and nan give nan.
    """
    powers = [z.exp() for z in _shifted("softmax", logits)]
    whole = total(powers)
    return [power / whole for power in powers]


def _shifted(who: str, logits: Iterable[Value | Number]) -> list[Value]:
    """The logits less the largest of them; an error names who."""
    if not isinstance(logits, Iterable):
        raise TypeError(f"{who} takes a list of logits, not {logits!r}")
    listed = list(logits)
    if not listed:
        raise ValueError(f"{who} needs at least one logit, not none")
    _, numbers, _ = _known(who, listed)
    values = [z if isinstance(z, Value) else Value(z) for z in listed]
    top = max(numbers)
    return [value - top for value in values]


def cross_entropy(logits: Iterable[Value | Number], label: int) -> Value:
    """-log of the probability that softmax gives to the class label.

    label counts from 0. A label that is no whole number is a
    TypeError, one without a logit a ValueError.
    """
    shifted = _shifted("cross_entropy", logits)
    if not isinstance(label, Integral):
        raise TypeError(f"label must be a whole number, not {label!r}")
    if not 0 <= label < len(shifted):
        last = len(shifted) - 1
        raise ValueError(f"label must be from 0 to {last}, not {label}")
    return total(z.exp() for z in shifted).log() - shifted[label]
