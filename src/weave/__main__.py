"""The command line: python -m weave COMMAND."""

import sys
from pathlib import Path

from . import WeaveError
from .tangle import tangle
from .check import check
from .manuscript import Manuscript
from .tally import tally
from .examples import update
from .elsewhere import note


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
    if not manuscript.book.faults:
        looked = [f"{n} {what}" for what, n in tally(manuscript).items()]
        print(", ".join(looked), end="; ")
    print(f"{len(faults)} faults")
    return 1 if faults else 0


def _update(root: Path) -> int:
    for place in (places := update(root)):
        print(f"wrote the output at {place}")
    if not places:
        print("every output is what its example prints")
    note(root)
    return 0


def _twins(root: Path, folder: Path) -> int:
    from .site import Site  # noqa: PLC0415
    from .twins import write  # noqa: PLC0415

    site = Site(root, folder)
    write(site)
    print(f"wrote the twins of {len(site.leaves)} pages into {folder}")
    return 0


def _print(root: Path, folder: Path) -> int:
    from .printing import print_book  # noqa: PLC0415
    from .site import Site  # noqa: PLC0415

    file = root / "build" / "tanglegrad.pdf"
    count = print_book(Site(root, folder), file)
    print(f"printed {count} pages into {file}")
    return 0


def _live(root: Path, folder: Path) -> int:
    from .runner import write  # noqa: PLC0415

    size = write(root, folder)
    print(f"the examples in {folder} run, with {size:,} bytes")
    return 0


def _faces(root: Path) -> int:
    from .faces import write  # noqa: PLC0415

    for file in (written := write()):
        print(f"wrote {file.relative_to(root.resolve())}")
    if not written:
        print("the faces are what the style sheet says")
    return 0


USAGE = """usage: python -m weave COMMAND

tangle    write src/ anew from the chapters, where it differs
check     compare the book with itself, in every way
update    write the outputs of the examples anew, where they differ
faces     cut the faces of type to what the style sheet says of them
twins DIR write the pages of the site in DIR as plain text, too
print DIR print the site in DIR as a book
live DIR  put what the examples run with into the site in DIR"""

COMMANDS = {"tangle": _tangle}
COMMANDS["check"] = _check
COMMANDS["update"] = _update

ABOUT_A_SITE = {"twins": _twins}
ABOUT_A_SITE["print"] = _print
ABOUT_A_SITE["live"] = _live
COMMANDS["faces"] = _faces


def main(words: list[str]) -> int:
    """Run the command given in words; the exit status."""
    try:
        match words:
            case [word] if word in COMMANDS:
                return COMMANDS[word](Path())
            case [word, folder] if word in ABOUT_A_SITE:
                return ABOUT_A_SITE[word](Path(), Path(folder))
    except (WeaveError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(USAGE, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
