"""A GPT of scalar objects, in the design of microgpt (Karpathy, 2026), in our words.

Each number is an object that holds its operands and the slopes along them. A place is
read at a time; keys and values of the places before it wait in lists. There is one
block of four heads, 16 numbers in a vector, and one text in each step of Adam.
"""

from __future__ import annotations

import math
import random
from itertools import chain, pairwise

WIDTH, HEADS, CONTEXT = 16, 4, 16
SIZE = WIDTH // HEADS
SIGNS = ".abcdefghijklmnopqrstuvwxyz"


class Scalar:
    """A number, what it was made from, and its slopes along that."""

    __slots__ = ("data", "grad", "made_from", "slopes")

    def __init__(
        self,
        data: float,
        made_from: tuple[Scalar, ...] = (),
        slopes: tuple[float, ...] = (),
    ) -> None:
        self.data, self.grad = data, 0.0
        self.made_from, self.slopes = made_from, slopes

    def __add__(self, other: Scalar | float) -> Scalar:
        y = other if isinstance(other, Scalar) else Scalar(other)
        return Scalar(self.data + y.data, (self, y), (1.0, 1.0))

    def __mul__(self, other: Scalar | float) -> Scalar:
        y = other if isinstance(other, Scalar) else Scalar(other)
        return Scalar(self.data * y.data, (self, y), (y.data, self.data))

    def __pow__(self, k: float) -> Scalar:
        return Scalar(self.data**k, (self,), (k * self.data ** (k - 1.0),))

    def exp(self) -> Scalar:
        power = math.exp(self.data)
        return Scalar(power, (self,), (power,))

    def log(self) -> Scalar:
        return Scalar(math.log(self.data), (self,), (1.0 / self.data,))

    def relu(self) -> Scalar:
        above = self.data > 0.0
        return Scalar(self.data if above else 0.0, (self,), (float(above),))

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Scalar:
        return self * -1.0

    def __sub__(self, other: Scalar | float) -> Scalar:
        return self + (-other)

    def __truediv__(self, other: Scalar | float) -> Scalar:
        return self * other**-1.0

    def backward(self) -> None:
        order: list[Scalar] = []
        seen: set[Scalar] = set()

        def visit(number: Scalar) -> None:
            if number not in seen:
                seen.add(number)
                for part in number.made_from:
                    visit(part)
                order.append(number)

        visit(self)
        self.grad = 1.0
        for number in reversed(order):
            for part, slope in zip(number.made_from, number.slopes, strict=True):
                part.grad += slope * number.grad


Vector = list[Scalar]
Matrix = list[Vector]


def added(numbers: list[Scalar]) -> Scalar:
    first, *rest = numbers
    for number in rest:
        first = first + number
    return first


def linear(matrix: Matrix, x: Vector) -> Vector:
    return [added([w * v for w, v in zip(row, x, strict=True)]) for row in matrix]


def normed(x: Vector) -> Vector:
    mean = added([v * v for v in x]) / len(x)
    scale = (mean + 1e-5) ** -0.5
    return [v * scale for v in x]


def softmax(x: Vector) -> Vector:
    top = max(v.data for v in x)
    powers = [(v - top).exp() for v in x]
    whole = added(powers)
    return [power / whole for power in powers]


def plus(x: Vector, y: Vector) -> Vector:
    return [a + b for a, b in zip(x, y, strict=True)]


class Model:
    """The parameters, as matrices with a row for each output."""

    def __init__(self, rng: random.Random) -> None:
        def matrix(rows: int, columns: int) -> Matrix:
            return [
                [Scalar(rng.gauss(0.0, 0.08)) for _ in range(columns)]
                for _ in range(rows)
            ]

        self.signs = matrix(len(SIGNS), WIDTH)
        self.places = matrix(CONTEXT, WIDTH)
        self.query, self.key, self.value, self.joined = (
            matrix(WIDTH, WIDTH) for _ in range(4)
        )
        self.hidden, self.output = matrix(4 * WIDTH, WIDTH), matrix(WIDTH, 4 * WIDTH)
        self.head = matrix(len(SIGNS), WIDTH)

    def parameters(self) -> list[Scalar]:
        return [*chain.from_iterable(chain.from_iterable(vars(self).values()))]

    def logits(
        self, sign: int, place: int, past: list[tuple[Vector, Vector]]
    ) -> Vector:
        """What follows a sign; past has keys and values, and gets those of the sign."""
        x = normed(plus(self.signs[sign], self.places[place]))
        seen = normed(x)
        query = linear(self.query, seen)
        past.append((linear(self.key, seen), linear(self.value, seen)))
        mixed: Vector = []
        for start in range(0, WIDTH, SIZE):
            part = range(start, start + SIZE)
            scores = [
                added([query[i] * key[i] for i in part]) / math.sqrt(SIZE)
                for key, _ in past
            ]
            weights = softmax(scores)
            for i in part:
                pairs = zip(weights, past, strict=True)
                mixed.append(added([w * value[i] for w, (_, value) in pairs]))
        x = plus(x, linear(self.joined, mixed))
        thought = [v.relu() for v in linear(self.hidden, normed(x))]
        return linear(self.head, plus(x, linear(self.output, thought)))

    def loss(self, text: str) -> Scalar:
        """The mean price of the signs of a text, and of the point behind it."""
        numbers = [SIGNS.index(sign) for sign in f".{text}."]
        past: list[tuple[Vector, Vector]] = []
        prices = [
            -softmax(self.logits(sign, place, past))[following].log()
            for place, (sign, following) in enumerate(pairwise(numbers))
        ]
        return added(prices) * (1.0 / len(prices))


class Training:
    """Adam, with a rate that falls to 0 in a straight line."""

    def __init__(self, model: Model, rate: float, steps: int) -> None:
        self.model, self.rate, self.steps, self.step = model, rate, steps, 0
        self.parameters = model.parameters()
        self.means = [0.0] * len(self.parameters)
        self.squares = [0.0] * len(self.parameters)

    def __call__(self, text: str) -> float:
        loss = self.model.loss(text)
        loss.backward()
        rate = self.rate * (1.0 - self.step / self.steps)
        self.step += 1
        for i, p in enumerate(self.parameters):
            self.means[i] = 0.85 * self.means[i] + 0.15 * p.grad
            self.squares[i] = 0.99 * self.squares[i] + 0.01 * p.grad**2
            mean = self.means[i] / (1.0 - 0.85**self.step)
            square = self.squares[i] / (1.0 - 0.99**self.step)
            p.data -= rate * mean / (math.sqrt(square) + 1e-8)
            p.grad = 0.0
        return loss.data
