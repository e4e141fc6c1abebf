"""The program is what the book says, and a book at fault makes no program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weave import WeaveError
from weave.tangle import fresh, tidy

if TYPE_CHECKING:
    from collections.abc import Callable

    Shelve = Callable[..., Path]

ROOT = Path(__file__).parents[2]

USING = """# Halves

``` {.python #halves file=src/halves.py}
<<half>>
```

"""
DEFINING = """``` {.python #half}
def half(x):
    return x / 2
```
"""
HALVES = USING + DEFINING


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "weave", *words],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


# This book -------------------------------------------------------------------


def test_tangling_again_changes_nothing() -> None:
    written = {
        file.relative_to(ROOT).as_posix(): file.read_bytes()
        for file in (ROOT / "src").rglob("*.py")
    }
    tangled = {path: text.encode() for path, text in fresh(ROOT).items()}
    assert sorted(written) == sorted(tangled)
    for path, content in tangled.items():
        assert written[path] == content, f"{path} is not what the book says"


# Any book --------------------------------------------------------------------


def test_fragments_are_put_where_they_are_used(shelve: Shelve) -> None:
    assert fresh(shelve(HALVES)) == {
        "src/halves.py": "def half(x):\n    return x / 2\n"
    }


def test_a_later_chapter_continues_a_fragment(shelve: Shelve) -> None:
    more = "``` {.python #half}\n\n\ndef quarter(x):\n    return half(x) / 2\n```\n"
    root = shelve(HALVES, more)
    assert "quarter" not in fresh(root, chapters=1)["src/halves.py"]
    assert fresh(root)["src/halves.py"] == (
        "def half(x):\n    return x / 2\n\n\ndef quarter(x):\n    return half(x) / 2\n"
    )


def test_a_blank_line_at_the_head_of_a_piece_stays_empty(shelve: Shelve) -> None:
    text = """
``` {.python #pair file=src/pair.py}
class Pair:
    <<methods>>
```

``` {.python #methods}
def first(self): ...
```

``` {.python #methods}

def second(self): ...
```
"""
    assert fresh(shelve(text))["src/pair.py"] == (
        "class Pair:\n    def first(self): ...\n\n    def second(self): ...\n"
    )


def test_a_tidy_text_has_no_blanks_at_its_ends() -> None:
    assert tidy("  a  \n \t\nb\n\n") == tidy("  a\n\nb") == "  a\n\nb\n"


def test_the_folder_of_the_book_is_left_as_it_was(shelve: Shelve) -> None:
    root = shelve(HALVES)
    before = sorted(root.rglob("*"))
    fresh(root)
    assert sorted(root.rglob("*")) == before


# Books at fault --------------------------------------------------------------

MISSING = HALVES.replace("#half}", "#hafl}")
CIRCLE = HALVES.replace("    return x / 2", "    <<halves>>")
UNUSED = HALVES + "\n``` {.python #quarter}\npass\n```\n"
UNUSED_TOGETHER = UNUSED.replace("pass", "<<eighth>>") + (
    "\n``` {.python #eighth}\npass\n```\n"
)
UNENDED = HALVES.removesuffix("```\n")
SWALLOWING = HALVES.replace("<<half>>\n```\n", "<<half>>\n") + "\n```text\n4\n```\n"
UNENDED_EXAMPLE = "```python\nprint(1)\n\n" + HALVES


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (MISSING, "docs/1.md:4: fragment 'halves' uses <<half>>, which no chapter"),
        (
            CIRCLE,
            "docs/1.md:3: fragment 'halves' uses itself: halves -> half -> halves",
        ),
        (UNUSED, "docs/1.md:12: fragment 'quarter' is used nowhere"),
        (UNUSED_TOGETHER, "docs/1.md:16: fragment 'eighth' is used nowhere"),
        (UNENDED, "docs/1.md:7: '```{.python #half}' is not closed"),
        (SWALLOWING, "docs/1.md:3: '```{.python #halves file=src/halves.py}' is not"),
        (UNENDED_EXAMPLE, "docs/1.md:1: '```python' is not closed"),
    ],
    ids=[
        "missing",
        "circle",
        "unused",
        "used only by the unused",
        "no end",
        "the end of another",
        "an example without end",
    ],
)
def test_a_fault_is_told_with_file_line_and_name(
    shelve: Shelve, text: str, complaint: str
) -> None:
    with pytest.raises(WeaveError) as caught:
        fresh(shelve(text))
    assert complaint in str(caught.value)


def test_all_faults_are_told_at_once(shelve: Shelve) -> None:
    with pytest.raises(WeaveError) as caught:
        fresh(shelve(UNUSED, "``` {.python #half}\n<<third>>\n```\n\n```text\n"))
    lines = str(caught.value).splitlines()
    assert [line.partition(": ")[0] for line in lines] == [
        "docs/2.md:5",
        "docs/2.md:2",
        "docs/1.md:12",
    ]


def test_a_chapter_cannot_use_what_a_later_one_defines(shelve: Shelve) -> None:
    root = shelve(USING, DEFINING)
    complaint = r"docs/1\.md:4: .* uses <<half>>, which only docs/2\.md defines"
    with pytest.raises(WeaveError, match=complaint):
        fresh(root)


@pytest.mark.parametrize(
    "opening",
    ["{.python #other file=src/halves.py}", "{.python #halves file=src/halves.py}"],
)
def test_a_file_has_one_root(shelve: Shelve, opening: str) -> None:
    root = shelve(HALVES, f"``` {opening}\npass\n```\n")
    with pytest.raises(WeaveError, match=r"docs/2\.md:1: .* a second root of src/h"):
        fresh(root)


def test_a_fragment_may_wait_for_the_chapter_that_uses_it(shelve: Shelve) -> None:
    assert fresh(shelve(DEFINING, USING), chapters=1) == {}


# The command -----------------------------------------------------------------


def test_the_command_writes_what_differs_and_says_so(shelve: Shelve) -> None:
    root = shelve(HALVES)
    first = command(root, "tangle")
    assert (first.returncode, first.stdout) == (0, "wrote src/halves.py\n")
    assert (root / "src/halves.py").read_bytes() == b"def half(x):\n    return x / 2\n"
    second = command(root, "tangle")
    assert (second.returncode, second.stdout) == (0, "src is what the book says\n")


def test_the_command_writes_what_is_older_and_leaves_other_files(
    shelve: Shelve,
) -> None:
    root = shelve(HALVES)
    command(root, "tangle")
    (root / "src/halves.py").write_text("of an older chapter\n")
    os.utime(root / "src/halves.py", (1, 1))
    (root / "src/other.py").write_text("mine\n")
    assert command(root, "tangle").stdout == "wrote src/halves.py\n"
    assert (root / "src/other.py").read_text() == "mine\n"


def test_a_book_at_fault_is_not_written(shelve: Shelve) -> None:
    root = shelve(MISSING)
    run = command(root, "tangle")
    assert run.returncode == 1
    assert run.stderr.startswith("docs/1.md:4: fragment 'halves' uses <<half>>")
    assert not (root / "src").exists()


def test_a_chapter_that_is_listed_must_be_there(shelve: Shelve) -> None:
    root = shelve(HALVES)
    (root / "docs/1.md").unlink()
    run = command(root, "tangle")
    assert run.returncode == 1
    assert "docs/1.md" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("words", [(), ("tangel",), ("tangle", "twice")])
def test_a_command_not_understood_is_answered_with_the_usage(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    run = command(tmp_path, *words)
    assert run.returncode == 2
    assert run.stderr.startswith("usage: python -m weave")
