"""The command line: python -m weave COMMAND."""

import sys
from pathlib import Path

from . import WeaveError
from .tangle import tangle
from .check import check
from .manuscript import Manuscript
from .tally import tally
from .examples import update


def _tangle(root: Path) -> int:
    for path in (written := tangle(root)):
        print(f"wrote {path}")
    if not written:
        print("src is what the book says")
    return 0


def _check(root: Path) -> int:
    manuscript = Manuscript(root)
    faults = check(manuscript)
    for fault in faults:
        print(fault)
    if not manuscript.book.faults():
        looked = [f"{n} {what}" for what, n in tally(manuscript).items()]
        print(", ".join(looked), end="; ")
    print(f"{len(faults)} faults")
    return 1 if faults else 0


def _update(root: Path) -> int:
    for place in (places := update(root)):
        print(f"wrote the output at {place}")
    if not places:
        print("every output is what its example prints")
    return 0


USAGE = """usage: python -m weave COMMAND

tangle    write src/ anew from the chapters, where it differs
check     compare the book with itself, in every way
update    write the outputs of the examples anew, where they differ"""

COMMANDS = {"tangle": _tangle}
COMMANDS["check"] = _check
COMMANDS["update"] = _update


def main(words: list[str]) -> int:
    """Run the command given in words; the exit status."""
    command = COMMANDS.get(" ".join(words))
    if not command:
        print(USAGE, file=sys.stderr)
        return 2
    try:
        return command(Path())
    except (WeaveError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
