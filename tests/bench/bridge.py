"""What a step costs here and in PyTorch, for chapter 15: make bridge.

A step is both passes over all examples and the move of all parameters. Every way takes
the same steps; the best of several rounds counts, since no machine is faster than it
is. The time is the processor's, of all processes together: other work on the machine
changes it little, and waiting for each other is not in it.
"""

from __future__ import annotations

import json
import os
import platform
import random
import socket
import subprocess
import sys
from datetime import timedelta
from importlib.metadata import version
from tempfile import TemporaryDirectory
from time import process_time
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

from tanglegrad import MLP, SGD, Value, record
from tanglegrad.bridge import to_torch
from tests.bench.rows import ROOT, short, written

if TYPE_CHECKING:
    from collections.abc import Callable

    Step = Callable[[], object]
    Rows = list[list[float]]

RESULTS = ROOT / "docs/colophon/bridge.toml"
RATE = 1e-4
ROUNDS = 5
SECONDS = 0.2  # at least, for each round
SIZES = {
    "a small network": (3, [4, 4, 1], 4),
    "a larger one": (64, [64, 64, 1], 64),
}


def task(name: str) -> tuple[MLP, Rows]:
    """A network, and the rows of its examples: what goes in, what is wanted."""
    nin, nouts, count = SIZES[name]
    rng = random.Random(0)
    model = MLP(nin, nouts, rng=rng)
    return model, [[rng.uniform(-1, 1) for _ in range(nin + 1)] for _ in range(count)]


def by_values(model: MLP, rows: Rows) -> Step:
    optimizer = SGD(model.parameters(), lr=RATE)

    def step() -> None:
        loss: Any = sum((model(x) - y) ** 2 for *x, y in rows)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def by_replay(model: MLP, rows: Rows) -> Step:
    optimizer = SGD(model.parameters(), lr=RATE)
    inputs = [Value(0.0) for _ in rows[0]]
    replay = record((model(inputs[:-1]) - inputs[-1]) ** 2, inputs)

    def step() -> None:
        optimizer.zero_grad()
        replay.rows(rows)
        optimizer.step()

    return step


def by_torch(at_once: int, workers: int = 1) -> Callable[[MLP, Rows], Step]:
    """Steps over at most so many rows at once, with the gradients of all workers."""

    def make(model: MLP, rows: Rows) -> Step:
        network = to_torch(model)
        optimizer = torch.optim.SGD(network.parameters(), lr=RATE)
        batches = torch.tensor(rows, dtype=torch.float64).split(at_once)

        def step() -> None:
            optimizer.zero_grad()
            for batch in batches:
                error = network(batch[:, :-1]).squeeze(1) - batch[:, -1]
                (error**2).sum().backward()
            for p in network.parameters() if workers > 1 else ():
                dist.all_reduce(p.grad)
            optimizer.step()

        return step

    return make


def timed(step: Step, size: int, rounds: int = ROUNDS) -> float:
    """Microseconds for an example, in the best of the rounds."""
    step()
    start = process_time()
    step()
    count = 1 + int(SECONDS / (process_time() - start))
    best = float("inf")
    for _ in range(rounds):
        start = process_time()
        for _ in range(count):
            step()
        best = min(best, (process_time() - start) / count)
    return best / size * 1e6


def in_processes(count: int) -> dict[str, float]:
    """The times of several processes that share the examples, added up."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment["GLOO_SOCKET_IFNAME"] = socket.if_nameindex()[0][1]
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.bench.bridge", folder, str(count)]
        workers = [
            subprocess.Popen(
                [*command, str(rank)], cwd=ROOT, env=environment, stdout=subprocess.PIPE
            )
            for rank in range(count)
        ]
        try:
            printed = [worker.communicate(timeout=600)[0] for worker in workers]
        finally:
            for worker in workers:
                worker.kill()
    times = [json.loads(text) for text in printed]
    return {name: sum(each[name] for each in times) for name in SIZES}


def worker(folder: str, count: int, rank: int) -> None:
    """One of several processes; as many steps as the others, so a fixed number."""
    dist.init_process_group(
        "gloo",
        init_method=f"file://{folder}/meeting",
        rank=rank,
        world_size=count,
        timeout=timedelta(seconds=120),
    )
    times = {}
    for name in SIZES:
        model, rows = task(name)
        step = by_torch(len(rows), count)(model, rows[rank::count])
        best = float("inf")
        for _ in range(ROUNDS):
            dist.barrier()
            start = process_time()
            for _ in range(100):
                step()
            best = min(best, (process_time() - start) / 100)
        times[name] = best / len(rows) * 1e6
    print(json.dumps(times), flush=True)
    dist.destroy_process_group()


WAYS: dict[str, Callable[[MLP, Rows], Step]] = {
    "a graph of `Value`s for each": by_values,
    "a replay in Python": by_replay,
    "PyTorch, one at a time": by_torch(1),
    "PyTorch, all at once": by_torch(10**6),
}


def measured() -> list[dict[str, str | float]]:
    """A row for each way, with the microseconds for an example of each size."""
    found: list[dict[str, str | float]] = []
    for way, make in WAYS.items():
        row: dict[str, str | float] = {"the examples go through": way}
        for name in SIZES:
            model, rows = task(name)
            row[f"{name}, µs"] = short(timed(make(model, rows), len(rows)))
            print(way, name, row[f"{name}, µs"], flush=True)
        found.append(row)
    shared = in_processes(2)
    row = {"the examples go through": "PyTorch, half of them in each of two processes"}
    return [*found, row | {f"{name}, µs": short(t) for name, t in shared.items()}]


def setting() -> list[dict[str, str | float]]:
    """The networks, and where this was measured."""
    networks: list[dict[str, str | float]] = []
    for name in SIZES:
        model, rows = task(name)
        which = f"`{model}`, {len(model.parameters()):,} parameters"
        networks.append({"what": name, "which": f"{which}, {len(rows)} examples"})
    return [
        *networks,
        {"what": "PyTorch", "which": version("torch")},
        {"what": "Python", "which": platform.python_version()},
        {"what": "machine", "which": f"{platform.system()} {platform.machine()}"},
    ]


def main() -> None:
    """Measure all of it, and write it down."""
    torch.set_num_threads(1)
    if sys.argv[1:]:
        folder, count, rank = sys.argv[1:]
        worker(folder, int(count), int(rank))
        return
    parts = [written("cost", measured()), written("setting", setting())]
    text = "\n".join(["# Written by make bridge.\n", *parts])
    RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
