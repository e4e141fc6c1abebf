"""The command line: python -m weave COMMAND."""

import sys
from pathlib import Path

from . import WeaveError
from .tangle import tangle

USAGE = """usage: python -m weave COMMAND

tangle    write src/ anew from the chapters, where it differs"""


def main(words: list[str]) -> int:
    """Run the command given in words; the exit status."""
    if words != ["tangle"]:
        print(USAGE, file=sys.stderr)
        return 2
    try:
        written = tangle(Path())
    except (WeaveError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    for path in written:
        print(f"wrote {path}")
    if not written:
        print("src is what the book says")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
