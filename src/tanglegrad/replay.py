"""A graph is recorded once, as a program that replays both passes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from tempfile import TemporaryDirectory
import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import chain
from struct import Struct
from typing import Any, NamedTuple

from .engine import (
    Number,
    Value,
    _power,
    _real,
    _slope_along_base,
    _slope_along_exponent,
    _topological_order,
)


class _Rule(NamedTuple):
    """How an operation is written, and its slope along each operand.

    {0} and {1} stand for the operands, {v} for the result. It holds
    together as a condition (-1), a sum (0), a product (1) or a name (2),
    and an operand that holds less than it needs goes into parentheses.
    """

    value: str
    slopes: tuple[str, ...]
    holds: int = 2
    needs: tuple[int, ...] = (-1, -1)


_RULES = {
    "*": _Rule("{0} * {1}", ("{1}", "{0}"), 1, (1, 2)),
    "-": _Rule("{0} - {1}", ("1.0", "-1.0"), 0, (0, 1)),
    "/": _Rule("{0} / {1}", ("1.0 / {1}", "-{v} / {1}"), 1, (1, 2)),
    "neg": _Rule("-{0}", ("-1.0",), 1, (2,)),
    "tanh": _Rule("tanh({0})", ("tanh_slope({0})",)),
    "sigmoid": _Rule("sigmoid({0})", ("sigmoid_slope({0})",)),
    "exp": _Rule("exp({0})", ("{v}",)),
    "log": _Rule("log({0})", ("1.0 / {0}",)),
    "sqrt": _Rule("sqrt({0})", ("sqrt_slope({v})",)),
    "sin": _Rule("sin({0})", ("cos({0})",)),
    "cos": _Rule("cos({0})", ("-sin({0})",)),
    "abs": _Rule("fabs({0})", ("sign({0})",)),
    "relu": _Rule(
        "0.0 if {0} <= 0.0 else {0}",
        ("(0.0 if {0} <= 0.0 else 1.0)",),
        -1,
    ),
    "**": _Rule(
        "power({0}, {1})",
        ("base_slope({0}, {1})", "exponent_slope({0}, {1})"),
    ),
    "**2": _Rule("{0} * {0}", ("2.0 * {0}",), 1),
}

_FIRST = _Rule("{0}", ("1.0",), 0, (0,))
_TERM = _Rule("{0}", ("1.0",), 0, (1,))

_Part = tuple[_Rule, Sequence[Any]]


def _parts(node: Value, rules: dict[str, _Rule]) -> list[_Part]:
    """The terms whose sum a node is: one, but for +, total and dot."""
    op, operands = node._op, node._operands
    if node._closure is not None or len(node._slopes) != len(node._prev):
        raise ValueError(
            f"cannot record {op!r}: it is an operation of your own, and "
            "what its closure does cannot be seen"
        )
    first = _FIRST, operands[:1]
    if op in ("+", "total"):
        return [first, *((_TERM, [v]) for v in operands[1:])]
    if op == "dot":
        half = len(operands) // 2 + 1
        pairs = zip(operands[1:half], operands[half:])
        return [first, *((rules["*"], pair) for pair in pairs)]
    if op.startswith("**"):
        op = "**2" if operands[1] == 2.0 else "**"
    return [(rules[op], operands)]


_OF_MATH = "tanh", "log", "sqrt", "sin", "cos", "fabs"


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _tanh_slope(x: Any, exp: Any = math.exp) -> Any:
    u = exp(-2.0 * abs(x))
    return 4.0 * u / (1.0 + u) ** 2


def _sigmoid(x: float) -> float:
    u = math.exp(-abs(x))
    return (1.0 if x >= 0.0 else u) / (1.0 + u)


def _sigmoid_slope(x: Any, exp: Any = math.exp) -> Any:
    u = exp(-abs(x))
    return u / (1.0 + u) ** 2


_FUNCTIONS: dict[str, Any] = {
    "power": _power,
    "base_slope": _slope_along_base,
    "exponent_slope": _slope_along_exponent,
    "sqrt_slope": lambda y: 0.5 / y if y else math.inf,
    "sign": lambda x: math.copysign(1.0, x) if x else 0.0,
    "inf": math.inf,
    "nan": math.nan,
    "exp": _exp,
    "tanh_slope": _tanh_slope,
    "sigmoid": _sigmoid,
    "sigmoid_slope": _sigmoid_slope,
    **{name: getattr(math, name) for name in _OF_MATH},
}


@lru_cache
def _folded(text: str) -> float:
    """The number that an expression of constants stands for."""
    return float(eval(text, dict(_FUNCTIONS)))


_Text = str | float


def _times(slope: _Text, gradient: _Text) -> _Text:
    """slope * gradient, without the factors that change nothing."""
    if isinstance(slope, float) and isinstance(gradient, float):
        return slope * gradient
    if slope == 1.0 or gradient == 1.0:
        return gradient if slope == 1.0 else slope
    return f"-{gradient}" if slope == -1.0 else f"{slope} * {gradient}"


@lru_cache
def _places(template: str) -> tuple[int, ...]:
    """The operands that a template reads, each as often as it does."""
    return tuple(map(int, re.findall(r"{(\d)}", template)))


_WIDE, _LONG = 40, 400
_PIECE = 2_000
_MUCH = 300_000


class _Recorder:
    """Writes the lines of both passes of a graph.

    rules are those of the language.
    """

    def __init__(
        self,
        order: list[Value],
        inputs: Sequence[Value],
        rules: dict[str, _Rule] = _RULES,
    ) -> None:
        self.inputs = inputs
        self._sort(order)
        self.parts = {node: _parts(node, rules) for node in self.made}
        self._count()
        self.text: dict[Value, _Text] = {}
        self.holds: dict[Value, int] = {}
        self.gradient: dict[Value, _Text] = {}
        self.due: dict[Value, list[_Text]] = {}
        self.numbers: dict[Value, int] = {}
        for i, v in enumerate(inputs, 1):
            self.text[v] = f"x{i}"
        for i, v in enumerate(self.parameters, 1):
            self.text[v], self.gradient[v] = f"p{i}", f"dp{i}"
        self.forward = {node: self._forward(node) for node in self.made}
        self.result = self.text[order[-1]]
        self.gradient[order[-1]] = 1.0
        self.backward: dict[Value, list[str]] = {}
        for node in reversed(self.made):
            self.backward[node] = self._backward(node)

    def _sort(self, order: list[Value]) -> None:
        operands = {v: v._operands for v in order}
        self.made = [v for v in order if operands[v]]
        self.varying = set(self.inputs or order)
        given = {*self.inputs, *self.made}
        self.parameters = [v for v in order if v not in given]
        self.active = set(self.parameters)
        for node in self.made:
            for kind in self.varying, self.active:
                if not kind.isdisjoint(operands[node]):
                    kind.add(node)

    def _count(self) -> None:
        parts = chain.from_iterable(self.parts.values())
        self.reads: Counter[Any] = Counter(
            vs[i] for rule, vs in parts for i in _places(rule.value)
        )
        self.kept: set[Any] = set()
        for node in self.made:
            for rule, operands in self.parts[node]:
                for v, slope in zip(operands, rule.slopes):
                    if v in self.active:
                        read = [operands[i] for i in _places(slope)]
                        self.kept.update(read)
                        if "{v}" in slope:
                            self.kept.add(node)
        self.gathering = set(self.parameters)
        for node in self.made:
            if node in self.varying:
                outside = [v for v in node._prev if v not in self.varying]
                self.kept.update(outside)
                self.gathering.update(outside)

    def _read(self, operand: Any) -> _Text:
        text: _Text = self.text.get(operand, operand)
        return text

    def _fit(self, operand: Any, need: int) -> _Text:
        text = self._read(operand)
        fits = self.holds.get(operand, 2) >= need
        return text if fits else f"({text})"

    def _name(self, node: Value) -> str:
        return str(self.numbers.setdefault(node, len(self.numbers) + 1))

    def _sum(
        self, letter: str, node: Value, terms: list[str]
    ) -> tuple[list[str], str]:
        """Lines for the first terms of a sum, and the text of the rest."""
        lines = []
        while len(terms) > _WIDE:
            name = letter + self._name(node)
            lines.append(f"{name} = {' + '.join(terms[:_WIDE])}")
            terms[:_WIDE] = [name]
        return lines, " + ".join(terms)

    def _forward(self, node: Value) -> list[str]:
        """The lines that compute a node; none if it needs no name."""
        texts = map(self._read, node._operands)
        if not any(isinstance(text, str) for text in texts):
            self.text[node] = node.data
            return []
        terms = [
            rule.value.format(*map(self._fit, operands, rule.needs))
            for rule, operands in self.parts[node]
        ]
        lines, text = self._sum("v", node, terms)
        once = self.reads[node] == 1 and node not in self.kept
        if once and not lines and len(text) < _LONG:
            (rule, _), *more = self.parts[node]
            self.text[node] = text
            self.holds[node] = 0 if more else rule.holds
            return []
        self.text[node] = name = f"v{self._name(node)}"
        lines.append(f"{name} = {text}")
        if node in self.gathering and node in self.active:
            self.gradient[node] = f"d{name}"
            lines.append(f"d{name} = 0.0")
        return lines

    def _backward(self, node: Value) -> list[str]:
        """The lines that add up the gradient of a node and hand it on."""
        if node not in self.active:
            return []
        pushes = [
            (operands[i], rule.slopes[i], operands)
            for i in range(2)
            for rule, operands in self.parts[node]
            if i < len(operands) and operands[i] in self.active
        ]
        factor = len(pushes) == 1 and pushes[0][1] != "1.0"
        lines = self._add_up(node, factor=factor)
        for push in pushes:
            lines += self._push(node, *push)
        return lines

    def _add_up(self, node: Value, *, factor: bool) -> list[str]:
        if node in self.gradient:
            return []
        first, *more = shares = self.due.pop(node)
        if not more and (isinstance(first, float) or first.isidentifier()):
            self.gradient[node] = first
            return []
        lines, text = self._sum("dv", node, list(map(str, shares)))
        if factor and not lines and len(text) < _LONG:
            self.gradient[node] = f"({text})"
            return []
        self.gradient[node] = name = f"dv{self._name(node)}"
        return [*lines, f"{name} = {text}"]

    def _push(
        self, node: Value, v: Value, slope: str, operands: Sequence[Any]
    ) -> list[str]:
        texts = [*map(self._read, operands)]
        filled = _filled(slope, texts, self.text[node])
        share = _times(filled, self.gradient[node])
        if v not in self.gathering:
            self.due.setdefault(v, []).append(share)
            return []
        return [f"{self.gradient[v]} += {share}"]

    def pieces(self, kind: str) -> list[_Passes]:
        """The lines of both passes over the values that are of a kind."""
        each = kind == "each"
        nodes = [v for v in self.made if (v in self.varying) == each]
        return _cut((self.forward[v], self.backward[v]) for v in nodes)


_ALONE = {"{0}": 0, "{1}": 1}


def _filled(template: str, operands: Sequence[_Text], v: _Text) -> _Text:
    """A slope with the texts of its operands and of the result."""
    if template in _ALONE:
        return operands[_ALONE[template]]
    text = template.format(*operands, v=v)
    reads = [operands[place] for place in _places(template)]
    varies = "{v}" in template or str in map(type, reads)
    return text if varies else _folded(text)


def _cut(passes: Iterable[_Passes]) -> list[_Passes]:
    """Both passes over values in their order, cut into pieces."""
    pieces: list[_Passes] = [([], [])]
    for forward, backward in passes:
        if sum(map(len, pieces[-1])) > _PIECE:
            pieces.append(([], []))
        there, back = pieces[-1]
        there += forward
        back[:0] = backward
    return pieces


_Functions = dict[str, list[str]]
_Passes = tuple[list[str], list[str]]


def _written(recorder: _Recorder) -> _Functions:
    """The functions of the program, each as its head and its lines."""
    functions: _Functions = {}
    there, back = _passes("each", recorder.pieces("each"), functions)
    total = f"total += {recorder.result}"
    loop = [
        f"for {_listed('x#', recorder.inputs)} in rows:",
        *(f"    {line}" for line in [*there, total, *back]),
    ]
    head = "replay(rows, parameters)"
    functions[head] = _around(loop, recorder, functions)
    return functions


def _around(
    loop: list[str], recorder: _Recorder, functions: _Functions
) -> list[str]:
    """The lines of the program, with those for the rows in the middle."""
    parameters = recorder.parameters
    there, back = _passes("once", recorder.pieces("once"), functions)
    return [
        *_named("p#", parameters, "[w.data for w in parameters]"),
        *_named("dp#", parameters, "[w.grad for w in parameters]"),
        "total = 0.0",
        *there,
        *loop,
        *back,
        f"for w, dp in zip(parameters, {_listed('dp#', parameters)}):",
        "    w.grad = dp",
        "return total",
    ]


def _numbered(line: str, things: Sequence[Any]) -> list[str]:
    places = range(1, len(things) + 1)
    return [line.replace("#", str(i)) for i in places]


def _listed(name: str, things: Sequence[Any]) -> str:
    return f"[{', '.join(_numbered(name, things))}]"


def _named(name: str, things: Sequence[Any], values: str) -> list[str]:
    """The line that gives a name to the value of each thing, if any."""
    names = ", ".join(_numbered(name, things))
    return [f"{names}, = {values}"] if things else []


def _passes(
    kind: str, pieces: list[_Passes], functions: _Functions
) -> _Passes:
    """The lines of both passes over the values of a kind."""
    if len(pieces) == 1:
        return pieces[0]
    for i, (there, back) in enumerate(pieces, 1):
        functions[f"{kind}{i}()"] = [*there, "yield", *back]
    calls = ", ".join(f"{kind}{i}()" for i in range(1, len(pieces) + 1))
    return (
        [f"{kind} = [{calls}]", f"for piece in {kind}: next(piece)"],
        [f"for piece in reversed({kind}): next(piece, None)"],
    )


def _definitions(functions: _Functions) -> list[str]:
    """The functions as text."""
    shared = _shared(functions)
    definitions = []
    for head, lines in functions.items():
        common = sorted(shared & _names(lines)) if shared else []
        first = [f"global {', '.join(common)}"] if common else []
        body = "\n    ".join([*first, *lines])
        definitions.append(f"def {head}:\n    {body}\n")
    return definitions


def _loaded(definitions: list[str], functions: dict[str, Any]) -> Any:
    """The function replay of some definitions."""
    names = dict(functions)
    for text in definitions:
        exec(compile(text, "<recorded>", "exec"), names)
    return names.pop("replay")


def _floats(rows: Iterable[Any], width: int) -> list[float]:
    """The numbers of rows, each of that width; else an error."""
    floats: list[float] = []
    for i, row in enumerate(rows):
        says = f"row {i} must be a list of length {width}, not"
        if not isinstance(row, Iterable):
            raise TypeError(f"{says} {row!r}")
        numbers = [_real(x, f"row {i}") for x in row]
        if len(numbers) != width:
            raise ValueError(f"{says} {len(numbers)}")
        floats += numbers
    return floats


def _names(lines: Iterable[str]) -> set[str]:
    """The names of numbers in some lines."""
    return set(re.findall(_NAME, "\n".join(lines)))


_NAME = r"\bd?(?:[pvxV]\d+|F|X|ones)\b"


def _shared(functions: _Functions) -> set[str]:
    """The names that stand in more than one function."""
    if len(functions) == 1:
        return set()
    names = chain.from_iterable(map(_names, functions.values()))
    return {name for name, count in Counter(names).items() if count > 1}


class Replay:
    """The program of a recorded graph; record() makes it.

    Call it with a number for each input, or call rows() with many such
    rows. source is the text of the program.
    """

    def __init__(self, order: list[Value], inputs: list[Value]) -> None:
        recorder = _Recorder(order, inputs)
        self._parameters = recorder.parameters
        self._width = len(inputs)
        self._unpack = Struct(f"{len(inputs)}d").iter_unpack
        definitions = _definitions(_written(recorder))
        del recorder  # a long graph needs the room
        self.source = "\n\n".join(definitions)
        self._program = _loaded(definitions, _FUNCTIONS)

    def __call__(self, *numbers: float) -> float:
        """The root's number; adds to the grad of each parameter."""
        return self.rows([numbers])

    def rows(self, rows: Iterable[Iterable[float]]) -> float:
        """The sum of the root's numbers over all rows.

        Adds to the grad of each parameter its slope. What does not depend
        on the inputs is computed once. A ValueError if a row has not one
        number for each input; after an error no grad has changed.
        """
        if not hasattr(rows, "__iter__"):
            raise TypeError(f"rows must be listed, not {rows!r}")
        rows = list(rows)
        if not rows:
            return 0.0
        return self._run(rows)

    def _run(self, rows: list[Any]) -> float:
        if not self._are_floats(rows):
            rows = self._tuples(self._numbers(rows), len(rows))
        total: float = self._program(rows, self._parameters)
        return total

    def _are_floats(self, rows: list[Any]) -> bool:
        for row in rows:
            if type(row) not in (list, tuple) or len(row) != self._width:
                return False
            for x in row:
                if type(x) is not float:
                    return False
        return True

    def _numbers(self, rows: list[Any]) -> array[float]:
        try:
            if {*map(len, rows)} <= {self._width}:
                numbers = [*chain.from_iterable(rows)]
                if isinstance(sum(numbers), Number):
                    return array("d", numbers)
        except (TypeError, OverflowError):
            pass
        return array("d", _floats(rows, self._width))

    def _tuples(
        self, numbers: array[float], count: int
    ) -> list[tuple[float, ...]]:
        return [*self._unpack(numbers)] if self._width else [()] * count


_TARGETS: dict[str, type[Replay]] = {"python": Replay}


_Factors = tuple[list[Any], Sequence[Any]]


class _Arrays:
    """Both passes of a graph, over arrays in which like values stand.

    arrays has the values of each array by its name; place has the name
    of its array for each value, and which one it is there.
    """

    def __init__(self, recorder: _Recorder) -> None:
        self.recorder = recorder
        self.arrays = {"X": list(recorder.inputs)}
        self.place = {v: ("X", i) for i, v in enumerate(recorder.inputs)}
        self._sort()
        self.fixed: dict[str, int] = {}
        self.lists: dict[tuple[int, ...], str] = {}
        names = [*self.arrays][1:]
        self.shares: dict[str, list[Any]] = {name: [] for name in names}
        self.forward = {name: self._forward(name) for name in names}
        self.result = names[-1]
        self.due: dict[str, list[Any]] = {names[-1]: [([0], "ones.T")]}
        back = {name: self._backward(name) for name in reversed(names)}
        self.backward = [back[name] for name in names]

    def _sort(self) -> None:
        names: dict[Any, str] = {}
        for node in self.recorder.made:
            if node in self.recorder.varying:
                key = node._op, *map(self._home, node._operands)
                name = names.setdefault(key, f"V{len(names) + 1}")
                alike = self.arrays.setdefault(name, [])
                self.place[node] = name, len(alike)
                alike.append(node)

    def _home(self, operand: Any) -> str:
        return self.place.get(operand, ("F", 0))[0]

    def _places(self, operands: Sequence[Any]) -> tuple[str, list[int]]:
        """The array that operands stand in, and their places in it."""
        home = self._home(operands[0])
        if home != "F":
            return home, [self.place[v][1] for v in operands]
        texts, found = map(self.recorder._read, operands), self.fixed
        return home, [found.setdefault(str(t), len(found)) for t in texts]

    def _some(self, name: str, places: list[int]) -> str:
        """The text for some places of an array."""
        first, end = places[0], places[0] + len(places)
        if places != list(range(first, end)):
            return f"{name}[{self._listed(places)}]"
        whole = len(places) == len(self.arrays.get(name, ()))
        return name if whole else f"{name}[{first}:{end}]"

    def _listed(self, places: list[int]) -> str:
        number = len(self.lists) + 1
        return self.lists.setdefault(tuple(places), f"at{number}")

    def _text(self, operands: Sequence[Any]) -> _Text:
        """The text for operands, one for each value of an array."""
        if self._home(operands[0]) == "F":
            first = self.recorder._read(operands[0])
            if len({*map(str, map(self.recorder._read, operands))}) == 1:
                operands = operands[:1]
                if isinstance(first, float) and math.isfinite(first):
                    return first
        return self._some(*self._places(operands))

    def _forward(self, name: str) -> list[str]:
        """The lines that compute an array."""
        nodes = self.arrays[name]
        parts = [*zip(*(_parts(node, _ARRAY_RULES) for node in nodes))]
        factors = self._factors(nodes)
        if factors:
            parts = parts[:1]
        terms = [self._term(name, part) for part in parts]
        if factors:
            terms.append(self._product(name, *factors))
        return _chained(name, terms)

    def _term(self, name: str, part: Sequence[_Part]) -> str:
        rule = part[0][0]
        columns = [*zip(*(operands for _, operands in part))]
        texts = [*map(self._text, columns)]
        for operands, slope in zip(columns, rule.slopes):
            share = _times(_filled(slope, texts, name), f"d{name}")
            if self._home(operands[0]) == "F":
                share = f"{share} @ ones"
            self.shares[name].append((operands, share))
        return rule.value.format(*texts)

    def _factors(self, nodes: list[Value]) -> _Factors | None:
        """The rows of a matrix, and the values that it is multiplied by."""
        pairs = [self.recorder.parts[node][1:] for node in nodes]
        if nodes[0]._op != "dot" or not pairs[0]:
            return None
        sides = [[*zip(*(both for _, both in pair))] for pair in pairs]
        for one, other in (0, 1), (1, 0):
            rows = [side[one] for side in sides]
            values, *others = {side[other] for side in sides}
            homes = [{*map(self._home, side)} for side in (rows[0], values)]
            fixed = homes[0] == {"F"} and "F" not in homes[1]
            if fixed and len(homes[1]) == 1 and not others:
                return rows, values
        return None

    def _product(
        self, name: str, rows: list[Any], values: Sequence[Any]
    ) -> str:
        weights = [*chain.from_iterable(rows)]
        shape = f"reshape({len(rows)}, {len(values)})"
        matrix = f"{self._some(*self._places(weights))}.{shape}"
        inputs = self._some(*self._places(values))
        share = f"(d{name} @ {inputs}.T).reshape(-1, 1)"
        self.shares[name].append((weights, share))
        self.shares[name].append((values, f"{matrix}.T @ d{name}"))
        return f"{matrix} @ {inputs}"

    def _backward(self, name: str) -> list[str]:
        """The lines that add up the gradient of an array, and share it."""
        if name not in self.due:
            return []
        lines = self._add_up(name)
        for operands, share in self.shares[name]:
            if not self.recorder.active.isdisjoint(operands):
                home, places = self._places(operands)
                self.due.setdefault(home, []).append((places, share))
        return lines + [self._added("F", *s) for s in self.due.pop("F", [])]

    def _add_up(self, name: str) -> list[str]:
        due, everywhere = self.due[name], [*range(len(self.arrays[name]))]
        if all(places == everywhere for places, _ in due):
            return _chained(f"d{name}", [share for _, share in due])
        added = [self._added(name, *share) for share in due]
        return [f"d{name} = np.zeros_like({name})", *added]

    def _added(self, name: str, places: list[int], share: str) -> str:
        different = len({*places})
        if different == len(places):
            return f"d{self._some(name, places)} += {share}"
        if different == 1:
            return f"d{self._some(name, places[:1])} += ({share}).sum(0)"
        return f"np.add.at(d{name}, {self._listed(places)}, {share})"


def _chained(name: str, terms: list[str]) -> list[str]:
    """Lines that add terms up, under a name."""
    lines = []
    while terms:
        lines.append(f"{name} = {' + '.join(terms[:_WIDE])}")
        terms[:_WIDE] = [name] if terms[_WIDE:] else []
    return lines


def _written_over(arrays: _Arrays) -> _Functions:
    """The functions of the program, over arrays."""
    functions: _Functions = {}
    passes = zip(arrays.forward.values(), arrays.backward)
    there, back = _passes("each", _cut(passes), functions)
    fixed = list(arrays.fixed)
    before = [f"d{text}" if text[0] in "pv" else "0.0" for text in fixed]
    after = ["_" if slope == "0.0" else slope for slope in before]
    rows = [
        "X, ones = columns",
        f"fixed = [{', '.join(fixed)}]",
        "if not isfinite(sum(fixed)): raise FloatingPointError",
        "F = np.array(fixed, float).reshape(-1, 1)",
        f"dF = np.array([{', '.join(before)}], float).reshape(-1, 1)",
        *there,
        f"total += ({arrays.result} @ ones).item()",
        *back,
        f"[{', '.join(after)}] = dF.ravel().tolist()",
    ]
    head = "replay(columns, parameters)"
    functions[head] = _around(rows, arrays.recorder, functions)
    return functions


def _over_columns(arrays: _Arrays) -> list[str]:
    """The program as text: the lists of places, and the functions."""
    lists = [
        f"{name} = np.array({list(places)})\n"
        for places, name in arrays.lists.items()
    ]
    return lists + _definitions(_written_over(arrays))


def _numpy() -> Any:
    try:
        return import_module("numpy")
    except ImportError:
        raise ImportError(
            'target="columns" needs NumPy, which is not installed'
        ) from None


_ARRAY_RULES = _RULES | {
    "tanh": _Rule("np.tanh({0})", ("tanh_slope({0}, np.exp)",)),
    "exp": _Rule("np.exp({0})", ("{v}",)),
    "log": _Rule("np.log({0})", ("1.0 / {0}",)),
    "sqrt": _Rule("np.sqrt({0})", ("0.5 / {v}",)),
    "sin": _Rule("np.sin({0})", ("np.cos({0})",)),
    "cos": _Rule("np.cos({0})", ("-np.sin({0})",)),
    "abs": _Rule("np.fabs({0})", ("np.sign({0})",)),
    "relu": _Rule("np.maximum({0}, 0.0)", ("(1.0 - ({0} <= 0.0))",)),
    "sigmoid": _Rule(
        "np.exp(np.minimum({0}, 0.0)) / (1.0 + np.exp(-abs({0})))",
        ("sigmoid_slope({0}, np.exp)",),
    ),
    "**": _Rule(
        "np.power({0}, {1})",
        (
            "{1} * np.power({0}, {1} - 1.0)",
            "np.power({0}, {1}) * np.log({0})",
        ),
    ),
}


class _Columns(Replay):
    """A Replay that computes all rows at once, with NumPy."""

    def __init__(self, order: list[Value], inputs: list[Value]) -> None:
        super().__init__(order, inputs)
        if not inputs:
            raise ValueError('target="columns" needs at least one input')
        self._np = _numpy()
        arrays = _Arrays(_Recorder(order, inputs))
        definitions = _over_columns(arrays)
        self.source = "\n\n".join(definitions)
        names = {**_FUNCTIONS, "np": self._np, "isfinite": math.isfinite}
        self._columns = _loaded(definitions, names)

    def _run(self, rows: list[Any]) -> float:
        np, numbers, count = self._np, self._numbers(rows), len(rows)
        table = np.array(numbers).reshape(count, self._width)
        columns = table.T.copy(), np.ones((count, 1))
        try:
            if math.isfinite(sum(numbers)):
                with np.errstate(all="raise", under="ignore"):
                    total: float = self._columns(columns, self._parameters)
                    return total
        except FloatingPointError:
            pass
        return super()._run(self._tuples(numbers, count))


_TARGETS["columns"] = _Columns


_RELU = _Rule("relu({0})", ("relu_slope({0})",))
_C_RULES = _RULES | {"relu": _RELU}


_C_HEAD = r"""
#include <fenv.h>
#include <math.h>
static volatile double zero = 0.0;
#define inf (1.0 / zero)
#define nan (zero / zero)

static double power(double x, double k) {
    return k == 2.0 ? x * x : pow(x, k);
}

static double base_slope(double x, double k) {
    if (k == 0.0) return 0.0;
    if (x == 0.0 && k < 1.0) return inf;
    double y = power(x, k);
    int fraction = fmod(k, 1.0) != 0.0 && 0x1p-1022 <= y && isfinite(y);
    if (fraction || (fabs(k) > 0x1p53 && x != 0.0 && isfinite(x)))
        return k * (y / x);
    return k * power(x, k - 1.0);
}

static double exponent_slope(double x, double k) {
    if (x < 0.0) return nan;
    return x == 0.0 ? 0.0 : power(x, k) * log(x);
}

static double sqrt_slope(double y) {
    return y == 0.0 ? inf : 0.5 / y;
}

static double tanh_slope(double x) {
    double u = exp(-2.0 * fabs(x));
    return 4.0 * u / pow(1.0 + u, 2.0);
}

static double sigmoid(double x) {
    double u = exp(-fabs(x));
    return (x >= 0.0 ? 1.0 : u) / (1.0 + u);
}

static double sigmoid_slope(double x) {
    double u = exp(-fabs(x));
    return u / pow(1.0 + u, 2.0);
}

static double sign(double x) { return x ? copysign(1.0, x) : 0.0; }
static double relu(double x) { return x <= 0.0 ? 0.0 : x; }
static double relu_slope(double x) { return x <= 0.0 ? 0.0 : 1.0; }
/* run */
"""


_C_RUN = "void run(long count, const double *row, double *numbers)"


def _in_c(recorder: _Recorder) -> str:
    """The program in C."""
    functions: _Functions = {}
    once = _c_passes(recorder, "once", functions)
    each = _c_passes(recorder, "each", functions)
    size = len(recorder.parameters)
    places = range(1, size + 1)
    row = [f"x{i + 1} = *row++" for i in range(len(recorder.inputs))]
    total = f"numbers[{2 * size}] += {recorder.result}"
    functions[_C_RUN] = [
        *(f"p{i} = numbers[{i - 1}]" for i in places),
        *(f"dp{i} = numbers[{i + size - 1}]" for i in places),
        *once[0],
        "for (; count > 0; count--) {",
        *(f"    {line}" for line in [*row, *each[0], total, *each[1]]),
        "}",
        *once[1],
        *(f"numbers[{i + size - 1}] = dp{i}" for i in places),
    ]
    tail = _C_TAIL % (len(recorder.inputs), size)
    return _C_HEAD + _c_text(functions) + tail


def _c_passes(
    recorder: _Recorder, kind: str, functions: _Functions
) -> _Passes:
    """The lines of both passes, or calls of the functions they are in."""
    pieces = recorder.pieces(kind)
    if len(pieces) == 1:
        return pieces[0]
    calls: _Passes = ([], [])
    for i, piece in enumerate(pieces, 1):
        for way, lines, called in zip(("there", "back"), piece, calls):
            functions[f"void {kind}{i}_{way}(void)"] = lines
            called.append(f"{kind}{i}_{way}()")
    return calls[0], calls[1][::-1]


def _c_text(functions: _Functions) -> str:
    """Functions of C as text."""
    shared = _shared(functions)
    text = [*_declared("static double", shared)]
    for head, lines in functions.items():
        local = _names(lines) - shared
        body = [*_declared("double", local), *map(_c_line, lines)]
        text.append("\n    ".join([f"static {head} {{", *body]) + "\n}")
    return "\n\n".join(text)


def _declared(kind: str, names: set[str]) -> list[str]:
    return [f"{kind} {', '.join(sorted(names))};"] if names else []


_DECIMAL = re.compile(r"(?<![\w.])\d+(?:\.\d+(?:e[+-]\d+)?|e[+-]\d+)")


def _c_line(line: str) -> str:
    exact = _DECIMAL.sub(lambda found: float(found[0]).hex(), line)
    return exact if exact[-1] in "{}" else f"{exact};"


_C_TAIL = """

/* look at the flags */
static int are_finite(long count, const double *x) {
    double sum = 0.0;
    while (count-- > 0) sum += 0.0 * *x++;
    return sum == 0.0;
}

int replay(long count, const double *row, double *numbers) {
    int finite = are_finite(count * %d, row) && are_finite(%d, numbers);
    feclearexcept(FE_ALL_EXCEPT);
    run(count, row, numbers);
    int flags = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;
    return !finite || fetestexcept(flags);
}
"""


def _compiled(source: str) -> Any:
    """The function replay of a source in C."""
    known = "cc", "gcc", "clang"
    compiler = next(filter(None, map(shutil.which, known)), None)
    if compiler is None:
        raise RuntimeError(
            f'target="c" needs a C compiler; none of {known} was found'
        )
    with TemporaryDirectory() as folder:
        library = f"{folder}/replay.so"
        care = "-O2" if len(source) < _MUCH else "-O0"
        options = "-std=c99 -ffp-contract=off -fno-builtin -fPIC -shared"
        command = [compiler, care, *options.split(), "-xc", "-", "-lm"]
        command += ["-o", library]
        subprocess.run(command, input=source.encode(), check=True)
        function = ctypes.PyDLL(library).replay
        function.argtypes = ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p
        return function


class _Compiled(Replay):
    """A Replay that is compiled, by the C compiler of the machine."""

    def __init__(self, order: list[Value], inputs: list[Value]) -> None:
        super().__init__(order, inputs)
        self.source = _in_c(_Recorder(order, inputs, _C_RULES))
        self._call = _caller(self._parameters, _compiled(self.source))

    def _run(self, rows: list[Any]) -> float:
        numbers, count = self._numbers(rows), len(rows)
        place, _ = numbers.buffer_info()
        try:
            total: float = self._call(place, count, self._parameters)
        except FloatingPointError:
            return super()._run(self._tuples(numbers, count))
        return total


_TARGETS["c"] = _Compiled


def _caller(parameters: list[Value], function: Any) -> Any:
    """What hands the numbers of parameters to a function in C."""
    data = _numbered("w#.data", parameters)
    grad = _numbered("w#.grad", parameters)
    lines = [
        f"{_listed('w#', parameters)} = parameters",
        f"numbers = array('d', pack({', '.join([*data, *grad, '0.0'])}))",
        "if function(count, place, numbers.buffer_info()[0]):",
        "    raise FloatingPointError",
        f"[{', '.join([*grad, 'total'])}] = numbers[{len(parameters)}:]",
        "return total",
    ]
    pack = Struct(f"{2 * len(parameters) + 1}d").pack
    names = {"array": array, "pack": pack, "function": function}
    head = "replay(place, count, parameters)"
    return _loaded(_definitions({head: lines}), names)


def record(
    root: Value, inputs: Iterable[Value] = (), target: str = "python"
) -> Replay:
    """A program that replays the graph of root for other inputs.

    inputs are leaves behind root; its other leaves are parameters. The
    target is "python", "columns" (with NumPy) or "c" (with a compiler).
    A ValueError for an operation of one's own, or an input that is not
    a leaf behind root.
    """
    if not isinstance(inputs, Iterable):
        raise TypeError(f"inputs must be listed, not {inputs!r}")
    inputs = list(inputs)
    if target not in [*_TARGETS]:
        known = ", ".join(map(repr, _TARGETS))
        raise ValueError(f"target must be one of {known}, not {target!r}")
    for v in (root, *inputs):
        if not isinstance(v, Value):
            raise TypeError(f"root and inputs must be Values, not {v!r}")
    if not root._operands:
        raise ValueError(f"nothing was computed to get {root!r}")
    order = _topological_order(root)
    leaves = {v for v in order if not v._operands}
    for i, v in enumerate(inputs):
        if v not in leaves:
            raise ValueError(f"input {i} is no leaf of root, or repeated")
        leaves.remove(v)
    return _TARGETS[target](order, inputs)
