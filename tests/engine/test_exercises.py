"""The exercises: a right answer is solved, a wrong one is told what is wrong."""

from __future__ import annotations

import io
import math
import os
import re
import runpy
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import SkipTest

import numpy as np
import pytest

from tanglegrad import MLP, Value, exercises, micro
from tanglegrad.draw import trace
from tanglegrad.exercises import EXERCISES, NotYet, check, main

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs/exercises").glob("[0-9]*.md"))
BY_NAME = {exercise.name: exercise for exercise in EXERCISES}
EXAMPLE = re.compile(
    r"^```python\n(.*?)^```$.*?^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


def examples() -> dict[str, list[tuple[str, str]]]:
    """The programs of the pages and what they show, by the exercise they check."""
    found: dict[str, list[tuple[str, str]]] = {}
    for page in PAGES:
        for program, shown in EXAMPLE.findall(page.read_text(encoding="utf-8")):
            name = re.findall(r'^check\("(\w+)"', program, re.MULTILINE)[0]
            found.setdefault(name, []).append((program, shown))
    return found


EXAMPLES = examples()


def printed(program: str) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        exec(program, {"__name__": "page"})
    return out.getvalue()


# The pages -------------------------------------------------------------------


def test_every_exercise_stands_on_the_page_of_its_chapter() -> None:
    for exercise in EXERCISES:
        (page,) = (p for p in PAGES if int(p.name[:2]) == exercise.chapter)
        text = page.read_text(encoding="utf-8")
        assert text.count(f'check("{exercise.name}"') == 2


def test_there_is_no_other_exercise_on_the_pages() -> None:
    assert list(EXAMPLES) == [exercise.name for exercise in EXERCISES]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_gives_each_exercise_the_grade_that_the_list_gives_it(
    page: Path,
) -> None:
    grades = re.findall(
        r"^\*(Warm-up|Build it|Think)\.\*", page.read_text("utf-8"), re.MULTILINE
    )
    listed = [e.grade for e in EXERCISES if e.chapter == int(page.name[:2])]
    assert [grade.lower() for grade in grades] == listed


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_a_page_begins_with_is_not_solved(name: str) -> None:
    program, shown = EXAMPLES[name][0]
    assert printed(program) == shown
    wrong = rf"{name}: not yet: .+: expected .+, came .+"
    assert re.search(rf"^({name}: no answer yet|{wrong})$", shown, re.MULTILINE)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_solution_of_a_page_is_solved(name: str) -> None:
    program, shown = EXAMPLES[name][1]
    assert printed(program) == shown
    assert f"{name}: solved" in shown.splitlines()


@pytest.mark.parametrize("number", range(1, 6))
def test_each_of_the_five_engines_is_broken(number: int) -> None:
    scope: dict[str, Any] = {"__name__": "page"}
    with redirect_stdout(io.StringIO()):
        exec(EXAMPLES[f"engine_{number}"][0][0], scope)
    with pytest.raises(NotYet, match=r"at a = .+ slope along input .+ came"):
        BY_NAME[f"engine_{number}"].trial(scope[f"Engine{number}"])


TITLE = re.compile(r"^## (.+) \{data-exercise=(\w+)\}$", re.MULTILINE)
LINK = re.compile(r"\[([^]]+)\]\(([\w-]+\.md)#[\w-]+\)\{data-exercise=(\w+)\}")


def test_the_overview_leads_to_every_exercise_under_its_title() -> None:
    overview = (ROOT / "docs/exercises/index.md").read_text(encoding="utf-8")
    titles = [
        (title, page.name, name)
        for page in PAGES
        for title, name in TITLE.findall(page.read_text(encoding="utf-8"))
    ]
    assert LINK.findall(overview) == titles
    assert [name for _, _, name in titles] == [e.name for e in EXERCISES]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_name_beside_a_title_is_that_of_the_check_below(page: Path) -> None:
    for part in page.read_text(encoding="utf-8").split("\n## ")[1:]:
        name = part.split("data-exercise=")[1].split("}")[0]
        assert re.findall(r'^check\("(\w+)"', part, re.MULTILINE) == [name, name]


# Wrong answers ---------------------------------------------------------------


def without_gradient_from_above(x: Any) -> Any:
    out = micro.Value(math.log(x.data), (x,), "log")

    def push() -> None:
        x.grad += 1 / x.data

    out._backward = push
    return out


def overwriting(x: Any) -> Any:
    out = micro.Value(math.log(x.data), (x,), "log")

    def push() -> None:
        x.grad = out.grad / x.data

    out._backward = push
    return out


def failing_on_the_way_back(x: Any) -> Any:
    out = micro.Value(math.log(x.data), (x,), "log")

    def push() -> None:
        x.grad += out.grad / (x.data - x.data)

    out._backward = push
    return out


def upside_down(root: Any) -> list[Any]:
    return right_order(root)[::-1]


def with_doubles(root: Any) -> list[Any]:
    order = right_order(root)
    return [*order[:-1], order[0]] if len(order) > 1 else order


def right_order(root: Any) -> list[Any]:
    order: list[Any] = trace(root)[0]
    return order


def nothing_left_out(*values: Any) -> Any:
    out = Value(max(v.data for v in values), values, "max")

    def push() -> None:
        for v in values:
            v.grad += out.grad

    out._backward = push
    return out


def moved_by_the_label(*z: Any) -> Any:
    return sum((v - z[3]).exp() for v in z).log()


def uncrossed_and_constant(a: Any, b: Any) -> Any:
    return a * b * (a.data + b.data)


def gradcheck_says_nothing(_: MLP) -> None:
    return None


WRONG: list[tuple[str, Any, str]] = [
    (
        "product_slopes",
        (1, 2, 3),
        "at (2, -3, 10): expected (-3, 2, 1), came (1, 2, 3)",
    ),
    ("product_slopes", (-3, 2), "expected (-3, 2, 1), came (-3, 2)"),
    ("product_slopes", "none", "expected (-3, 2, 1), came 'none'"),
    ("second", lambda f, x: f(x), "(cube, 2): expected 12, came 8"),
    ("second", 3, "3(cube, 2): expected 12, came TypeError"),
    ("too_small", -1, "with h = -1: expected 0, came ValueError: derivative: h must"),
    ("depth", lambda _: 0, "(a * b): expected 1, came 0"),
    ("depth", lambda _: None, "(a): expected 0, came None"),
    ("log", lambda _: None, "(0.5): expected -0.693147, came None"),
    ("log", lambda x: math.log(x.data), "(0.5): expected a Value, came -0.69"),
    ("log", math.log, "log(0.5): expected -0.693147, came TypeError"),
    ("log", without_gradient_from_above, "3 * without_gradient_from_above(0.5) + 0.5"),
    ("log", overwriting, "slope along input 1: expected 7, came "),
    (
        "log",
        failing_on_the_way_back,
        "expected a backward pass, came ZeroDivisionError",
    ),
    ("topological", upside_down, "(a * b): expected a before a * b, came (a * b"),
    ("topological", with_doubles, "(a * b): different values: expected 3, came 2"),
    ("topological", lambda _: [], "(a): how many values: expected 1, came 0"),
    ("topological", lambda _: None, "(a): expected (a,), came TypeError"),
    ("engine_1", 3, "a + b at a = 2.0, b = 3.0: expected 2, came TypeError"),
    ("engine_1", float, "a + b at a = 2.0, b = 3.0: expected a backward pass, came"),
    ("largest", nothing_left_out, "(1, 5, 2): slope along input 1: expected 0, came 1"),
    ("kink", 2.0, "gradcheck(relu, 2.0): expected a disagreement, came none"),
    ("kink", "0", "gradcheck(relu, 0): expected a number, came '0'"),
    ("majority", 3, "majority: expected 4 numbers, came TypeError"),
    ("majority", (1, 1, 0), "how many weights: expected 3, came 2"),
    ("majority", (1, 1, 1, "b"), "majority: expected a number, came ValueError"),
    ("majority", (2, 2, 0, 0), "the neuron at (-1, 1, -1): expected -1, came 0"),
    (
        "asleep",
        500.0,
        "b = 500.0: expected a slope along w between 0 and 1e-06, came 0",
    ),
    ("asleep", "b", "b = b: expected a number, came ValueError"),
    ("parameter_count", lambda *_: 41, "(1, (1,)): expected 2, came 41"),
    ("collapse", gradcheck_says_nothing, "MLP(2, [3, 1], activation=None)), seed 0"),
    ("fit", lambda *_: (2, 1), "expected (-0.25, 0.5), came (2, 1)"),
    ("edge", 0, "at rate 0: expected steps, came none"),
    ("edge", 0.5, "the size of w: expected 1, came 0"),
    ("edge", None, "at rate None: expected a step, came TypeError"),
    ("arrows", lambda root: len(root._prev), "(a * b + c): expected 4, came 2"),
    ("accuracy", lambda *_: 1.0, "(2, -0.1, 0.5), (1, -1, -1)): expected 0.666667"),
    ("lecture_loss", moved_by_the_label, "(1000, 0, 0, 0): expected 1000, came inf"),
    ("uncrossed", lambda a, _: a, "(2, 3): expected 30, came 2"),
    ("uncrossed", uncrossed_and_constant, "slope along input 1: expected 21, came 15"),
    ("top_price", "a", "its slope: expected 0, came TypeError"),
    ("top_price", 1.0, "+ 1 * w**2 close below w = 1: its slope: expected 0, came 1"),
    ("lowest", lambda _: 0.0, "((3, 1)): expected 0.562335, came 0"),
    ("by_accident", 2.0, "expected a slope that is wrong, came 8, which is right"),
    ("by_accident", 0, "expected a slope that is wrong, came 0, which is right"),
    ("by_accident", "a", "x = 'a': expected a number, came TypeError"),
    ("slope_of_replay", lambda *_: 0.0, "(x * w) ** 2.0, w, 1.0): expected 6, came 0"),
    ("two_places", (1, 0.5, 0.5), "expected (1, 0.119203, 0.880797), came (1, 0.5"),
    ("cool", 0, "at temperature 0: the first: expected 0.75, came ZeroDivisionError"),
    (
        "matrix_slopes",
        lambda *_: ([], []),
        "((10,),)): expected (((30,),), ((20,),)), came",
    ),
    ("stretched", lambda g, *_: g, "1, 3): expected ((5, 7, 9),), came ((1, 2, 3), ("),
    ("decoded", lambda *_: "", "((98, 256), {(97, 98): 256}): expected 'bab', came ''"),
    ("deadly", 1.0, "at rate 1.0: the largest: expected a number above 0 at half"),
    ("deadly", "a", "at rate a: the largest: expected 0, came TypeError"),
]


@pytest.mark.parametrize(("name", "answer", "told"), WRONG)
def test_a_wrong_answer_is_told_where_what_was_expected_and_what_came(
    name: str, answer: Any, told: str
) -> None:
    verdict = BY_NAME[name].verdict(answer)
    assert verdict.startswith("not yet: ")
    assert told in verdict
    assert "came" in verdict or "slope along" in verdict


def without_zeros(counts: list[int]) -> float:
    while 0 in counts:
        counts.remove(0)
    return without_a_guard(counts)


def without_a_guard(counts: list[int]) -> float:
    shares = [count / sum(counts) for count in counts]
    return -sum(p * math.log(p) for p in shares)


def test_an_answer_may_change_its_inputs_and_the_next_gets_them_as_they_were() -> None:
    assert BY_NAME["lowest"].verdict(without_zeros) == "solved"
    wrong = BY_NAME["lowest"].verdict(without_a_guard)
    assert "((5, 0, 1)): expected 0.450561, came ValueError: " in wrong


def test_what_no_check_can_work_with_gets_a_verdict_too() -> None:
    wrong = BY_NAME["by_accident"].verdict(10**5000)
    assert wrong.startswith("not yet: expected an answer, came ValueError: Exceeds")


def test_arrays_are_taken_as_lists() -> None:
    hinges = np.array([0.7, 1.3, 0.0])
    assert BY_NAME["hinges"].verdict(hinges) == "solved"
    wrong = BY_NAME["hinges"].verdict(hinges[:2])
    assert wrong.startswith("not yet: ")
    assert "expected (0.7, 1.3, 0), came " in wrong


def test_a_long_list_is_told_by_its_beginning() -> None:
    wrong = BY_NAME["box_counts"].verdict(list(range(20)))
    assert wrong.endswith("came (0, 1, 2, 3, 4, 5, 6, 7, ...)")


def test_an_unknown_exercise_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'lag', only: product_slopes, .*, log, "):
        check("lag", ...)


# The command -----------------------------------------------------------------


def test_the_file_for_the_answers_has_a_place_for_each(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    assert main(["start", str(file)]) == 0
    answers = runpy.run_path(str(file))
    assert [answers[exercise.name] for exercise in EXERCISES] == [...] * len(EXERCISES)


def test_nothing_of_the_readers_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "my_answers.py"
    file.write_text("orders = 8\n", encoding="utf-8")
    assert main(["start"]) == 1
    assert file.read_text(encoding="utf-8") == "orders = 8\n"
    assert capsys.readouterr().out == (
        "my_answers.py is there already; nothing was written\n"
    )


def test_the_list_tells_of_every_exercise_and_how_many_are_solved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "my_answers.py"
    file.write_text("print('hello')\norders = 8\nedge = 0.5\n", encoding="utf-8")
    assert main([]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [str(e.chapter) for e in EXERCISES]
    verdicts = dict(zip(BY_NAME, lines, strict=True))
    assert verdicts["orders"] == " 4  think     orders           solved"
    assert "not yet: 100 steps" in verdicts["edge"]
    assert verdicts["fit"].endswith("no answer yet")
    assert last == f"1 of {len(EXERCISES)} solved"


def test_without_a_file_the_list_says_how_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["other.py"]) == 0
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == (
        "there is no other.py; python -m tanglegrad.exercises start other.py writes it"
    )
    assert last == f"0 of {len(EXERCISES)} solved"
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_how_it_is_used(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["exercises", "a", "b", "c"])
    monkeypatch.delitem(sys.modules, "tanglegrad.exercises")
    with pytest.raises(SystemExit) as stop:
        runpy.run_module("tanglegrad.exercises", run_name="__main__")
    assert stop.value.code == 2
    usage = "usage: python -m tanglegrad.exercises [start] [FILE]\n"
    assert capsys.readouterr().err == usage


# pytest ----------------------------------------------------------------------


def test_pytest_runs_the_answers_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    main(["start", str(file)])
    with file.open("a", encoding="utf-8") as answers:
        answers.write("orders = 8\nedge = 0.5\ndef test_other(): assert orders\n")
    command = [sys.executable, "-m", "pytest", "-m", "exercises", "-W", "error"]
    run = subprocess.run(
        [*command, "-p", "no:cacheprovider", str(file)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(exercises.__file__).parents[1])},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    told = f"1 failed, 1 passed, {len(EXERCISES) - 2} skipped, 1 deselected"
    assert told in run.stdout
    assert "NotYet: not yet: 100 steps down w * w" in run.stdout
    assert "mine.py::test_answer[edge]" in run.stdout


def test_an_answer_as_a_test() -> None:
    answers = SimpleNamespace(module=SimpleNamespace(orders=8, edge=0.5))
    exercises.test_answer(BY_NAME["orders"], answers)
    with pytest.raises(NotYet, match="not yet: 100 steps"):
        exercises.test_answer(BY_NAME["edge"], answers)
    with pytest.raises(SkipTest, match="no answer yet"):
        exercises.test_answer(BY_NAME["fit"], answers)


class Pytest:
    """Stands in for what pytest hands to a plugin, and remembers what it is told."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.told: list[Any] = []

    def addinivalue_line(self, *told: str) -> None:
        self.told.append(told)

    def parametrize(self, name: str, values: list[Any], ids: list[str]) -> None:
        self.told.append((name, len(values), len(ids)))

    def add_marker(self, mark: str) -> None:
        self.told.append(mark)


def test_the_plugin_makes_and_marks_its_own_tests_only() -> None:
    ours, other = Pytest(exercises.test_answer), Pytest(check)
    for stand_in in (ours, other):
        exercises.pytest_generate_tests(stand_in)
        exercises.pytest_itemcollected(stand_in)
    assert ours.told == [("exercise", len(EXERCISES), len(EXERCISES)), "exercises"]
    assert other.told == []


def test_the_plugin_tells_pytest_the_mark() -> None:
    config = Pytest(None)
    exercises.pytest_configure(config)
    ((kind, line),) = config.told
    assert kind == "markers"
    assert line.startswith("exercises: ")
