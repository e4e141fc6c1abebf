"""How fast the engine and its programs are, for the colophon: make bench.

    python -m tests.bench.speed FOLDER [SECTION ...]

measures everything, or some sections and leaves the others as they are. The peers are
installed below FOLDER. Ask for it on a machine that does nothing else: each time is
that of one machine, and what counts are the ratios.
"""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import tomllib
from functools import partial
from importlib import metadata
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tanglegrad import Value, micro, record
from tests.bench import rows
from tests.bench.compare import (
    GRAPHS,
    OURS,
    PART,
    children,
    collections,
    in_a_process,
    timed,
    times_of,
)
from tests.bench.growth import (
    SHAPES,
    SIZES,
    bytes_per_node,
    cost,
    recording_in_a_process,
)
from tests.bench.peers import PACKAGES, STEPS, from_folder, installed, micrograd
from tests.bench.steps import TASKS, example, model, network, replay

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.bench.rows import Row

RESULTS = rows.ROOT / "docs/colophon/speed.toml"


def machine(_: Path) -> list[Row]:
    """Where this was measured, and how the collector was set."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    compiled = "none"
    if compiler:
        compiled = subprocess.check_output([compiler, "--version"], text=True)
    return [
        *rows.machine(),
        {"what": "cores", "which": str(os.cpu_count())},
        {"what": "C compiler", "which": compiled.splitlines()[0]},
        {"what": "NumPy", "which": metadata.version("numpy")},
        {"what": "load at the start", "which": f"{os.getloadavg()[0]:.1f}"},
        {"what": "collector", "which": f"on, thresholds {gc.get_threshold()}"},
    ]


def peers(folder: Path) -> list[Row]:
    """What was installed to compare with, and what was not."""
    found: list[Row] = []
    for package in PACKAGES:
        name, _, wanted = package.requirement.partition("==")
        error = installed(folder, package)
        what = f"not installed: {error}" if error else "installed"
        found.append({"package": name, "version": wanted, "what came of it": what})
    return found


def small(folder: Path) -> list[Row]:
    return steps(folder, "small", [*STEPS, *OURS])


def moons(folder: Path) -> list[Row]:
    return steps(folder, "moons", [*STEPS, *OURS])


def ten(folder: Path) -> list[Row]:
    """Ten small steps in a loop, for those of ours that make a graph in each."""
    return steps(folder, "ten", [*GRAPHS])


def three(folder: Path) -> list[Row]:
    """Three steps in a loop, for those of ours that make a graph in each."""
    return steps(folder, "three", [*GRAPHS])


def steps(folder: Path, which: str, names: list[str]) -> list[Row]:
    """How many times faster than micrograd each of these takes a step."""
    found: list[Row] = []
    for name in names:
        result = in_a_process(folder, name, which)
        print(which, name, result, flush=True)
        if "error" in result:
            found.append({"step": name, "why not": result["error"]})
            continue
        ratios = [rows.short(result[key]) for key in ("ratio", "least", "most")]
        times = dict(zip(("times", "least", "most"), ratios, strict=True))
        found.append({"step": name, **times, "µs": rows.short(1e6 * result["seconds"])})
    return found


def collected(folder: Path) -> list[Row]:
    """How often the collector comes to each generation in some small steps."""
    task = TASKS["small"]
    found: list[Row] = []
    for name in ("micrograd", *GRAPHS):
        step = OURS[name](task) if name in OURS else micrograd(task, folder)
        for count in (10, 300):
            times = collections(step, count)
            ages = dict(zip(("youngest", "middle", "oldest"), times, strict=True))
            found.append({"engine": name, "steps": count, **ages})
    return found


def memory(folder: Path) -> list[Row]:
    """The bytes of a node, in a wide graph of ten thousand."""
    classes = {
        "micrograd": from_folder(folder / "micrograd", "micrograd.engine").Value,
        "micro": micro.Value,
        "engine": Value,
    }
    return [
        {"engine": name, "bytes": round(bytes_per_node("wide", 10_000, value))}
        for name, value in classes.items()
    ]


def growth(_: Path) -> list[Row]:
    """What a node costs in graphs of several shapes and sizes."""
    found: list[Row] = []
    for shape in SHAPES:
        for size in SIZES:
            bytes_, *times = cost(shape, size)
            names = ("µs forward", "µs backward", "µs freed")
            costs = {name: round(t, 2) for name, t in zip(names, times, strict=True)}
            found.append(
                {"shape": shape, "nodes": size, "bytes": round(bytes_), **costs}
            )
    return found


def recorded(_: Path) -> list[Row]:
    """What it costs to record graphs of several sizes, and to run them."""
    found: list[Row] = []
    for size in SIZES:
        result = recording_in_a_process(size)
        costs = {"µs to record": result.recorded, "µs to run": result.run}
        costs = {name: round(t, 2) for name, t in costs.items()}
        found.append({"nodes": size, **costs, "peak, MB": round(result.peak)})
    return found


def paid(_: Path) -> list[Row]:
    """After how many steps a recording has paid for itself."""
    found: list[Row] = []
    for which, task in TASKS.items():
        eager = network(task, model(task))
        loss, inputs = example(task)[:2]
        for target in ("python", "columns", "c"):
            recording = partial(record, loss, inputs, target)
            turns = in_turns(recording, eager, replay(task, target))
            made = [once for once, _, _ in turns]
            saved = [graph - program for _, graph, program in turns]
            pays = [a / b for a, b in zip(made, saved, strict=True)]
            found.append(
                {
                    "step": which,
                    "target": target,
                    "ms to record": rows.short(1e3 * median(made)),
                    "ms saved in a step": rows.short(1e3 * median(saved)),
                    "steps until it has paid": rows.short(median(pays)),
                }
            )
    return found


def in_turns(*steps: Callable[[], Any]) -> list[list[float]]:
    """The times of some steps, a part of each in every turn."""
    times = [times_of(step, PART) for step in steps]
    return [
        [timed(step, count) for step, count in zip(steps, times, strict=True)]
        for _ in range(7)
    ]


def whole(_: Path) -> list[Row]:
    """How long the site takes to be built, figures included, and all tests to run."""
    shutil.rmtree(rows.ROOT / "build/drawn", ignore_errors=True)
    return [made("site"), made("test")]


def made(target: str) -> Row:
    """The seconds that make takes, by the clock and of all cores of the processor."""
    clock, start = perf_counter(), children()
    environment = {**os.environ}
    environment.pop("PYTHONPATH", None)  # the peers are no part of it
    subprocess.run(["make", target], cwd=rows.ROOT, env=environment, check=True)
    return {
        "what": f"make {target}",
        "seconds": round(perf_counter() - clock),
        "of the processor": round(children() - start),
    }


SECTIONS = (
    machine,
    peers,
    small,
    ten,
    collected,
    moons,
    three,
    memory,
    growth,
    recorded,
    paid,
    whole,
)


def main() -> None:
    """Measure the sections that are asked for, and write all of them."""
    folder, *wanted = sys.argv[1:]
    found: dict[str, list[Row]] = {}
    if RESULTS.exists():
        found = tomllib.loads(RESULTS.read_text(encoding="utf-8"))
    for section in SECTIONS:
        if not wanted or section.__name__ in wanted:
            found[section.__name__] = section(Path(folder).resolve())
        parts = [rows.written(s.__name__, found.get(s.__name__, [])) for s in SECTIONS]
        text = "\n".join(["# Written by make bench.\n", *parts])
        RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
