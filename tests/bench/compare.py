"""A way to take a step, timed in turns with micrograd.

    python -m tests.bench.compare FOLDER NAME TASK

FOLDER holds the peers, each installed in a folder of its own name. The process compares
one thing: a part of micrograd's steps, a part of the other's, and so on. The gradients
have to agree before a time counts. A time is that of the processor, with the collector
on, as Python has it, and `gc.collect()` before each part.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from tanglegrad import Value, micro
from tests.bench.peers import STEPS, micrograd
from tests.bench.steps import TASKS, Task, by_hand, model, network, replay, scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.bench.steps import Result

OURS: dict[str, Callable[[Task], Callable[[], Result]]] = {
    "micro": lambda task: scalar(task, micro.Value),
    "engine, number by number": lambda task: scalar(task, Value),
    "engine": lambda task: network(task, model(task)),
    "replay": lambda task: replay(task, "python"),
    "replay over columns": lambda task: replay(task, "columns"),
    "replay in C": lambda task: replay(task, "c"),
    "NumPy by hand": by_hand,
}
PART = 0.02  # seconds that a part takes at least, unless more is asked for


class Turns(NamedTuple):
    """The parts of a comparison: what is in each, and how many pairs there are.

    Where a count is None, as many steps are taken as fill the seconds.
    """

    task: str
    micrograd: int | None
    other: int | None
    pairs: int
    seconds: float = PART


# A part of the small step is so long that the collector comes to the oldest objects in
# it. A step of the moons stands alone: in three of them, and in ten small ones, each
# finds what the step before it has left to the collector.
TURNS = {
    "small": Turns("small", None, None, pairs=21, seconds=0.25),
    "ten": Turns("small", 10, 10, pairs=35),
    "moons": Turns("moons", 1, None, pairs=21),
    "three": Turns("moons", 3, 3, pairs=7),
}
GRAPHS = ("micro", "engine, number by number", "engine")  # made in every step


def timed(step: Callable[[], Any], times: int) -> float:
    """The processor's time for a step, when it is taken so many times."""
    gc.collect()
    start = process_time() + children()
    for _ in range(times):
        step()
    return (process_time() + children() - start) / times


def children() -> float:
    """The processor's time of all processes that were started and have ended."""
    times = os.times()
    return times.children_user + times.children_system


def times_of(step: Callable[[], Any], seconds: float) -> int:
    """How many steps fill so many seconds."""
    times = 1
    while timed(step, times) * times < seconds:
        times *= 2
    return times


def collections(step: Callable[[], Any], times: int) -> list[int]:
    """How often the collector comes to each generation while steps are taken."""
    gc.collect()
    before = [generation["collections"] for generation in gc.get_stats()]
    for _ in range(times):
        step()
    after = [generation["collections"] for generation in gc.get_stats()]
    return [b - a for a, b in zip(before, after, strict=True)]


def agree(first: Result, second: Result) -> bool:
    """Whether losses and gradients are the same to 1e-12 of the largest."""
    ours, theirs = ([loss, *gradients()] for loss, gradients in (first, second))
    scale = max(map(abs, ours))
    return len(ours) == len(theirs) and all(
        abs(a - b) <= 1e-12 * scale for a, b in zip(ours, theirs, strict=True)
    )


def compared(folder: Path, name: str, which: str) -> dict[str, float]:
    """How many times faster than micrograd: the median, least and most."""
    turns = TURNS[which]
    task = TASKS[turns.task]
    sys.setrecursionlimit(200_000)  # micrograd walks its graph by recursion
    base = micrograd(task, folder)
    step = OURS[name](task) if name in OURS else STEPS[name][1](task, folder)
    if not agree(base(), step()):
        raise ValueError("its gradients are not those of micrograd")
    slow = turns.micrograd or times_of(base, turns.seconds)
    quick = turns.other or times_of(step, turns.seconds)
    pairs = [(timed(base, slow), timed(step, quick)) for _ in range(turns.pairs)]
    ratios = [a / b for a, b in pairs]
    return {
        "ratio": median(ratios),
        "least": min(ratios),
        "most": max(ratios),
        "seconds": median(b for _, b in pairs),
    }


def in_a_process(folder: Path, name: str, which: str) -> dict[str, Any]:
    """The comparison, made by a fresh process; its error if it fails."""
    command = [sys.executable, "-m", "tests.bench.compare", str(folder), name, which]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        lines = run.stderr.strip().splitlines() or [f"it ended with {run.returncode}"]
        return {"error": lines[-1].partition(": ")[2] or lines[-1]}
    result: dict[str, Any] = json.loads(run.stdout)
    return result


if __name__ == "__main__":
    json.dump(compared(Path(sys.argv[1]), *sys.argv[2:]), sys.stdout)
