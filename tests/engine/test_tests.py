"""Every test of the engine can fail: it asserts something that is not settled."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = {
    f"{path.name}::{node.name}": (path, node)
    for folder in (HERE, HERE.parent / "bench")
    for path in sorted(folder.glob("test_*.py"))
    for node in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
}


def settled(check: ast.expr) -> bool:
    """Whether an expression comes out the same whatever the program does."""
    return not any(
        isinstance(part, ast.Name | ast.Attribute | ast.Call)
        for part in ast.walk(check)
    )


def demands(function: ast.FunctionDef, others: dict[str, ast.FunctionDef]) -> int:
    """How many assertions a function makes, itself or by functions beside it."""
    found = 0
    for part in ast.walk(function):
        if isinstance(part, ast.Assert):
            found += not settled(part.test)
        elif isinstance(part, ast.Call):
            called = ast.unparse(part.func)
            found += called in ("pytest.raises", "pytest.fail")
            if called in others and others[called] is not function:
                found += demands(others[called], others)
    return found


@pytest.mark.parametrize("name", TESTS)
def test_a_test_makes_an_assertion_that_can_fail(name: str) -> None:
    path, function = TESTS[name]
    body = ast.parse(path.read_text(encoding="utf-8")).body
    beside = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
    assert demands(function, beside) > 0


@pytest.mark.parametrize(
    ("program", "count"),
    [
        ("def f():\n    pass", 0),
        ("def f():\n    assert True", 0),
        ("def f():\n    assert 1 + 1 == 2", 0),
        ("def f():\n    x = 2\n    assert x == 2", 1),
        ("def f():\n    with pytest.raises(ValueError):\n        g()", 1),
        ("def f():\n    g()\ndef g():\n    assert h() == 1", 1),
        ("def f():\n    g()\ndef g():\n    return 1", 0),
    ],
)
def test_an_assertion_is_known_when_it_is_seen(program: str, count: int) -> None:
    nodes = [n for n in ast.parse(program).body if isinstance(n, ast.FunctionDef)]
    assert demands(nodes[0], {node.name: node for node in nodes}) == count
