"""What a node costs: its memory, and the time of both ways, as a graph grows.

    python -m tests.bench.growth SIZE

records a graph of this size and prints what that cost. The bytes are those that
tracemalloc counts; the times are those of the processor, and depend on it.
"""

from __future__ import annotations

import gc
import json
import resource
import subprocess
import sys
import tracemalloc
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from tanglegrad import Value, record

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (1_000, 10_000, 100_000, 1_000_000)


def deep(size: int, value: Any = Value) -> Any:
    """A chain: each value is made from the one before it."""
    x = y = value(1.0)
    for _ in range(size):
        y = y + x
    return y


def wide(size: int, value: Any = Value) -> Any:
    """Products side by side, then a tree of their sums: half of each."""
    x = value(1.0)
    row = [x * x for _ in range(size // 2 + 1)]
    while len(row) > 1:
        sums = [a + b for a, b in zip(row[::2], row[1::2], strict=False)]
        row = sums + row[2 * len(sums) :]
    return row[0]


SHAPES: dict[str, Callable[..., Any]] = {"deep": deep, "wide": wide}


class Cost(NamedTuple):
    """Bytes, and microseconds forward, backward and to be freed, all per node."""

    memory: float
    forward: float
    backward: float
    freed: float


def bytes_per_node(shape: str, size: int, value: Any = Value) -> float:
    """The memory of a graph after both ways, by its number of nodes."""
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    root = SHAPES[shape](size, value)
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


class Recording(NamedTuple):
    """Microseconds per node to record and to run, and the peak in megabytes."""

    recorded: float
    run: float
    peak: float


def waves(size: int) -> tuple[Value, Value]:
    """An input, and as many sines as products that follow from it."""
    x, w = Value(0.5), Value(0.9)
    y = x
    for _ in range(size // 2):
        y = (w * y).sin()
    return x, y


def recording(size: int) -> Recording:
    """What it costs to record a graph, and to run its program once."""
    x, y = waves(size)
    times = [process_time()]
    program = record(y, [x])
    times.append(process_time())
    program(0.5)
    times.append(process_time())
    recorded, run = (1e6 * (b - a) / size for a, b in pairwise(times))
    return Recording(recorded, run, peak() / 1e3)


def peak() -> int:
    """The most memory that this process has held, in kilobytes.

    Linux tells it without what the parent held when this process was started.
    """
    status = Path("/proc/self/status")
    if status.exists():
        _, _, line = status.read_text("utf-8").partition("VmHWM:")
        return int(line.split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def recording_in_a_process(size: int) -> Recording:
    """The same, in a process of its own, since the peak is that of a process."""
    command = [sys.executable, "-m", "tests.bench.growth", str(size)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return Recording(*json.loads(run.stdout))


if __name__ == "__main__":
    print(json.dumps(recording(int(sys.argv[1]))))
