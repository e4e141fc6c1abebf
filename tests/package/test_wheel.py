"""What people install: the book's package, and nothing that it would need."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    where = ["--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run([*command, *where], check=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_every_file_of_the_package_and_no_other(wheel: Path) -> None:
    src = ROOT / "src"
    package = {
        file.relative_to(src).as_posix()
        for file in (src / "tanglegrad").rglob("*")
        if file.suffix == ".py" or file.name == "py.typed"
    }
    held = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert "tanglegrad/py.typed" in held
    assert held == package


def test_the_package_needs_nothing(wheel: Path) -> None:
    files = ZipFile(wheel)
    name = next(name for name in files.namelist() if name.endswith("/METADATA"))
    needs = re.findall(
        r"^Requires-Dist: (.*)$", files.read(name).decode(), re.MULTILINE
    )
    assert [need for need in needs if "extra ==" not in need] == []


def test_the_readme_runs_with_the_wheel_alone(wheel: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example, output = re.findall(
        r"^```(?:python|text)\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL
    )
    program = f"import sys; sys.path.insert(0, {str(wheel)!r})\n{example}"
    run = subprocess.run(
        # -I and -S: without anything else that is installed here.
        [sys.executable, "-I", "-S", "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert run.stdout == output
