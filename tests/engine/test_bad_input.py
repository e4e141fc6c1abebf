"""Every argument of every public name refuses what it cannot take, and says so.

The message names the argument or its owner, and shows what came. Nothing that was
there before has changed, not even the state of the random numbers.
"""

from __future__ import annotations

import inspect
import random
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tanglegrad import (
    MLP,
    SGD,
    Adam,
    Layer,
    Neuron,
    Optimizer,
    Value,
    cross_entropy,
    derivative,
    dot,
    gradcheck,
    gradient,
    record,
    softmax,
    total,
)
from tanglegrad.data import circles, moons, spiral
from tanglegrad.draw import draw, draw_dot, steps, to_dot, trace
from tanglegrad.gpt import GPT, recorded
from tests.engine.test_package import PUBLIC

if TYPE_CHECKING:
    from collections.abc import Callable


class Scene:
    """What there is before something goes wrong, with a past in every grad."""

    def __init__(self) -> None:
        self.model = MLP(2, [3, 1], rng=random.Random(1))
        self.neuron, self.layer = Neuron(2), Layer(2, 2)
        self.leaf = Value(0.5, label="leaf")
        self.made = self.leaf * 2.0
        self.replay = record(self.leaf * self.neuron.b, [self.leaf])
        self.gpt = GPT("ab", 4, 2, 1, rng=random.Random(1))
        parts = [self.model, self.neuron, self.layer]
        self.values = [p for part in parts for p in part.parameters()]
        self.values += [self.leaf, self.made]
        for i, v in enumerate(self.values):
            v.grad = i / 8
        self.optimizers = [
            SGD(self.model.parameters(), lr=0.1, momentum=0.9),
            Adam(self.model.parameters(), lr=0.1),
        ]

    def state(self) -> object:
        """All of it, in hex; and where the random numbers stand."""
        held = [sorted(vars(o).items()) for o in self.optimizers]
        return (
            [(v.data.hex(), v.grad.hex(), v.label, v._op) for v in self.values],
            repr(held),
            random.getstate(),
        )


class Argument(NamedTuple):
    """An argument: its call, a word of the message, and which kinds it does take."""

    owner: str
    name: str
    call: Callable[[Scene, Any], object]
    says: str
    takes: tuple[str, ...] = ()


STRANGE: dict[str, Any] = {
    "str": "3",
    "None": None,
    "list": ["x"],
    "complex": 1j,
    "Decimal": Decimal("1.5"),
    "object": object(),
    "Module": Neuron(1, rng=random.Random(0)),
}

CALLED = ("Module",)  # it has a __call__
MEASURED = ("Decimal",)  # an array takes what has a __float__

ARGUMENTS = [
    Argument("data.moons", "n", lambda _, b: moons(b), "n must"),
    Argument("data.moons", "noise", lambda _, b: moons(2, b), "noise"),
    Argument("data.moons", "seed", lambda _, b: moons(2, 0.1, b), "seed"),
    Argument("data.circles", "n", lambda _, b: circles(b), "n must"),
    Argument("data.circles", "noise", lambda _, b: circles(2, b), "noise"),
    Argument("data.circles", "seed", lambda _, b: circles(2, 0.1, b), "seed"),
    Argument("data.spiral", "n", lambda _, b: spiral(b), "n must"),
    Argument("data.spiral", "noise", lambda _, b: spiral(2, b), "noise"),
    Argument("data.spiral", "seed", lambda _, b: spiral(2, 0.1, b), "seed"),
    Argument("data.spiral", "arms", lambda _, b: spiral(2, arms=b), "arms"),
    Argument("draw.draw", "root", lambda _, b: draw(b), "root must be a Value"),
    Argument("draw.draw", "limit", lambda s, b: draw(s.made, b), "limit"),
    Argument("draw.draw_dot", "root", lambda _, b: draw_dot(b), "root must be"),
    Argument("draw.draw_dot", "limit", lambda s, b: draw_dot(s.made, b), "limit"),
    Argument("draw.to_dot", "root", lambda _, b: to_dot(b), "root must be a Value"),
    Argument("draw.trace", "root", lambda _, b: trace(b), "root must be a Value"),
    Argument("draw.steps", "root", lambda _, b: steps(b), "root must be a Value"),
    Argument("draw.steps", "order", lambda s, b: steps(s.made, b), "order"),
    Argument("draw.steps", "limit", lambda s, b: steps(s.made, limit=b), "limit"),
    Argument("draw.steps", "a value", lambda s, b: steps(s.made, [b]), "order"),
    Argument("engine.Value", "data", lambda _, b: Value(b), "real number"),
    Argument("engine.Value", "_prev", lambda _, b: Value(1.0, b), "parent"),
    Argument(
        "engine.Value", "a parent", lambda s, b: Value(1.0, (s.leaf, b)), "parent"
    ),
    Argument(
        "engine.Value",
        "_backward",
        lambda s, b: setattr(s.made, "_backward", b),
        "_backward",
        CALLED,
    ),
    Argument("engine.dot", "ws", lambda s, b: dot(b, [s.leaf]), "dot takes"),
    Argument("engine.dot", "xs", lambda s, b: dot([s.leaf], b), "dot takes"),
    Argument("engine.dot", "start", lambda s, b: dot([s.leaf], [1], b), "dot takes"),
    Argument("engine.total", "values", lambda _, b: total(b), "total takes"),
    Argument("engine.total", "start", lambda s, b: total([s.leaf], b), "total takes"),
    Argument(
        "nn.Module.load_state_dict",
        "state",
        lambda s, b: s.model.load_state_dict(b),
        "state",
    ),
    Argument(
        "nn.Module.load_state_dict",
        "a number",
        lambda s, b: s.neuron.load_state_dict({**s.neuron.state_dict(), "b": b}),
        "'b'",
    ),
    Argument("nn.Neuron", "nin", lambda _, b: Neuron(b), "nin"),
    Argument(
        "nn.Neuron", "activation", lambda _, b: Neuron(2, b), "activation", ("None",)
    ),
    Argument("nn.Neuron", "rng", lambda _, b: Neuron(2, rng=b), "rng", ("None",)),
    Argument("nn.Neuron", "x", lambda s, b: s.neuron(b), "Neuron(2"),
    Argument("nn.Neuron", "an input", lambda s, b: s.neuron([1.0, b]), "Neuron(2"),
    Argument("nn.Layer", "nin", lambda _, b: Layer(b, 2), "nin"),
    Argument("nn.Layer", "nout", lambda _, b: Layer(2, b), "nout"),
    Argument(
        "nn.Layer", "activation", lambda _, b: Layer(2, 2, b), "activation", ("None",)
    ),
    Argument("nn.Layer", "rng", lambda _, b: Layer(2, 2, rng=b), "rng", ("None",)),
    Argument("nn.Layer", "x", lambda s, b: s.layer(b), "Layer(2, 2"),
    Argument("nn.Layer.outputs", "x", lambda s, b: s.layer.outputs(b), "Layer(2, 2"),
    Argument(
        "nn.Layer.outputs", "an input", lambda s, b: s.layer.outputs([b, 1.0]), "L"
    ),
    Argument("nn.MLP", "nin", lambda _, b: MLP(b, [2]), "nin"),
    Argument("nn.MLP", "nouts", lambda _, b: MLP(2, b), "nout"),
    Argument("nn.MLP", "a size", lambda _, b: MLP(2, [2, b]), "nout"),
    Argument(
        "nn.MLP", "activation", lambda _, b: MLP(2, [2], b), "activation", ("None",)
    ),
    Argument("nn.MLP", "rng", lambda _, b: MLP(2, [2], rng=b), "rng", ("None",)),
    Argument("nn.MLP", "x", lambda s, b: s.model(b), "Layer(2, 3"),
    Argument("nn.MLP", "an input", lambda s, b: s.model([1.0, b]), "Layer(2, 3"),
    Argument("nn.softmax", "logits", lambda _, b: softmax(b), "softmax takes"),
    Argument("nn.softmax", "a logit", lambda s, b: softmax([s.leaf, b]), "softmax"),
    Argument(
        "nn.cross_entropy",
        "logits",
        lambda _, b: cross_entropy(b, 0),
        "cross_entropy takes",
    ),
    Argument(
        "nn.cross_entropy",
        "label",
        lambda s, b: cross_entropy([s.leaf, s.made], b),
        "label",
    ),
    Argument(
        "numeric.derivative", "f", lambda _, b: derivative(b, 1.0), "derivative", CALLED
    ),
    Argument(
        "numeric.derivative", "x", lambda _, b: derivative(abs, b), "derivative: x"
    ),
    Argument(
        "numeric.derivative", "h", lambda _, b: derivative(abs, 1.0, b), "derivative: h"
    ),
    Argument(
        "numeric.derivative",
        "what f returns",
        lambda _, b: derivative(lambda _: b, 1.0),
        "derivative: what f returns",
    ),
    Argument(
        "numeric.gradient", "f", lambda _, b: gradient(b, 1.0), "gradient", CALLED
    ),
    Argument("numeric.gradient", "xs", lambda _, b: gradient(max, 1.0, b), "gradient"),
    Argument(
        "numeric.gradcheck", "f", lambda _, b: gradcheck(b, 1.0), "gradcheck", CALLED
    ),
    Argument("numeric.gradcheck", "xs", lambda _, b: gradcheck(abs, b), "gradcheck"),
    Argument(
        "numeric.gradcheck",
        "tolerance",
        lambda _, b: gradcheck(abs, 1.0, tolerance=b),
        "gradcheck: tolerance",
    ),
    Argument(
        "numeric.gradcheck",
        "what f returns",
        lambda _, b: gradcheck(lambda _: b, 1.0),
        "gradcheck: f must return",
    ),
    Argument("optim.Optimizer", "parameters", lambda _, b: Optimizer(b, 0.1), "param"),
    Argument("optim.Optimizer", "lr", lambda s, b: Optimizer([s.leaf], b), "lr"),
    Argument("optim.SGD", "parameters", lambda _, b: SGD(b, 0.1), "parameter"),
    Argument(
        "optim.SGD", "a parameter", lambda s, b: SGD([s.leaf, b], 0.1), "parameter"
    ),
    Argument("optim.SGD", "lr", lambda s, b: SGD([s.leaf], b), "lr"),
    Argument("optim.SGD", "momentum", lambda s, b: SGD([s.leaf], 0.1, b), "momentum"),
    Argument("optim.Adam", "parameters", lambda _, b: Adam(b), "parameter"),
    Argument("optim.Adam", "a parameter", lambda s, b: Adam([s.leaf, b]), "parameter"),
    Argument("optim.Adam", "lr", lambda s, b: Adam([s.leaf], b), "lr"),
    Argument("optim.Adam", "betas", lambda s, b: Adam([s.leaf], betas=b), "betas"),
    Argument(
        "optim.Adam", "a beta", lambda s, b: Adam([s.leaf], betas=(0.9, b)), "beta"
    ),
    Argument("optim.Adam", "eps", lambda s, b: Adam([s.leaf], eps=b), "eps"),
    Argument("replay.record", "root", lambda s, b: record(b, [s.leaf]), "root"),
    Argument("replay.record", "inputs", lambda s, b: record(s.made, b), "inputs must"),
    Argument("replay.record", "an input", lambda s, b: record(s.made, [b]), "inputs"),
    Argument(
        "replay.record", "target", lambda s, b: record(s.made, [s.leaf], b), "target"
    ),
    Argument("replay.Replay", "a number", lambda s, b: s.replay(b), "row 0", MEASURED),
    Argument("replay.Replay.rows", "rows", lambda s, b: s.replay.rows(b), "row"),
    Argument(
        "replay.Replay.rows", "a row", lambda s, b: s.replay.rows([[1.0], b]), "1"
    ),
    Argument(
        "replay.Replay.rows",
        "a number of a row",
        lambda s, b: s.replay.rows([[1.0], [b]]),
        "row 1 holds a real number",
        MEASURED,
    ),
    Argument("gpt.GPT", "letters", lambda _, b: GPT(b, 4, 2, 1), "letters", ("str",)),
    Argument("gpt.GPT", "context", lambda _, b: GPT("ab", b, 2, 1), "context"),
    Argument("gpt.GPT", "width", lambda _, b: GPT("ab", 4, b, 1), "width"),
    Argument("gpt.GPT", "heads", lambda _, b: GPT("ab", 4, 2, b), "heads"),
    Argument("gpt.GPT", "layers", lambda _, b: GPT("ab", 4, 2, 1, b), "layers"),
    Argument(
        "gpt.GPT", "rng", lambda _, b: GPT("ab", 4, 2, 1, rng=b), "rng", ("None",)
    ),
    Argument("gpt.GPT.marks", "text", lambda s, b: s.gpt.marks(b), "a text", ("str",)),
    Argument("gpt.GPT.sample", "rng", lambda s, b: s.gpt.sample(b), "rng", ("None",)),
    Argument(
        "gpt.GPT.sample",
        "temperature",
        lambda s, b: s.gpt.sample(temperature=b),
        "temperature",
    ),
    Argument("gpt.recorded", "model", lambda _, b: recorded(b, 1), "model"),
    Argument("gpt.recorded", "longest", lambda s, b: recorded(s.gpt, b), "longest"),
    Argument("gpt.recorded", "target", lambda s, b: recorded(s.gpt, 1, b), "target"),
    Argument(
        "gpt.recorded", "texts", lambda s, b: recorded(s.gpt, 1)(b), "text", ("list",)
    ),
    Argument(
        "gpt.recorded",
        "a text",
        lambda s, b: recorded(s.gpt, 1)(["a", b]),
        "text",
        ("str",),
    ),
]


CASES = [
    pytest.param(argument, thing, id=f"{argument.owner}, {argument.name}: {kind}")
    for argument in ARGUMENTS
    for kind, thing in STRANGE.items()
    if kind not in argument.takes
]
# micro checks nothing, and says so; the chapters after these have tests of their own.
TABLED = ("data.", "draw.", "engine.", "gpt.", "nn.", "numeric.", "optim.", "replay.")
# Labels and signs are printed, and may be anything.
FREE = {("engine.Value", "_op"), ("engine.Value", "label")}
# What functions return, and no reader makes; and the parts of a GPT, which it makes.
RECORDS = {"draw.Picture", "draw.Step", "replay.Replay"}
PARTS = "gpt.Head", "gpt.Block"
# Rows of marks, as GPT.marks makes them.
FREE |= {(f"gpt.GPT.{name}", "marks") for name in ("embedded", "loss")}


def test_every_argument_of_every_public_name_is_in_the_table() -> None:
    table = {(argument.owner, argument.name) for argument in ARGUMENTS} | FREE
    public = {
        (name, parameter)
        for name, thing in PUBLIC.items()
        if callable(thing) and name.startswith(TABLED)
        if name not in RECORDS and not name.startswith(PARTS)
        for parameter in inspect.signature(thing).parameters
        if parameter != "self"
    }
    assert public - table == set()


def shown(thing: Any, message: str) -> bool:
    """Whether a message shows a thing: it, its only part, or how many it has."""
    inside = thing if isinstance(thing, list) else [thing]
    return any(repr(part) in message for part in (thing, *inside))


@pytest.mark.parametrize(("argument", "strange"), CASES)
def test_it_refuses_what_it_cannot_take_and_changes_nothing(
    argument: Argument, strange: Any
) -> None:
    scene = Scene()
    before = scene.state()
    with pytest.raises((TypeError, ValueError)) as refused:
        argument.call(scene, strange)
    message = str(refused.value)
    assert argument.says in message
    assert shown(strange, message) or "inputs, not 1" in message
    assert scene.state() == before
