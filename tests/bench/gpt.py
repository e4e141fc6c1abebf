"""Steps of a small GPT, timed beside the design of microgpt, for the book.

    python -m tests.bench.gpt

Every way starts from the same parameters and reads the same names, one in a step. They
take turns, a step of the one and a step of the next, and their losses have to agree to
six digits in each. A time is that of the processor for a whole step: both passes and
Adam. Then the larger model is trained, and its time and its samples are noted. All of
it goes to docs/colophon/gpt.toml.
"""

from __future__ import annotations

import gc
import random
from itertools import cycle
from statistics import median
from string import ascii_lowercase
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from tanglegrad import Adam, Value
from tanglegrad.data import names
from tanglegrad.gpt import GPT, recorded
from tests.bench import rows
from tests.bench.microgpt import CONTEXT, HEADS, SIZE, WIDTH, Model, Training

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.bench.rows import Row

    Step = Callable[[str], float]
    Way = Callable[[Model, int, int], Step]

STEPS, RATE, LENGTH = 21, 0.01, 6
RESULTS = rows.ROOT / "docs/colophon/gpt.toml"
COLLECTOR = "on, collected before each step"


def copied(model: Model) -> GPT:
    """The same network, with the same numbers, made of Values."""
    ours = GPT(ascii_lowercase, CONTEXT, WIDTH, HEADS)
    (block,) = ours.blocks
    heads = [(head, SIZE * h) for h, head in enumerate(block.heads)]
    pairs: list[tuple[list[list[Value]], Any]] = [
        (ours.embedding, [*zip(*model.signs, strict=True)]),
        (ours.places, model.places),
        (block.joined, model.joined),
        (block.hidden, model.hidden),
        (block.output, model.output),
        (ours.output, model.head),
        *((head.query, model.query[at : at + SIZE]) for head, at in heads),
        *((head.key, model.key[at : at + SIZE]) for head, at in heads),
        *((head.value, model.value[at : at + SIZE]) for head, at in heads),
    ]
    for matrix, theirs in pairs:
        for row, numbers in zip(matrix, theirs, strict=True):
            for p, number in zip(row, numbers, strict=True):
                p.data = number.data
    return ours


def step_of(model: GPT, losses: Callable[[Sequence[str]], float], steps: int) -> Step:
    """A step of Adam on the mean loss of a text."""
    parameters = model.parameters()
    optimizer = Adam(parameters, RATE, (0.85, 0.99))

    def step(text: str) -> float:
        signs = len(text) + 1
        optimizer.zero_grad()
        loss = losses([text]) / signs
        for p in parameters:
            p.grad /= signs
        optimizer.lr = RATE * (1.0 - optimizer.steps / steps)
        optimizer.step()
        return loss

    return step


def eager(model: GPT) -> Callable[[Sequence[str]], float]:
    """The losses of texts by graphs of Values, one for each text."""

    def losses(texts: Sequence[str]) -> float:
        number = 0.0
        for text in texts:
            loss = model.loss(model.marks(text))
            loss.backward()
            number += loss.data
        return number

    return losses


def by_graphs(model: Model, steps: int, _: int) -> Step:
    ours = copied(model)
    return step_of(ours, eager(ours), steps)


def by_replay(target: str) -> Way:
    def way(model: Model, steps: int, length: int) -> Step:
        ours = copied(model)
        return step_of(ours, recorded(ours, length, target), steps)

    return way


FIRST = "scalar objects, as in microgpt"
WAYS: dict[str, Way] = {
    FIRST: lambda model, steps, _: Training(model, RATE, steps),
    "graphs of this engine": by_graphs,
    "a replay in Python": by_replay("python"),
    "a replay in C": by_replay("c"),
}


def turns(
    ways: dict[str, Way], steps: int, length: int
) -> Iterator[dict[str, tuple[float, float]]]:
    """Of each step, the time and the loss of each way; they must agree."""
    model = Model(random.Random(0))
    made = {name: way(model, steps, length) for name, way in ways.items()}
    texts = cycle(name for name in names() if len(name) == length)
    for count in range(steps):
        text, found = next(texts), {}
        for name, step in made.items():
            gc.collect()
            start = process_time()
            loss = step(text)
            found[name] = process_time() - start, loss
        losses = [loss for _, loss in found.values()]
        if max(losses) - min(losses) > 5e-7 * max(losses):
            raise ValueError(f"the losses of step {count} differ: {losses}")
        yield found


def compared() -> list[Row]:
    """The median time of a step of each way, and how often it fits into the first."""
    found = [*turns(WAYS, STEPS, LENGTH)]
    times = {name: median(turn[name][0] for turn in found) for name in WAYS}
    return [
        {
            "a step with": name,
            "milliseconds": round(1e3 * time, 1),
            "times as fast": round(times[FIRST] / time, 1),
        }
        for name, time in sorted(times.items(), key=lambda item: -item[1])
    ]


def trained() -> list[Row]:
    """The training of the larger model by a replay in Python."""
    start, rng, count = perf_counter(), random.Random(0), 1000
    model = GPT(ascii_lowercase, CONTEXT, WIDTH, HEADS, rng=rng)
    losses = recorded(model, longest=max(map(len, names())))
    recording, signs = perf_counter() - start, sum(len(name) + 1 for name in names())
    step = step_of(model, losses, count)
    for _ in range(count):
        step(rng.choice(names()))
    took = perf_counter() - start
    samples = [model.sample(random.Random(k), 0.5) for k in range(12)]
    return [
        {"what": "parameters", "which": str(len(model.parameters()))},
        {"what": "names read, one in a step", "which": str(count)},
        {"what": "seconds, by the clock", "which": f"{took:.0f}"},
        {"what": "of these, to record it", "which": f"{recording:.0f}"},
        {"what": "loss a sign", "which": f"{losses(names()) / signs:.4f}"},
        {"what": "samples at 0.5", "which": " ".join(samples)},
    ]


def main() -> None:
    """Measure it all, and write it down."""
    machine: list[Row] = [
        *rows.machine(),
        {"what": "collector", "which": COLLECTOR},
        {"what": "steps, of which the median is shown", "which": str(STEPS)},
    ]
    sections = {"machine": machine, "steps": compared(), "trained": trained()}
    parts = [rows.written(name, found) for name, found in sections.items()]
    text = "\n".join(["# Written by make bench.\n", *parts])
    RESULTS.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
