"""Mutation testing of tanglegrad: the examples of the book are the only tests.

A mutant is the package with one small change: a minus for a plus, a None for a
value, another text. An example that fails on it kills it. One that no example
kills is a survivor, and then either it computes the same as the package, with the
reason written into equivalent.toml, or the book lacks an example.

The changes are those of mutmut, under its rules: none to docstrings, annotations,
or calls of len and isinstance; and the text in f-strings is changed as well, since
most messages are made of it. mutmut's own runner leaves out what has a decorator,
which is all arithmetic here; so the mutants are made and run below.
"""

from __future__ import annotations

import difflib
import os
import resource
import shutil
import signal
import sys
import tempfile
import tomllib
from collections import Counter
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import coverage
import libcst as cst
import pytest
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mutmut.mutation.mutators import OPERATORS_TYPE

ROOT = Path(__file__).parents[2]
PACKAGE = Path("src/tanglegrad")
MODULES = ("numeric", "micro", "engine", "nn", "optim")
EQUIVALENT = Path(__file__).parent / "equivalent.toml"
COUNTS = ROOT / "docs/colophon/mutants.toml"
PROCESSES = 2
MEMORY = 4 * 2**30
FORK = get_context("fork")

# Only what the examples need: a plugin that is not loaded takes no time.
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
# The default of Python 3.14 notes a line for the first example alone.
os.environ["COVERAGE_CORE"] = "ctrace"
PYTEST = ["-qx", "-p", "no:cacheprovider", "-p", "pytest_codeblocks.plugin"]


class Place(NamedTuple):
    """A function and the lines of its body; a module or a class has none."""

    name: str
    lines: range


class Change(NamedTuple):
    """How a mutant differs from the package: this is what identifies it."""

    module: str
    function: str
    before: str
    after: str

    def __str__(self) -> str:
        return (
            f"{self.module}: {self.function or 'outside of functions'}\n"
            f"  - {self.before}\n  + {self.after}"
        )


class Mutant(NamedTuple):
    """A change, the changed module, and the examples that may notice it."""

    change: Change
    source: str
    examples: list[str]


Fate = tuple[Change, str]


# What the examples do with the package.


def copy_book(source: Path, target: Path) -> Path:
    """Copy the chapters, the package and pytest's settings."""
    no_caches = shutil.ignore_patterns("__pycache__")
    for folder in ("docs/book", PACKAGE):
        shutil.copytree(source / folder, target / folder, ignore=no_caches)
    shutil.copy(source / "pyproject.toml", target)
    return target


def run_examples(book: Path, names: list[str], plugin: object) -> int:
    """Pytest's verdict on the examples of these names, in this process."""
    os.chdir(book)
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(book / "src"))
    return int(pytest.main([*PYTEST, "--codeblocks", *names], [plugin]))


class Witness:
    """Notes how long each example takes, and which lines it runs."""

    def __init__(self, package: Path) -> None:
        self.coverage = coverage.Coverage(data_file=None, include=[f"{package}/*"])
        self.seconds: dict[str, float] = {}

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.coverage.switch_context(item.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.seconds[report.nodeid] = report.duration


class Patience:
    """Kills the process if an example takes far longer than it should."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        # The timer counts the processor's time, so a busy machine changes nothing.
        signal.setitimer(signal.ITIMER_PROF, 2 + 5 * self.seconds[item.nodeid])


class Seen(NamedTuple):
    """How long each example takes, and which of them run a line of a module."""

    seconds: dict[str, float]
    lines: dict[str, dict[int, list[str]]]


def witness(book: Path) -> Seen:
    """Run the examples on the package as it is."""
    package = book / PACKAGE
    witness = Witness(package)
    with witness.coverage.collect():
        if run_examples(book, ["docs/book"], witness):
            raise RuntimeError("an example fails on the package itself")
    data = witness.coverage.get_data()
    lines = {
        module: data.contexts_by_lineno(str(package / f"{module}.py"))
        for module in MODULES
    }
    return Seen(witness.seconds, lines)


# The mutants.


def other_text(node: cst.FormattedStringText) -> Iterator[cst.FormattedStringText]:
    """The text between the braces of an f-string, marked."""
    yield node.with_changes(value=f"XX{node.value}XX")


OPERATORS: OPERATORS_TYPE = [
    *mutation_operators,
    (cst.FormattedStringText, other_text),
]


def mutants_of(book: Path, module: str, seen: Seen) -> Iterator[Mutant]:
    """Every mutant of a module, in the order of its lines."""
    source = (book / PACKAGE / f"{module}.py").read_text(encoding="utf-8")
    wrapper = MetadataWrapper(cst.parse_module(source))
    spans = wrapper.resolve(PositionProvider)
    by_speed = sorted(seen.seconds, key=seen.seconds.__getitem__)
    for node, changed, place in changes(wrapper.module, Place("", range(0)), spans):
        mutated = cst.ensure_type(
            wrapper.module.deep_replace(node, changed), cst.Module
        ).code
        change = Change(module, place.name, *difference(source, mutated))
        running = set(by_speed)
        if place.lines:
            lines = seen.lines[module]
            running = {name for line in place.lines for name in lines.get(line, ())}
        examples = [name for name in by_speed if name in running]
        yield Mutant(change, mutated, examples)


def changes(
    node: cst.CSTNode, place: Place, spans: Mapping[cst.CSTNode, CodeRange]
) -> Iterator[tuple[cst.CSTNode, cst.CSTNode, Place]]:
    """Each node in this one, what it may be changed into, and where it stands."""
    if left_alone(node):
        return
    for kind, operator in OPERATORS:
        if isinstance(node, kind):
            for changed in operator(node):
                yield node, changed, place
    for child in node.children:
        yield from changes(child, place_of(child, place, spans), spans)


def place_of(
    node: cst.CSTNode, outer: Place, spans: Mapping[cst.CSTNode, CodeRange]
) -> Place:
    """The node itself if it is a function or a class, else what it stands in."""
    if not isinstance(node, cst.FunctionDef | cst.ClassDef):
        return outer
    name = f"{outer.name}.{node.name.value}".lstrip(".")
    if isinstance(node, cst.ClassDef) or outer.lines:
        return Place(name, outer.lines)
    body = spans[node.body]
    return Place(name, range(body.start.line, body.end.line + 1))


def left_alone(node: cst.CSTNode) -> bool:
    """True for what mutmut, too, does not look into."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name):
        return node.func.value in {"len", "isinstance"}
    return isinstance(node, cst.Annotation | cst.Decorator)


def difference(old: str, new: str) -> tuple[str, str]:
    """The lines that differ, in either text, without their indentation."""
    lines = list(difflib.unified_diff(old.split("\n"), new.split("\n"), n=0))[2:]
    before, after = (
        " ".join(line[1:].strip() for line in lines if line.startswith(sign))
        for sign in "-+"
    )
    return before, after


# Their fate.


def fate(book: Path, seconds: dict[str, float], mutant: Mutant) -> Fate:
    """Run the examples on a mutant: "killed", "timed out" or "survived"."""
    if not mutant.examples:
        return mutant.change, "survived"
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        copy = copy_book(book, Path(folder) / "book")
        module = copy / PACKAGE / f"{mutant.change.module}.py"
        module.write_text(mutant.source, encoding="utf-8")
        child = os.fork()
        if not child:
            verdict = 1
            try:
                silence = os.open(os.devnull, os.O_WRONLY)
                os.dup2(silence, 1)
                os.dup2(silence, 2)
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                verdict = run_examples(copy, mutant.examples, Patience(seconds))
            finally:
                os._exit(verdict)
        _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return mutant.change, "timed out"
    return mutant.change, "killed" if os.WEXITSTATUS(status) else "survived"


# The report.


def equivalents() -> set[Change]:
    """The changes that are known to change nothing."""
    entries = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["equivalent"]
    return {
        Change(entry["module"], entry["function"], before, after)
        for entry in entries
        for before, after in entry["changes"]
    }


def main() -> int:
    """Print every survivor that nobody has explained, and the counts."""
    known = equivalents()
    survivors = set()
    counts = {module: Counter[str]() for module in MODULES}
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        book = copy_book(ROOT, Path(folder) / "book")
        with FORK.Pool(1) as pool:  # this process must not import the package
            seen = pool.apply(witness, (book,))
        mutants = (m for name in MODULES for m in mutants_of(book, name, seen))
        with FORK.Pool(PROCESSES) as pool:
            try_one = partial(fate, book, seen.seconds)
            for change, verdict in pool.imap(try_one, mutants):
                counts[change.module].update(["made", verdict])
                if verdict == "survived":
                    survivors.add(change)
                    if change not in known:
                        print(f"Survived, without a reason: {change}", flush=True)
    for change in sorted(known - survivors):
        print(f"Has a reason to survive, and does not: {change}")
    report(counts)
    if survivors != known:
        print(f"The reasons stand in {EQUIVALENT.relative_to(ROOT)}.")
        return 1
    write(counts)
    return 0


def report(counts: dict[str, Counter[str]]) -> None:
    """Print what became of the mutants, a line for each module."""
    columns = ("made", "killed", "timed out", "survived")
    print(f"{'':8}" + "".join(f"{column:>11}" for column in columns))
    total = sum(counts.values(), Counter[str]())
    for name, count in {**counts, "all": total}.items():
        print(f"{name:8}" + "".join(f"{count[column]:11}" for column in columns))


def write(counts: dict[str, Counter[str]]) -> None:
    """Leave the counts where the colophon finds them."""
    lines = ["# Written by make mutants. Killed: an example failed, or never ended."]
    for name, count in counts.items():
        lines += ["", f"[{name}]", f"made = {count['made']}"]
        lines += [f"killed = {count['made'] - count['survived']}"]
        lines += [f"equivalent = {count['survived']}"]
    COUNTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
