"""The faults that are planted: each is a change that can be made."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.bench.faults import FAULTS, PACKAGE, Fault, planted

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f"{f.module}, {f.what}")
def test_its_text_stands_once_in_its_module(fault: Fault, tmp_path: Path) -> None:
    path = tmp_path / f"{fault.module}.py"
    shutil.copy(PACKAGE / path.name, path)
    planted(fault, tmp_path)
    assert path.read_text("utf-8") != (PACKAGE / path.name).read_text("utf-8")


def test_no_two_are_described_alike() -> None:
    described = [(fault.module, fault.what) for fault in FAULTS]
    assert len(set(described)) == len(described)
