"""What `import tanglegrad` offers, and what it does not drag along."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tanglegrad

MODULES = [
    "bridge",
    "data",
    "draw",
    "engine",
    "exercises",
    "gpt",
    "micro",
    "nn",
    "numeric",
    "optim",
    "replay",
]
NAMES = {
    "Adam": "optim",
    "Layer": "nn",
    "MLP": "nn",
    "Module": "nn",
    "Neuron": "nn",
    "Optimizer": "optim",
    "Replay": "replay",
    "SGD": "optim",
    "Value": "engine",
    "cross_entropy": "nn",
    "derivative": "numeric",
    "dot": "engine",
    "gradcheck": "numeric",
    "gradient": "numeric",
    "record": "replay",
    "softmax": "nn",
    "total": "engine",
}
FOLDER = Path(tanglegrad.__file__).parent


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_the_front_door_is_that_of_its_module(name: str) -> None:
    module = importlib.import_module(f"tanglegrad.{NAMES[name]}")
    assert getattr(tanglegrad, name) is getattr(module, name)


def test_the_front_door_offers_nothing_else() -> None:
    offered = {
        name
        for name, thing in vars(tanglegrad).items()
        if not name.startswith("_") and not inspect.ismodule(thing)
    }
    assert offered == set(NAMES)


def test_every_module_is_known_here() -> None:
    assert sorted(p.stem for p in FOLDER.glob("[!_]*.py")) == MODULES


def test_the_value_of_the_package_is_the_engines_and_not_micros() -> None:
    micro: Any = importlib.import_module("tanglegrad.micro")
    assert tanglegrad.Value is not micro.Value
    assert tanglegrad.Value.__module__ == "tanglegrad.engine"


def test_the_package_says_that_it_is_typed() -> None:
    assert (FOLDER / "py.typed").is_file()


def public() -> dict[str, Any]:
    """Every module, and every public class, function, method and property in it."""
    found: dict[str, Any] = {"tanglegrad": tanglegrad}
    for short in MODULES:
        module = importlib.import_module(f"tanglegrad.{short}")
        found[short] = module
        for name, thing in vars(module).items():
            ours = getattr(thing, "__module__", None) == module.__name__
            if ours and not name.startswith("_") and hasattr(thing, "__qualname__"):
                found[f"{short}.{name}"] = thing
                members = vars(thing) if inspect.isclass(thing) else {}
                for part, member in members.items():
                    if not part.startswith("_") and (
                        callable(member) or isinstance(member, property)
                    ):
                        found[f"{short}.{name}.{part}"] = member
    return found


PUBLIC = public()


def test_public_names_are_found() -> None:
    some = {"engine.Value.backward", "nn.MLP", "numeric.gradcheck", "optim.SGD.step"}
    assert some < set(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_says_what_it_is(name: str) -> None:
    thing = PUBLIC[name]
    doc = thing.__doc__ or ""
    assert len(doc.split()) >= 3
    assert doc[0].strip()
    assert "." in doc


@pytest.mark.parametrize("name", [n for n in PUBLIC if inspect.isfunction(PUBLIC[n])])
def test_every_public_function_is_typed(name: str) -> None:
    signature = inspect.signature(PUBLIC[name])
    untyped = [
        p.name
        for p in signature.parameters.values()
        if p.annotation is inspect.Parameter.empty and p.name != "self"
    ]
    assert untyped == []
    assert signature.return_annotation is not inspect.Signature.empty


IMPORTS = """
import sys
sys.path.insert(0, sys.argv[1])
before = set(sys.modules)
import tanglegrad
from tanglegrad import bridge, data, draw, engine, exercises, gpt, micro
from tanglegrad import nn, numeric, optim, replay
roots = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*sorted(roots - set(sys.stdlib_module_names)))
"""


def test_nothing_is_imported_but_the_standard_library() -> None:
    command = [sys.executable, "-I", "-S", "-c", IMPORTS, str(FOLDER.parent)]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    assert run.stdout.split() == ["tanglegrad"]
    assert run.stderr == ""


def test_importing_it_prints_nothing_and_draws_no_number() -> None:
    program = "import random; s = random.getstate(); import tanglegrad; "
    program += "print(random.getstate() == s)"
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("True\n", "")
