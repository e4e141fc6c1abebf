"""A small book without fault, and every way in which it can go wrong."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weave import check, elsewhere, examples, links, names, numbers
from weave.book import Book
from weave.chapters import stages
from weave.check import figures, fragments, program
from weave.manuscript import Manuscript, Sheet
from weave.tally import tally
from weave.tangle import tangle

if TYPE_CHECKING:
    from collections.abc import Callable

    from weave.check import Check

    Shelve = Callable[..., Path]

ONE = "docs/book/01-halves.md"
TWO = "docs/book/02-quarters.md"
MARK = "<!--pytest-codeblocks:expected-output-->"

BOOK = {
    "entangled.toml": f"""version = "2.0"
annotation = "naked"
watch_list = ["{ONE}", "{TWO}"]
""",
    "README.md": "# Halves\n\nRead [the first chapter](docs/book/01-halves.md).\n",
    ONE: f"""# Halves

At the end of this chapter `half` halves.

## One half

``` {{.python #halves file=src/tanglegrad/halves.py}}
\"\"\"Halves, and more.\"\"\"


<<half>>
```

``` {{.python #half}}
def half(x):
    \"\"\"The half of x.\"\"\"
    return x / 2
```

The half of 7 is 3.5, that is $7/2$.

```python
from tanglegrad.halves import half

print(half(7))
```

{MARK}

```text
3.5
```

```plot
caption: The half of 7.
alt: A point at a height of 3.5.
---
ax.plot([7], [half(7)], "o")
```

## Two halves

Of 5 the half is 2.5, and 24 is an order of four.
<!--= 5: 10 / 2 -->
<!--= 2.5: half(5) -->
<!--= 24: factorial(4) -->

```python
x = 1
```

``` {{.python file=src/tanglegrad/__init__.py}}
\"\"\"A package.\"\"\"
```
""",
    TWO: f"""# Quarters

Chapter 1 has [one half](01-halves.md#one-half), see also
[`half`](../reference/halves.md#tanglegrad.halves.half) in `halves.py`.

``` {{.python #half}}


def quarter(x):
    \"\"\"The quarter of x.\"\"\"
    return half(x) / 2
```

```python
from tanglegrad.halves import quarter

print(quarter(10))
```

{MARK}

```text
2.5
```

| of | quarter |
|----|---------|
| 10 | 2.5     |
""",
    "docs/reference/halves.md": "# Reference\n\n::: tanglegrad.halves\n",
}

EXAMPLE = "```python\nx = 1\n```\n"


@pytest.fixture(scope="module")
def tangled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small book, and its program."""
    root = tmp_path_factory.mktemp("book")
    for path, text in BOOK.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    tangle(root)
    (root / "src/tanglegrad/py.typed").touch()
    return root


@pytest.fixture
def book(tangled: Path, tmp_path: Path) -> Path:
    """A copy of the small book, to be spoiled."""
    return shutil.copytree(tangled, tmp_path / "book")


def plant(book: Path, path: str, old: str, new: str) -> None:
    """Put a fault into a file of the book, in the place of something right."""
    text = (book / path).read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path}"
    (book / path).write_text(text.replace(old, new), encoding="utf-8")


def weave(book: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "weave", *words],
        cwd=book,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


# Without fault ---------------------------------------------------------------


def test_a_book_without_fault_passes_every_check(book: Path) -> None:
    run = weave(book, "check")
    assert run.stdout == (
        "4 fragments, 3 examples run, 2 outputs compared, 0 examples run elsewhere, "
        "10 numbers checked, 8 lines of the package, 0 mutants made, "
        "0 mutants killed; 0 faults\n"
    )
    assert run.returncode == 0


def test_a_fault_is_printed_and_makes_the_command_fail(book: Path) -> None:
    plant(book, ONE, "The half of 7 is 3.5", "The half of 7 is 3.6")
    run = weave(book, "check")
    first, last = run.stdout.splitlines()
    assert first == (
        f"{ONE}:20: nothing near computes 3.6; mend it or add <!--= 3.6: expression -->"
    )
    assert last.endswith("; 1 faults")
    assert run.returncode == 1


def test_a_misspelled_reference_is_told_and_nothing_is_counted(book: Path) -> None:
    plant(book, ONE, "<<half>>", "<<hafl>>")
    run = weave(book, "check")
    *faults, last = run.stdout.splitlines()
    assert f"{ONE}:11: fragment 'halves' uses <<hafl>>, which no chapter" in faults[0]
    assert last == f"{len(faults)} faults"
    assert run.stderr == ""
    assert run.returncode == 1


# Tangling over something -----------------------------------------------------

HALVES = "src/tanglegrad/halves.py"


def aged(file: Path, seconds: int) -> None:
    """Make a file older, or with a number below 0 younger."""
    then = file.stat().st_mtime - seconds
    os.utime(file, (then, then))


def test_an_edit_of_the_program_is_not_written_over(book: Path) -> None:
    plant(book, ONE, "return x / 2", "return 0.5 * x")
    plant(book, HALVES, "return x / 2", "return x * 0.5")
    (book / "src/tanglegrad/__init__.py").unlink()
    aged(book / HALVES, -3_600)
    run = weave(book, "tangle")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith(f"edited by hand: {HALVES}. ")
    assert "return x * 0.5" in (book / HALVES).read_text("utf-8")
    assert not (book / "src/tanglegrad/__init__.py").exists()
    (book / HALVES).unlink()
    assert weave(book, "tangle").returncode == 0
    assert "return 0.5 * x" in (book / HALVES).read_text("utf-8")


@pytest.mark.parametrize("chapter", [ONE, TWO])
def test_a_file_is_written_anew_when_one_of_its_chapters_is_younger(
    book: Path, chapter: str
) -> None:
    plant(book, HALVES, "return x / 2", "return x * 0.5")
    aged(book / HALVES, 3_600)
    aged(book / (ONE if chapter == TWO else TWO), 7_200)
    run = weave(book, "tangle")
    assert (run.returncode, run.stdout) == (0, f"wrote {HALVES}\n")


# With one fault --------------------------------------------------------------

FAULTS: dict[str, tuple[Check, str, str, str, str]] = {
    # The program: what src has and the book does not say.
    "an edit of the program": (
        program,
        "src/tanglegrad/halves.py",
        "return x / 2",
        "return x * 0.5",
        "src/tanglegrad/halves.py:6: is not what the book says",
    ),
    "a program that is older than its chapter": (
        program,
        TWO,
        "    return half(x) / 2",
        "    return half(half(x))",
        "src/tanglegrad/halves.py:11: is not what the book says",
    ),
    # Fragments.
    "a fragment that is missing": (
        fragments,
        ONE,
        "{.python #half}",
        "{.python #hafl}",
        f"{ONE}:11: fragment 'halves' uses <<half>>, which only {TWO} defines",
    ),
    "a fragment that nothing defines": (
        fragments,
        ONE,
        "<<half>>",
        "<<half>>\n<<more>>",
        f"{ONE}:12: fragment 'halves' uses <<more>>, which no chapter defines",
    ),
    "a fragment that nothing uses": (
        fragments,
        TWO,
        EXAMPLE_TWO := "```python\nfrom",
        "``` {.python #lost}\npass\n```\n\n" + EXAMPLE_TWO,
        f"{TWO}:14: fragment 'lost' is used nowhere",
    ),
    "a fragment that uses itself": (
        fragments,
        ONE,
        "    return x / 2",
        "    <<halves>>",
        f"{ONE}:7: fragment 'halves' uses itself: halves -> half -> halves",
    ),
    "a fence without an end": (
        fragments,
        ONE,
        "    return x / 2\n```",
        "    return x / 2",
        f"{ONE}:14: '```{{.python #half}}' is not closed",
    ),
    "a fence without an end on a page that is no chapter": (
        fragments,
        "README.md",
        "Read",
        "```text\nRead",
        "README.md:3: '```text' is not closed",
    ),
    "a second root of a file": (
        fragments,
        TWO,
        "{.python #half}",
        "{.python #other file=src/tanglegrad/halves.py}",
        f"{TWO}:6: fragment 'other' is a second root of src/tanglegrad/halves.py",
    ),
    "a chapter that is not listed": (
        fragments,
        "entangled.toml",
        f', "{TWO}"',
        "",
        f"{TWO}:6: a fragment in a chapter that is not listed",
    ),
    # Figures.
    "a picture from elsewhere": (
        figures,
        ONE,
        "## Two halves",
        "![A half](half.png)\n\n## Two halves",
        f"{ONE}:41: a picture that no code draws",
    ),
    "a picture in HTML": (
        figures,
        ONE,
        "## Two halves",
        '<svg viewBox="0 0 1 1"></svg>\n\n## Two halves',
        f"{ONE}:41: a picture that no code draws",
    ),
    "a plot without a description": (
        figures,
        ONE,
        "alt: A point at a height of 3.5.\n",
        "",
        f"{ONE}:34: the plot has no caption, or no alt",
    ),
    "a plot with an empty caption": (
        figures,
        ONE,
        "caption: The half of 7.",
        "caption: ",
        f"{ONE}:34: the plot has no caption, or no alt",
    ),
    "a plot without an example": (
        figures,
        TWO,
        "``` {.python #half}",
        "```plot\ncaption: A.\nalt: B.\n---\npass\n```\n\n``` {.python #half}",
        f"{TWO}:6: no example above the plot",
    ),
    # Examples that would not be run.
    "an example with a title": (
        examples.alike,
        ONE,
        EXAMPLE,
        EXAMPLE.replace("python", 'python title="x"'),
        f"{ONE}:48: '```python title=\"x\"' is not run",
    ),
    "an example with attributes": (
        examples.alike,
        ONE,
        EXAMPLE,
        EXAMPLE.replace("python", "{.python}"),
        f"{ONE}:48: '```{{.python}}' is not run",
    ),
    "an example in capitals": (
        examples.alike,
        ONE,
        EXAMPLE,
        EXAMPLE.replace("python", "Python"),
        f"{ONE}:48: '```Python' is not run",
    ),
    "an example called py": (
        examples.alike,
        ONE,
        EXAMPLE,
        EXAMPLE.replace("python", "py"),
        f"{ONE}:48: '```py' is not run",
    ),
    "an example in tildes": (
        examples.alike,
        ONE,
        EXAMPLE,
        EXAMPLE.replace("```", "~~~"),
        f"{ONE}:48: '~~~python' is not run",
    ),
    "a block of the shell": (
        examples.alike,
        ONE,
        EXAMPLE,
        "```bash\nls\n```\n",
        f"{ONE}:48: '```bash' is not run",
    ),
    "an example after a blank": (
        examples.collected,
        ONE,
        EXAMPLE,
        EXAMPLE.replace("python", " python"),
        f"{ONE}:48: the tests pass this example over",
    ),
    "an example that continues a fragment": (
        examples.collected,
        TWO,
        EXAMPLE_TWO,
        "<!--pytest-codeblocks:cont-->\n\n" + EXAMPLE_TWO,
        f"{TWO}:16: the tests pass this example over",
    ),
    "a page that is switched off": (
        examples.collected,
        ONE,
        "# Halves\n",
        "<!--pytest-codeblocks:skipfile-->\n",
        f"{ONE}:22: the tests pass this example over",
    ),
    "an example inside another fence": (
        examples.collected,
        ONE,
        EXAMPLE,
        f"~~~markdown\n{EXAMPLE}~~~\n",
        f"{ONE}:49: the tests would run this, though it is no example",
    ),
    "a comment that pytest-codeblocks does not know": (
        examples.collected,
        ONE,
        EXAMPLE,
        "<!--pytest-codeblocks:contt-->\n\n" + EXAMPLE,
        f"{ONE}:1: pytest-codeblocks: Unknown pytest-codeblocks keyword",
    ),
    "a skip without a reason": (
        examples.marked,
        ONE,
        EXAMPLE,
        "<!--pytest-codeblocks:skip-->\n\n" + EXAMPLE,
        f"{ONE}:50: this example may be skipped and does not say why",
    ),
    "a skip with a reason that no reader sees": (
        examples.marked,
        ONE,
        EXAMPLE,
        '<!--pytest.mark.skip(reason="It takes an hour.")-->\n\n' + EXAMPLE,
        f"{ONE}:50: this example may be skipped and does not say why",
    ),
    "a module that may be missing": (
        examples.marked,
        ONE,
        EXAMPLE,
        "<!--pytest-codeblocks:importorskip(torch)-->\n\n" + EXAMPLE,
        f"{ONE}:50: this example may be skipped and does not say why",
    ),
    "a module that is missing, and no note": (
        elsewhere.unnoted,
        ONE,
        EXAMPLE,
        "<!--pytest-codeblocks:importorskip(nowhere.at_all)-->\n\n" + EXAMPLE,
        f"{ONE}:50: nowhere is not here, and no note of a run with it",
    ),
    # Outputs.
    "an output that differs": (
        examples.outputs,
        ONE,
        "```text\n3.5\n",
        "```text\n3.4\n",
        f"{ONE}:30: the example prints '3.5', the page shows '3.4'",
    ),
    "an output with a line too many": (
        examples.outputs,
        ONE,
        "```text\n3.5\n",
        "```text\n3.5\n\n",
        f"{ONE}:30: the example prints None, the page shows ''",
    ),
    "an example that prints and shows nothing": (
        examples.outputs,
        ONE,
        "x = 1",
        "print(1)",
        f"{ONE}:48: the example prints, and no output is shown",
    ),
    "an example that fails": (
        examples.outputs,
        ONE,
        "x = 1",
        "x = 1\nx.half()",
        f"{ONE}:48: the example fails, line 50: AttributeError",
    ),
    "an output without its mark": (
        examples.outputs,
        TWO,
        f"{MARK}\n",
        "",
        f"{TWO}:21: nothing compares this text with the example",
    ),
    "an output that is compared loosely": (
        examples.outputs,
        TWO,
        MARK,
        MARK.replace("output", "output-ignore-whitespace"),
        f"{TWO}:22: nothing compares this output exactly",
    ),
    # Numbers.
    "a wrong number in a sentence": (
        numbers.numbers,
        ONE,
        "The half of 7 is 3.5",
        "The half of 7 is 3.49",
        f"{ONE}:20: nothing near computes 3.49",
    ),
    "a number without its sign": (
        numbers.numbers,
        ONE,
        "The half of 7 is 3.5",
        "The half of 7 is −3.5",
        f"{ONE}:20: nothing near computes −3.5",
    ),
    "a wrong number in a formula": (
        numbers.numbers,
        ONE,
        "$7/2$",
        "$8/2$",
        f"{ONE}:20: nothing near computes 8",
    ),
    "a wrong number in code": (
        numbers.numbers,
        ONE,
        "$7/2$",
        "`8 / 2`",
        f"{ONE}:20: nothing near computes 8",
    ),
    "a wrong number in a heading": (
        numbers.numbers,
        ONE,
        "## One half",
        "## The half of 9",
        f"{ONE}:5: nothing near computes 9",
    ),
    "a wrong number in a table": (
        numbers.numbers,
        TWO,
        "| 10 | 2.5     |",
        "| 10 | 2.6     |",
        f"{TWO}:28: nothing near computes 2.6",
    ),
    "a wrong number in a caption": (
        numbers.numbers,
        ONE,
        "caption: The half of 7.",
        "caption: The half of 36,534.",
        f"{ONE}:35: nothing near computes 36,534",
    ),
    "a wrong number in a description": (
        numbers.numbers,
        ONE,
        "a height of 3.5.",
        "a height of 41.",
        f"{ONE}:36: nothing near computes 41",
    ),
    "a number that could be a year": (
        numbers.numbers,
        ONE,
        "## Two halves",
        "At 1964 it ends.\n\n## Two halves",
        f"{ONE}:41: nothing near computes 1964",
    ),
    "a number from a section that is not near": (
        numbers.numbers,
        ONE,
        "At the end of this chapter `half` halves.",
        "At the end of this chapter `half` halves 7.",
        f"{ONE}:3: nothing near computes 7",
    ),
    "a number that only a comment in code has": (
        numbers.numbers,
        ONE,
        "x = 1\n```\n",
        "x = 1  # not 77\n```\n\nNot 77.\n",
        f"{ONE}:52: nothing near computes 77",
    ),
    "a check that does not hold": (
        numbers.numbers,
        ONE,
        "<!--= 24: factorial(4) -->",
        "<!--= 24: factorial(5) -->",
        f"{ONE}:46: the check of 24 does not hold, factorial(5) is 120",
    ),
    "a check that holds, but not to the last digit": (
        numbers.numbers,
        ONE,
        "<!--= 2.5: half(5) -->",
        "<!--= 2.5: half(5.11) -->",
        f"{ONE}:45: the check of 2.5 does not hold, half(5.11) is 2.555",
    ),
    "a check that fails": (
        numbers.numbers,
        ONE,
        "<!--= 24: factorial(4) -->",
        "<!--= 24: fractorial(4) -->",
        f"{ONE}:46: the check of 24 does not hold, fractorial(4) fails, NameError",
    ),
    "a check of a number that is not there": (
        numbers.numbers,
        ONE,
        "and 24 is an order of four",
        "and that is all",
        f"{ONE}:46: the check of 24 stands near no such number",
    ),
    "a chapter that does not exist": (
        numbers.chapters,
        TWO,
        "Chapter 1 has",
        "Chapter 3 has",
        f"{TWO}:3: there is no chapter 3",
    ),
    # Names.
    "a name that nothing has": (
        names.names,
        ONE,
        "`half` halves",
        "`halve` halves",
        f"{ONE}:3: nothing has the name 'halve'",
    ),
    "a name that its module does not have": (
        names.names,
        ONE,
        "`half` halves",
        "`halves.third` halves",
        f"{ONE}:3: nothing has the name 'halves.third'",
    ),
    "a name that belongs to something inside": (
        names.names,
        ONE,
        "`half` halves",
        "`halves.x` halves",
        f"{ONE}:3: nothing has the name 'halves.x'",
    ),
    "a name in a call": (
        names.names,
        ONE,
        "`half` halves",
        "`half(y)` halves",
        f"{ONE}:3: nothing has the name 'y'",
    ),
    "a name that Python's library does not have": (
        names.names,
        ONE,
        "`half` halves",
        "`math.half` halves",
        f"{ONE}:3: nothing has the name 'math.half'",
    ),
    "a file that does not exist": (
        names.names,
        TWO,
        "`halves.py`",
        "`halfs.py`",
        f"{TWO}:4: there is no file halfs.py",
    ),
    # What the package offers.
    "a public name without a docstring": (
        names.public,
        "src/tanglegrad/halves.py",
        '    """The half of x."""\n',
        "",
        f"{ONE}:15: half has no docstring",
    ),
    "a public name that no example uses": (
        names.public,
        TWO,
        "from tanglegrad.halves import quarter\n\nprint(quarter(10))",
        "print(2.5)",
        f"{TWO}:9: no example uses quarter",
    ),
    "a public name that no chapter introduces": (
        names.public,
        "src/tanglegrad/halves.py",
        "def quarter(x):",
        "def third(x):",
        "src/tanglegrad/halves.py:9: no chapter introduces third",
    ),
    # Links.
    "a link to a page that does not exist": (
        links.links,
        TWO,
        "01-halves.md#one-half",
        "01-halfs.md#one-half",
        f"{TWO}:3: the link leads to docs/book/01-halfs.md, which does not exist",
    ),
    "a link to a heading that was reworded": (
        links.links,
        ONE,
        "## One half",
        "## A half",
        f"{TWO}:3: the link leads to #one-half, which {ONE} does not have",
    ),
    "a link into the reference to a name that it lacks": (
        links.links,
        TWO,
        "#tanglegrad.halves.half",
        "#tanglegrad.halves.halve",
        f"{TWO}:4: the link leads to #tanglegrad.halves.halve, which docs/reference",
    ),
    "a link in HTML": (
        links.links,
        "README.md",
        "Read",
        '<a href="docs/lost.md">Lost</a>. Read',
        "README.md:3: the link leads to docs/lost.md, which does not exist",
    ),
    # Chapter by chapter.
    "a chapter whose example needs a later one": (
        stages,
        ONE,
        "x = 1",
        "from tanglegrad.halves import quarter",
        f"{ONE}:48: as of {ONE}, line 49: ImportError",
    ),
    "a chapter whose module needs a later one": (
        stages,
        ONE,
        "<<half>>",
        "from .quarters import quarter\n\n\n<<half>>",
        f"{ONE}:1: as of this chapter src/tanglegrad/halves.py does not import",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_where_it_was_planted(book: Path, fault: str) -> None:
    look, path, old, new, complaint = FAULTS[fault]
    assert list(look(Manuscript(book))) == []
    plant(book, path, old, new)
    found = list(look(Manuscript(book)))
    assert any(line.startswith(complaint) for line in found), found
    assert all(re.search(r"^[\w./-]+:\d+: .+; .+", line) for line in found), found


def test_a_file_that_is_missing_is_found(book: Path) -> None:
    (book / "src/tanglegrad/halves.py").unlink()
    (found,) = program(Manuscript(book))
    assert found.startswith("src/tanglegrad/halves.py:1: is not what the book says")


def test_a_file_that_no_chapter_makes_is_found(book: Path) -> None:
    (book / "src/tanglegrad/extra.py").touch()
    assert list(program(Manuscript(book))) == [
        "src/tanglegrad/extra.py:1: no chapter makes this file; remove it"
    ]


def test_every_check_of_the_list_has_its_faults() -> None:
    assert {look for look, *_ in FAULTS.values()} == {*check.CHECKS, *check.ASIDE}


# What is allowed -------------------------------------------------------------

ALLOWED: dict[str, tuple[Check, str]] = {
    "months": (numbers.numbers, "*What it taught me* (May 2026)."),
    "versions": (numbers.numbers, "Python 3.11 or 3.14, version 0.19.1."),
    "years": (numbers.numbers, "Polyak (1964), and (Kingma and Ba, 2015)."),
    "numbers inside words": (numbers.numbers, "x1, `w.0`, float32."),
    "small numbers of formulas": (numbers.numbers, "$1 - 2t = 0$, `x + 1`."),
    "exponents and indices": (numbers.numbers, "$x_7^3$, $e^{-8n}$."),
    "formulas that stand alone": (numbers.numbers, "$$\n77 x\n$$"),
    "keywords": (names.names, "`None`, `not`, `with`."),
    "Python's library": (names.names, "`math.tanh`, `list.append`, `__add__`."),
    "commands": (names.names, "`pip install .`"),
    "names of the page": (names.names, "`x + 1`"),
    "a skip whose reason is told": (
        examples.marked,
        """It takes long.

<!--pytest.mark.skip(reason="It takes long.")-->

```python
```
""",
    ),
    "links to other sites": (links.links, "[Site](https://example.org/x#y)"),
    "a link to a heading with attributes": (
        links.links,
        "## Half of it {data-of=two}\n\n[Half](#half-of-it)",
    ),
}


@pytest.mark.parametrize("case", ALLOWED)
def test_what_is_no_fault_is_not_refused(book: Path, case: str) -> None:
    look, text = ALLOWED[case]
    plant(book, ONE, "## Two halves", f"{text}\n\n## Two halves")
    assert list(look(Manuscript(book))) == []


# What cannot be run here -----------------------------------------------------

NEEDY = (
    "<!--pytest-codeblocks:importorskip(markdown)-->\n\n```python\nimport markdown\n"
)
NEEDY += f"print(1)\n```\n\n{MARK}\n\n```text\n0\n```\n\n"


def plant_needy(book: Path) -> None:
    plant(book, ONE, "## Two halves", f"With `markdown`.\n\n{NEEDY}## Two halves")


def without_markdown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weave.manuscript.find_spec", lambda _: None)


def test_an_example_whose_module_is_missing_is_not_run(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tally(Manuscript(book))
    plant_needy(book)
    (wrong,) = examples.outputs(Manuscript(book))
    assert "prints '1', the page shows '0'" in wrong
    without_markdown(monkeypatch)
    assert list(examples.outputs(Manuscript(book))) == []
    counts = tally(Manuscript(book))
    assert counts["examples run elsewhere"] == 1
    for what in ("examples run", "outputs compared"):
        assert counts[what] == here[what]


def test_a_note_vouches_for_an_example_until_it_is_changed(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant_needy(book)
    (book / elsewhere.NOTES).parent.mkdir()
    assert weave(book, "update").returncode == 0
    notes = elsewhere.notes(book)
    assert list(notes.values()) == [f"markdown {version('markdown')}"]
    assert elsewhere.noted(book, "markdown") == list(notes.values())
    assert elsewhere.noted(book, "torch") == []
    without_markdown(monkeypatch)
    assert list(elsewhere.unnoted(Manuscript(book))) == []
    elsewhere.note(book)
    assert elsewhere.notes(book) == notes
    plant(book, ONE, "print(1)", "print(1 + 0)")
    (fault,) = elsewhere.unnoted(Manuscript(book))
    assert fault.startswith(f"{ONE}:45: markdown is not here")


# New outputs -----------------------------------------------------------------


def test_update_writes_the_outputs_that_differ(book: Path) -> None:
    before = (book / ONE).read_text(encoding="utf-8")
    plant(book, ONE, "```text\n3.5\n", "```text\n3.4\nand more\n")
    run = weave(book, "update")
    assert run.stdout == f"wrote the output at {ONE}:30\n"
    assert (book / ONE).read_text(encoding="utf-8") == before
    again = weave(book, "update")
    assert again.stdout == "every output is what its example prints\n"


def test_update_keeps_the_indentation_of_an_output(book: Path) -> None:
    note = "- note\n\n    ```python\n    print(1)\n    print(2)\n    ```\n\n"
    note += f"    {MARK}\n\n    ```text\n    1\n    ```\n\n"
    plant(book, ONE, "## Two halves", note + "## Two halves")
    assert examples.update(book) == [f"{ONE}:50"]
    fixed = note.replace("    1\n    ```", "    1\n    2\n    ```")
    assert fixed in (book / ONE).read_text(encoding="utf-8")


def test_update_writes_nothing_if_an_example_fails(book: Path) -> None:
    plant(book, ONE, "```text\n3.5\n", "```text\n3.4\n")
    plant(book, TWO, "print(quarter(10))", "print(quarter(ten))")
    before = (book / ONE).read_text(encoding="utf-8")
    run = weave(book, "update")
    assert run.returncode == 1
    assert run.stderr.startswith(f"{TWO}:14: the example fails, line 17: NameError")
    assert (book / ONE).read_text(encoding="utf-8") == before


# This book -------------------------------------------------------------------

ROOT = Path(__file__).parents[2]


def test_a_long_number_that_is_off_by_one_digit_would_be_found() -> None:
    manuscript = Manuscript(ROOT)
    tried = 0
    for path, sheet in manuscript.sheets.items():
        for block in sheet.blocks:
            values = numbers.values(manuscript, sheet, block)
            for number in numbers.said(block):
                _, digits, exponent = number.value.as_tuple()
                for step in (1, -1) if len(digits) > 3 else ():
                    near = number.value + Decimal(step).scaleb(int(exponent))
                    assert near not in values, f"{path}:{number.line}: {near}"
                    tried += 1
    assert tried > 10


def test_a_wrong_count_of_parameters_would_be_found() -> None:
    manuscript = Manuscript(ROOT)
    path = "docs/book/09-the-training-loop.md"
    right = manuscript.sheets[path]
    wrong = Sheet(path, right.text.replace("41 parameters", "43 parameters", 1))
    assert wrong.text != right.text
    assert list(numbers.unseen(manuscript, right)) == []
    assert [n.says for n in numbers.unseen(manuscript, wrong)] == ["43"]


def test_every_chapter_of_this_book_is_listed() -> None:
    listed = list(Book.load(ROOT).chapters)
    there = [
        path.relative_to(ROOT).as_posix()
        for pages in ("book/*.md", "exercises/checks.md", "colophon/*.md")
        for path in sorted((ROOT / "docs").glob(pages))
    ]
    assert listed == there
