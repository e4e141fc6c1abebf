"""Every way to take a step, timed against micrograd: `make bench`.

Each way is timed in a process of its own, in turns with micrograd: one step of the
one, one step of the other. The gradients have to agree before a time counts. A time
is that of the processor, with the collector on and `gc.collect()` before each part.
The results go to tests/bench/results.json, and from there to the page about speed.

    python -m tests.bench.compare FOLDER

FOLDER holds the peers, each installed in a folder of its own name.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import json
import platform
import subprocess
import sys
from importlib.metadata import distributions, version
from pathlib import Path
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

from tests.bench.steps import TASKS, Task, by_hand, model, network, replay, scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.bench.steps import Result

PAIRS = 9
RESULTS = Path(__file__).parent / "results.json"
PEERS = {
    "micrograd": "micrograd/engine.py",
    "micrograd-viz": "micrograd/engine.py",
    "omnigrad": "omnigrad/diffengine.py",
}
OURS: dict[str, Callable[[Task], Callable[[], Result]]] = {
    "engine": lambda task: network(task, model(task)),
    "replay": lambda task: replay(task, "python"),
    "replay over columns": lambda task: replay(task, "columns"),
    "replay in C": lambda task: replay(task, "c"),
    "NumPy by hand": by_hand,
}


def peer(folder: Path, name: str) -> Callable[[float], Any]:
    """The scalar class of a peer, under a name of its own."""
    file = folder / name / PEERS[name]
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    value: Callable[[float], Any] = module.Value
    if not hasattr(value, "relu"):
        value.relu = module.Value.reLU  # type: ignore[attr-defined]
    return value


def micrograd(task: Task, folder: Path) -> Callable[[], Result]:
    """The step as a program with micrograd writes it, with its own network."""
    sys.path.insert(0, str(folder))
    nn: Any = importlib.import_module("micrograd.nn")
    return network(task, nn.MLP(task.sizes[0], task.sizes[1:]))


def timed(step: Callable[[], Result], times: int) -> float:
    gc.collect()
    start = process_time()
    for _ in range(times):
        step()
    return (process_time() - start) / times


def agree(first: Result, second: Result) -> bool:
    """Whether losses and gradients are the same to 1e-12 of the largest."""
    ours, theirs = ([loss, *gradients()] for loss, gradients in (first, second))
    scale = max(map(abs, ours))
    return len(ours) == len(theirs) and all(
        abs(a - b) <= 1e-12 * scale for a, b in zip(ours, theirs, strict=True)
    )


def compared(folder: Path, name: str, which: str) -> dict[str, Any]:
    """How many times faster than micrograd: the median, least and most."""
    task = TASKS[which]
    sys.setrecursionlimit(200_000)  # micrograd walks its graph by recursion
    base = micrograd(task, folder / "micrograd")
    start = process_time()
    if name == "micrograd":
        step = micrograd(task, folder / name)
    else:
        step = OURS[name](task) if name in OURS else scalar(task, peer(folder, name))
    recorded = process_time() - start
    if not agree(base(), step()):
        raise ValueError(f"{name} has other gradients than micrograd")
    quick = max(1, round(0.02 / timed(step, 1)))
    slow = 10 if which == "small" else 1
    pairs = [(timed(base, slow), timed(step, quick)) for _ in range(PAIRS)]
    ratios = [a / b for a, b in pairs]
    return {
        "ratio": median(ratios),
        "least": min(ratios),
        "most": max(ratios),
        "microseconds": 1e6 * median(b for _, b in pairs),
        "made in": 1e6 * recorded,
    }


def machine(folder: Path) -> dict[str, Any]:
    names = [*PEERS, "numpy"]
    paths = [str(folder / name) for name in PEERS]
    found = {d.name: d.version for d in distributions(path=paths)}
    found["numpy"] = version("numpy")
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.system(),
        "versions": {name: found[name] for name in names if name in found},
    }


def in_a_process(folder: Path, name: str, which: str) -> dict[str, Any]:
    """The comparison, made by a fresh process; its error if it fails."""
    command = [sys.executable, "-m", "tests.bench.compare", str(folder), name, which]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        lines = run.stderr.strip().splitlines() or [f"it ended with {run.returncode}"]
        return {"error": lines[-1]}
    result: dict[str, Any] = json.loads(run.stdout)
    return result


def main() -> None:
    """Compare everything, or with a name and a task that one."""
    folder, *one = sys.argv[1:]
    if one:
        json.dump(compared(Path(folder), *one), sys.stdout)
        return
    steps: dict[str, dict[str, Any]] = {}
    for which in TASKS:
        for name in [*PEERS, *OURS]:
            result = in_a_process(Path(folder), name, which)
            steps.setdefault(name, {})[which] = result
            print(f"{which:6} {name:20}", result.get("ratio", result))
    text = json.dumps({**machine(Path(folder)), "steps": steps}, indent=1)
    RESULTS.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
