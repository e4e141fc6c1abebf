"""Running the code of a page, and finding the line where it fails."""

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

from . import WeaveError

PAGE = "<page>"
PACKAGE = "tanglegrad"


class Workshop:
    """Where the code of one page runs, with the package in source."""

    def __init__(self, source: Path) -> None:
        self.source = str(source)
        self.modules: dict[str, ModuleType] = {}

    def run(self, code: str, line: int, names: dict[str, Any]) -> str:
        """Run code that stands below a line of the page; what it prints."""
        printed = StringIO()
        names["__name__"] = "__main__"
        with blaming(line), self._own_package(), redirect_stdout(printed):
            exec(compile("\n" * line + code, PAGE, "exec"), names)
        return printed.getvalue()

    @contextmanager
    def _own_package(self) -> Iterator[None]:
        """Let the page see the package as it is now, and only the page."""
        others = _take_package()
        sys.modules.update(self.modules)
        sys.path.insert(0, self.source)
        try:
            yield
        finally:
            sys.path.remove(self.source)
            self.modules = _take_package()
            sys.modules.update(others)


@contextmanager
def blaming(line: int) -> Iterator[None]:
    """Make an error name its line in the page, or this line if none."""
    try:
        yield
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [getattr(error, "lineno", line)]
        lines += [f.lineno for f in frames if f.filename == PAGE]
        what = f"{type(error).__name__}: {error}"
        raise WeaveError(f"line {lines[-1]}: {what}") from error


def _take_package() -> dict[str, ModuleType]:
    """Take the package out of the imported modules; what was taken."""
    names = [n for n in list(sys.modules) if n.split(".")[0] == PACKAGE]
    return {name: sys.modules.pop(name) for name in names}
