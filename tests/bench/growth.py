"""What a node costs: its memory, and the time of both ways, as a graph grows.

    python tests/bench/growth.py

prints a table. The bytes are those that tracemalloc counts; the times are those of
the processor, and depend on it.
"""

from __future__ import annotations

import gc
import tracemalloc
from itertools import pairwise
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

from tanglegrad import Value

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (1_000, 10_000, 100_000, 1_000_000)


def deep(size: int) -> Value:
    """A chain: each value is made from the one before it."""
    x = y = Value(1.0)
    for _ in range(size):
        y = y + x
    return y


def wide(size: int) -> Value:
    """Products side by side, then a tree of their sums: half of each."""
    x = Value(1.0)
    row = [x * x for _ in range(size // 2 + 1)]
    while len(row) > 1:
        sums = [a + b for a, b in zip(row[::2], row[1::2], strict=False)]
        row = sums + row[2 * len(sums) :]
    return row[0]


SHAPES: dict[str, Callable[[int], Value]] = {"deep": deep, "wide": wide}


class Cost(NamedTuple):
    """Bytes, and microseconds forward, backward and to be freed, all per node."""

    memory: float
    forward: float
    backward: float
    freed: float


def bytes_per_node(shape: str, size: int) -> float:
    """The memory of a graph after both ways, by its number of nodes."""
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    root = SHAPES[shape](size)
    root.backward()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (after - before) / size


def microseconds_per_node(shape: str, size: int) -> tuple[float, float, float]:
    """The shortest times that some runs take, forward, backward and freed."""
    runs = []
    for _ in range(max(1, 30_000 // size)):
        gc.collect()
        times = [process_time()]
        root = SHAPES[shape](size)
        times.append(process_time())
        root.backward()
        times.append(process_time())
        del root
        times.append(process_time())
        runs.append([1e6 * (b - a) / size for a, b in pairwise(times)])
    forward, backward, freed = map(min, zip(*runs, strict=True))
    return forward, backward, freed


def cost(shape: str, size: int) -> Cost:
    """What a node costs in a graph of this shape and size."""
    return Cost(bytes_per_node(shape, size), *microseconds_per_node(shape, size))


def main() -> None:
    """Print the table."""
    print("shape     nodes   bytes   µs forward   backward   freed")
    for shape in SHAPES:
        for size in SIZES:
            c = cost(shape, size)
            times = f"{c.forward:13.2f}{c.backward:11.2f}{c.freed:8.2f}"
            print(f"{shape}{size:11,}{c.memory:8.0f}{times}")


if __name__ == "__main__":
    main()
