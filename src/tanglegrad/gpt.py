"""A very small GPT, made of the operations of the engine alone."""

from __future__ import annotations

import math
import random
from bisect import bisect
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain

from .engine import Number, Value, dot, total
from .nn import Module, _count, _shifted, _uniform, softmax
from .optim import _at_least_zero
from .replay import record


_Vector = Sequence[Value | Number]
_Draw = Callable[[float, float], float]


def _matrix(rows: int, columns: int, draw: _Draw) -> list[list[Value]]:
    """A matrix of parameters, drawn from uniform(-0.14, 0.14)."""
    return [
        [Value(draw(-0.14, 0.14)) for _ in range(columns)]
        for _ in range(rows)
    ]


def _times(rows: Iterable[_Vector], x: _Vector) -> list[Value]:
    """A matrix times a vector."""
    return [dot(row, x) for row in rows]


def _plus(x: Sequence[Value], y: Sequence[Value]) -> list[Value]:
    """The sum of two vectors."""
    return [a + b for a, b in zip(x, y)]


def _normed(x: Sequence[Value]) -> list[Value]:
    """x, so scaled that the mean of its squares is 1 (RMSNorm)."""
    scale = (dot(x, x) / len(x) + 1e-5) ** -0.5
    return [v * scale for v in x]


def _price(logits: list[Value], marks: _Vector) -> Value:
    """The cross-entropy of the sign that is marked."""
    shifted = _shifted("loss", logits)
    whole = total(z.exp() for z in shifted).log()
    return total(marks) * whole - dot(marks, shifted)


class Head(Module):
    """One way to look back: a query, a key and a value for each place.

    Its matrices make vectors of a size from those of the width.
    """

    def __init__(self, width: int, size: int, draw: _Draw) -> None:
        self.query = _matrix(size, width, draw)
        self.key = _matrix(size, width, draw)
        self.value = _matrix(size, width, draw)

    def weights(self, xs: Sequence[_Vector]) -> list[list[Value]]:
        """For each place, its weights for the places up to itself."""
        queries = [_times(self.query, x) for x in xs]
        keys = [_times(self.key, x) for x in xs]
        root = math.sqrt(len(self.query))
        return [
            softmax(dot(query, key) / root for key in keys[: t + 1])
            for t, query in enumerate(queries)
        ]

    def __call__(self, xs: Sequence[_Vector]) -> list[list[Value]]:
        """For each place, the values that it looks at, mixed."""
        values = [_times(self.value, x) for x in xs]
        return [
            _times(zip(*values[: len(row)]), row)
            for row in self.weights(xs)
        ]


class Block(Module):
    """Heads that look back, then a small network at each place."""

    def __init__(self, width: int, heads: int, draw: _Draw) -> None:
        size = width // heads
        self.heads = [Head(width, size, draw) for _ in range(heads)]
        self.joined = _matrix(width, width, draw)
        self.hidden = _matrix(4 * width, width, draw)
        self.output = _matrix(width, 4 * width, draw)

    def __call__(self, xs: list[list[Value]]) -> list[list[Value]]:
        """The vectors, with what was seen and thought added to them."""
        normed = [_normed(x) for x in xs]
        seen = zip(*[head(normed) for head in self.heads])
        xs = [
            _plus(x, _times(self.joined, [*chain(*parts)]))
            for x, parts in zip(xs, seen)
        ]
        return [_plus(x, self._thought(_normed(x))) for x in xs]

    def _thought(self, x: Sequence[Value]) -> list[Value]:
        hidden = [v.relu() for v in _times(self.hidden, x)]
        return _times(self.output, hidden)

    def weights(self, xs: list[list[Value]]) -> list[list[list[Value]]]:
        """For each head, the weights of each place."""
        normed = [_normed(x) for x in xs]
        return [head.weights(normed) for head in self.heads]


class GPT(Module):
    """A network that guesses the next sign of a text.

    letters are those of the texts. The model reads up to context signs,
    its vectors have width numbers, and each of its layers has some heads,
    of which the width is a multiple. rng draws the parameters, or else
    the random module does. What does not fit is a ValueError.
    """

    def __init__(
        self,
        letters: str,
        context: int,
        width: int,
        heads: int,
        layers: int = 1,
        rng: random.Random | None = None,
    ) -> None:
        if not isinstance(letters, str):
            raise TypeError(f"letters must be a str, not {letters!r}")
        if len({*letters, "."}) <= len(letters):
            says = "letters must come once each, without a point"
            raise ValueError(f"{says}, not {letters!r}")
        self.signs = f".{letters}"
        self.context = _count("context", context)
        layers = _count("layers", layers)
        width, heads = _count("width", width), _count("heads", heads)
        if width % heads:
            says = "width must be a multiple of heads"
            raise ValueError(f"{says}, but {width} is none of {heads}")
        draw, signs = _uniform(rng), len(self.signs)
        self.embedding = _matrix(width, signs, draw)
        self.places = _matrix(self.context, width, draw)
        self.blocks = [Block(width, heads, draw) for _ in range(layers)]
        self.output = _matrix(signs, width, draw)

    def embedded(self, marks: Sequence[_Vector]) -> list[list[Value]]:
        """The vectors of signs at their places, at most context of them."""
        if len(marks) > self.context:
            most = f"{self} reads at most {self.context} signs"
            raise ValueError(f"{most}, not {len(marks)}")
        return [
            _normed(_plus(_times(self.embedding, row), place))
            for row, place in zip(marks, self.places)
        ]

    def __call__(self, marks: Sequence[_Vector]) -> list[list[Value]]:
        """For each row of marks, the logits of the sign after it."""
        xs = self.embedded(marks)
        for block in self.blocks:
            xs = block(xs)
        return [_times(self.output, x) for x in xs]

    def loss(self, marks: Sequence[_Vector]) -> Value:
        """The sum of the prices of each sign but the first.

        A row of marks that are all 0 costs nothing.
        """
        return total(map(_price, self(marks[:-1]), marks[1:]))

    def marks(self, text: str) -> list[list[float]]:
        """A row for each sign of a text and for the points around it.

        A letter that the model does not know is a ValueError.
        """
        if not isinstance(text, str):
            raise TypeError(f"a text must be a str, not {text!r}")
        letters = self.signs[1:]
        for letter in text:
            if letter not in letters:
                message = f"{letter!r} in {text!r} is none of {letters!r}"
                raise ValueError(message)
        return [
            [float(sign == known) for known in self.signs]
            for sign in f".{text}."
        ]

    def sample(
        self, rng: random.Random | None = None, temperature: float = 1.0
    ) -> str:
        """A text, drawn sign by sign by the probabilities of the model.

        The lower the temperature, which is above 0, the more often the
        likely sign is drawn. It ends before the context is full.
        """
        if _at_least_zero("temperature", temperature) == 0.0:
            raise ValueError("temperature must be above 0, not 0")
        draw, text = _uniform(rng), ""
        while len(text) < self.context - 1:
            logits = self(self.marks(text)[:-1])[-1]
            shares = softmax(z / temperature for z in logits)
            *ends, _ = accumulate(share.data for share in shares)
            sign = self.signs[bisect(ends, draw(0.0, 1.0))]
            if sign == ".":
                break
            text += sign
        return text


def recorded(
    model: GPT, longest: int, target: str = "python"
) -> Callable[[Iterable[str]], float]:
    """The losses of texts of at most longest letters, as a replay.

    It takes texts, returns the sum of their losses, and adds to the grad
    of each parameter its slope. The target is that of record(). A
    ValueError if a text, or longest itself, is too long for the model.
    """
    if not isinstance(model, GPT):
        raise TypeError(f"model must be a GPT, not {model!r}")
    rows = _count("longest", longest) + 2
    marks = [[Value(0.0) for _ in model.signs] for _ in range(rows)]
    inputs = [*chain(*marks)]
    replay = record(model.loss(marks), inputs, target)

    def losses(texts: Iterable[str]) -> float:
        if isinstance(texts, str) or not isinstance(texts, Iterable):
            raise TypeError(f"texts must be listed, not {texts!r}")
        return replay.rows([filled(text) for text in texts])

    def filled(text: str) -> list[float]:
        row = [*chain(*model.marks(text))]
        if len(text) > longest:
            has = f"{text!r} has {len(text)}"
            raise ValueError(f"recorded for {longest} letters, but {has}")
        return row + [0.0] * (len(inputs) - len(row))

    return losses
