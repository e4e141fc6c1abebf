"""The same seed gives the same bits, in every process and on every Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import tanglegrad

SOURCE = Path(tanglegrad.__file__).parents[1]

TRAINING = """
import random
from tanglegrad import MLP, SGD, Adam

random.seed(1337)
for make in (
    lambda ps: SGD(ps, lr=0.02),
    lambda ps: SGD(ps, lr=0.01, momentum=0.9),
    lambda ps: Adam(ps, lr=0.02),
):
    model = MLP(2, [6, 6, 2])
    optimizer = make(model.parameters())
    for step in range(25):
        loss = 0.0
        for _ in range(4):
            x, y = random.uniform(-1, 1), random.uniform(-1, 1)
            u, v = model([x, y])
            loss += (u - x * y) ** 2 + (v - abs(x - y)) ** 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.data.hex())
    print(*(p.grad.hex() for p in model.parameters()))
    print(*(p.data.hex() for p in model.parameters()))
"""

WEB = """
import random
from tanglegrad import Value

random.seed(7)
leaves = [Value(random.uniform(-1, 1)) for _ in range(20)]
values = list(leaves)
for _ in range(1000):
    x, y, z = random.sample(values[-200:], 3)
    values.append((x * 0.3 + y / 1.7 - z * x).tanh())
    values.append((x.sigmoid() ** 1.5 + y.exp().log()).sin())
    values.append((z.cos() + 2.5).sqrt() - abs(y).relu() ** (z * z))
sum(values).backward()
print(*(v.grad.hex() for v in leaves), values[-1].data.hex())
"""


@cache
def printed(program: str, python: str, hash_seed: str) -> str:
    environment = {
        **os.environ,
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": str(SOURCE),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [python, "-c", program]
    run = subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    )
    return run.stdout


each_program = pytest.mark.parametrize(
    ("program", "count"),
    [(TRAINING, 3 * (1 + 2 * 74)), (WEB, 21)],
    ids=["training", "web"],
)


@each_program
def test_five_fresh_processes_print_the_same_bits(program: str, count: int) -> None:
    seeds = ("0", "1", "20261130", "4294967295", "random")
    outputs = {printed(program, sys.executable, seed) for seed in seeds}
    assert len(outputs) == 1
    numbers = [float.fromhex(word) for word in outputs.pop().split()]
    assert len(numbers) == count
    assert all(-1e9 < x < 1e9 for x in numbers)
    assert len(set(numbers)) > count / 2


def python_of(version: str) -> str | None:
    """A Python of this version, if there is one on the machine."""
    if version == f"3.{sys.version_info.minor}":
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    places = sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}"))
    return str(places[-1]) if places else shutil.which(f"python{version}")


@each_program
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_every_python_prints_the_same_bits(
    version: str, program: str, count: int
) -> None:
    python = python_of(version)
    if python is None:
        pytest.skip(f"no Python {version} was found on this machine")
    output = printed(program, python, "0")
    assert len(output.split()) == count
    assert output == printed(program, sys.executable, "0")
