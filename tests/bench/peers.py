"""Other engines that can take the step, each in a folder of its own.

PyTorch takes it in two ways: with a tensor for each number, and with arrays.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
from importlib.metadata import distributions
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.bench.steps import (
    columns_of,
    layers_of,
    loss_of_arrays,
    network,
    scalar,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.bench.steps import Result, Task

    Step = Callable[[], Result]


class Peer(NamedTuple):
    """What pip installs, and what else it has to be told."""

    requirement: str
    alone: bool = True  # without the packages that it names
    building: str = ""  # what has to hold for the packages that build it


PACKAGES = [
    Peer("micrograd==0.1.0"),
    Peer("micrograd-viz==0.2.0"),
    Peer("omnigrad==0.2.3"),
    Peer("micrograd-cpp-engine==0.1.1", building="scikit-build-core<0.8"),
    Peer("autograd==1.8.0"),
    Peer("torch==2.13.0", alone=False),
]


def installed(folder: Path, package: Peer) -> str:
    """Install a package below folder; the last line of what pip says if it fails."""
    name, _, wanted = package.requirement.partition("==")
    target = folder / name
    if version(folder, name).partition("+")[0] == wanted:
        return ""
    rules = folder / "rules.txt"
    folder.mkdir(exist_ok=True)
    rules.write_text(package.building, encoding="utf-8")
    names = ("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT")
    environment = {**os.environ, **dict.fromkeys(names, str(rules))}
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--upgrade"]
    command += ["--no-deps"] if package.alone else []
    command += ["--target", str(target), package.requirement]
    run = subprocess.run(
        command, check=False, capture_output=True, text=True, env=environment
    )
    rules.unlink()
    errors = [line for line in run.stderr.splitlines() if line.startswith("ERROR")]
    return errors[-1] if run.returncode and errors else ""


def version(folder: Path, name: str) -> str:
    """The version of a package that is installed, or nothing."""
    found = {d.name: d.version for d in distributions(path=[str(folder / name)])}
    return found.get(name, "")


def from_folder(folder: Path, name: str) -> Any:
    """A module of the package that is in a folder, whatever else has its name."""
    sys.path.insert(0, str(folder))
    if str(folder) not in str(getattr(sys.modules.get(name), "__file__", "")):
        top = name.partition(".")[0]
        for loaded in [m for m in sys.modules if m.partition(".")[0] == top]:
            del sys.modules[loaded]
    return importlib.import_module(name)


def from_file(file: Path) -> Callable[[float], Any]:
    """The scalar class in a file that needs nothing else of its package."""
    spec = importlib.util.spec_from_file_location("peer", file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    value: Callable[[float], Any] = module.Value
    if not hasattr(value, "relu"):
        value.relu = module.Value.reLU  # type: ignore[attr-defined]
    return value


def micrograd(task: Task, folder: Path) -> Step:
    """The step as a program with micrograd writes it, with its own network."""
    nn = from_folder(folder / "micrograd", "micrograd.nn")
    return network(task, nn.MLP(task.sizes[0], task.sizes[1:]))


def cpp_engine(_: Task, folder: Path) -> Step:
    """No step: a gradient in 32 bits cannot be right to twelve digits."""
    engine = from_folder(folder / "micrograd-cpp-engine", "micrograd")
    [tenth] = engine.tensor([0.1]).tolist()
    raise TypeError(f"its numbers have 32 bits: 0.1 is {tenth}")


def torch_scalars(task: Task, folder: Path) -> Step:
    torch = _torch(folder)

    def value(x: float) -> Any:
        return torch.tensor(x, dtype=torch.float64, requires_grad=True)

    step = scalar(task, value, zero=None)

    def taken() -> Result:
        loss, gradients = step()
        return float(loss), lambda: [float(g) for g in gradients()]

    return taken


def torch_arrays(task: Task, folder: Path) -> Step:
    torch = _torch(folder)
    xs, ys = (torch.tensor(x, dtype=torch.float64) for x in columns_of(task))
    layers = [
        torch.tensor(layer, dtype=torch.float64, requires_grad=True)
        for layer in layers_of(task)
    ]

    def step() -> Result:
        for layer in layers:
            layer.grad = None
        loss = loss_of_arrays(task, layers, xs, ys, torch.relu)
        loss.backward()
        return loss.item(), lambda: [
            x for layer in layers for x in layer.grad.flatten().tolist()
        ]

    return step


def _torch(folder: Path) -> Any:
    """PyTorch, on one core, like everything else here."""
    torch = from_folder(folder / "torch", "torch")
    torch.set_num_threads(1)
    return torch


def autograd(task: Task, folder: Path) -> Step:
    """The step with HIPS autograd, which follows NumPy's arrays."""
    module = from_folder(folder / "autograd", "autograd")
    np = importlib.import_module("autograd.numpy")
    xs, ys = map(np.array, columns_of(task))
    layers = [np.array(layer) for layer in layers_of(task)]

    def relu(x: Any) -> Any:
        return np.maximum(x, 0.0)

    both = module.value_and_grad(
        lambda layers: loss_of_arrays(task, layers, xs, ys, relu)
    )

    def step() -> Result:
        loss, grads = both(layers)
        return float(loss), lambda: [x for g in grads for x in g.flat]

    return step


def _kin(file: str) -> Callable[[Task, Path], Step]:
    return lambda task, folder: scalar(task, from_file(folder / file))


# By what a page calls them: the package of each, and its step.
STEPS: dict[str, tuple[str, Callable[[Task, Path], Step]]] = {
    "micrograd": ("micrograd", micrograd),
    "micrograd-viz": ("micrograd-viz", _kin("micrograd-viz/micrograd/engine.py")),
    "omnigrad": ("omnigrad", _kin("omnigrad/omnigrad/diffengine.py")),
    "micrograd-cpp-engine": ("micrograd-cpp-engine", cpp_engine),
    "PyTorch, scalars": ("torch", torch_scalars),
    "PyTorch, arrays": ("torch", torch_arrays),
    "autograd, arrays": ("autograd", autograd),
}
