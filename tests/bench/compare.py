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
from typing import TYPE_CHECKING, Any

from tanglegrad import Value, micro
from tests.bench.peers import STEPS, micrograd
from tests.bench.steps import TASKS, Task, by_hand, model, network, replay, scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.bench.steps import Result

PART = 0.02  # seconds that a part takes at least
OURS: dict[str, Callable[[Task], Callable[[], Result]]] = {
    "micro": lambda task: scalar(task, micro.Value),
    "engine, number by number": lambda task: scalar(task, Value),
    "engine": lambda task: network(task, model(task)),
    "replay": lambda task: replay(task, "python"),
    "replay over columns": lambda task: replay(task, "columns"),
    "replay in C": lambda task: replay(task, "c"),
    "NumPy by hand": by_hand,
}
# How many steps micrograd takes in a part, and how many pairs of parts there are. Where
# it is three, the others take as many, and each finds what the step before it has left
# to the collector.
LOOPS = {"small": ("small", 10, 35), "moons": ("moons", 1, 7), "three": ("moons", 3, 7)}
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


def times_of(step: Callable[[], Any]) -> int:
    """How many steps make a part."""
    times = 1
    while timed(step, times) * times < PART:
        times *= 2
    return times


def agree(first: Result, second: Result) -> bool:
    """Whether losses and gradients are the same to 1e-12 of the largest."""
    ours, theirs = ([loss, *gradients()] for loss, gradients in (first, second))
    scale = max(map(abs, ours))
    return len(ours) == len(theirs) and all(
        abs(a - b) <= 1e-12 * scale for a, b in zip(ours, theirs, strict=True)
    )


def compared(folder: Path, name: str, which: str) -> dict[str, float]:
    """How many times faster than micrograd: the median, least and most."""
    task_name, slow, count = LOOPS[which]
    task = TASKS[task_name]
    sys.setrecursionlimit(200_000)  # micrograd walks its graph by recursion
    base = micrograd(task, folder)
    step = OURS[name](task) if name in OURS else STEPS[name][1](task, folder)
    if not agree(base(), step()):
        raise ValueError("its gradients are not those of micrograd")
    quick = slow if which == "three" else times_of(step)
    pairs = [(timed(base, slow), timed(step, quick)) for _ in range(count)]
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
