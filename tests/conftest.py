"""What the tests measure on the way is told when all of them have run."""

from __future__ import annotations

from typing import Any

import pytest

REPORT = pytest.StashKey[list[str]]()


@pytest.fixture(scope="session")
def report(request: pytest.FixtureRequest) -> list[str]:
    """Lines to be printed at the end."""
    return request.config.stash.setdefault(REPORT, [])


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the lines over, where several processes share the tests."""
    if hasattr(session.config, "workeroutput"):
        lines = session.config.stash.get(REPORT, [])
        session.config.workeroutput["report"] = lines


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over the lines of a process that is done."""
    lines = node.config.stash.setdefault(REPORT, [])
    lines += getattr(node, "workeroutput", {}).get("report", [])


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print the lines."""
    if lines := config.stash.get(REPORT, []):
        terminalreporter.section("measured")
        for line in lines:
            terminalreporter.write_line(line)
