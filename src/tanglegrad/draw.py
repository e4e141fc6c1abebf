"""Pictures of expression graphs, as SVG and as text."""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain, pairwise
from typing import Any

from .nn import _count

CHAR, LINE, PAD = 7.25, 17.0, 9.0  # a letter's width, a line, a margin
GAP, REACH = 14.0, 52.0  # between boxes: above each other, side by side
BOX, BEND = 2 * LINE + PAD, 2.0  # how tall a box is, and a bend
STEP = 15.0  # between arrows that arrive at one box
SWEEPS = 12
SIGNS = ("+", "-", "*", "/", "**")
INK, QUIET, PAPER = "#1f262a", "#566065", "#fdfcf9"
FORWARD, BACKWARD = "#0b5f63", "#a02f3a"
HALO = f'stroke="{PAPER}" stroke-width="3" paint-order="stroke"'
STYLE = (
    'xmlns="http://www.w3.org/2000/svg" '
    'font-family="ui-monospace, monospace" font-size="12" '
    f'fill="{PAPER}" stroke="{QUIET}"'
)
SPOKEN = 30


def trace(root: Any) -> tuple[list[Any], list[tuple[Any, Any]]]:
    """The values behind root, parents first, and the edges.

    root is a Value, of the engine or of micro. An edge is a pair: a
    parent, and a value that was made from it.
    """
    nodes: list[Any] = []
    seen = {id(root)}
    waiting = [(root, iter(_parents(root)))]
    while waiting:
        node, parents = waiting[-1]
        new = next((p for p in parents if id(p) not in seen), None)
        if new is None:
            nodes.append(node)
            waiting.pop()
        else:
            seen.add(id(new))
            waiting.append((new, iter(_parents(new))))
    return nodes, [(p, v) for v in nodes for p in _parents(v)]


def _parents(value: Any) -> Sequence[Any]:
    """The parents of a value, in an order that is the same each time."""
    if not hasattr(value, "_prev"):
        kind = type(value).__name__
        raise TypeError(f"root must be a Value, not {value!r} ({kind})")
    if isinstance(value._prev, set):
        return sorted(value._prev, key=lambda v: (v.label, v.data))
    parents: Sequence[Any] = value._prev
    return parents


def _columns(count: int, edges: list[tuple[int, int]]) -> list[int]:
    """The column of each value, counted from the left."""
    columns = [0] * count
    for parent, child in edges:
        columns[child] = max(columns[child], columns[parent] + 1)
    uses: list[list[int]] = [[] for _ in range(count)]
    for parent, child in edges:
        uses[parent].append(child)
    for value in reversed(range(count)):
        if uses[value]:
            columns[value] = min(columns[c] for c in uses[value]) - 1
    return columns


class _Layout:
    """Where boxes stand: a column, a row in it, and a height.

    Bends of edges are numbered after the boxes.
    """

    def __init__(self, count: int, edges: list[tuple[int, int]]) -> None:
        self.column = _columns(count, edges)
        self.paths = {edge: self._path(*edge) for edge in edges}
        stops = range(len(self.column))
        self.left: list[list[int]] = [[] for _ in stops]
        self.right: list[list[int]] = [[] for _ in stops]
        for path in self.paths.values():
            for a, b in pairwise(path):
                self.right[a].append(b)
                self.left[b].append(a)
        columns = range(max(self.column) + 1)
        self.rows: list[list[int]] = [[] for _ in columns]
        for stop in stops:
            self.rows[self.column[stop]].append(stop)
        self.size = [BEND] * len(self.column)
        for value in range(count):
            self.size[value] = max(BOX, STEP * len(self.left[value]) + PAD)

    def _path(self, parent: int, child: int) -> list[int]:
        """The edge as a path with a stop in every column."""
        passed = range(self.column[parent] + 1, self.column[child])
        first = len(self.column)
        self.column.extend(passed)
        return [parent, *range(first, len(self.column)), child]

    def arrange(self) -> None:
        """Put the rows into an order with few crossings."""
        best = [list(rows) for rows in self.rows]
        fewest = self.crossings()
        for sweep in range(SWEEPS):
            forward = sweep % 2 == 0
            columns = self.rows if forward else self.rows[::-1]
            near = self.left if forward else self.right
            for before, rows in pairwise(columns):
                place = {stop: row for row, stop in enumerate(before)}
                own = {stop: float(row) for row, stop in enumerate(rows)}
                for stop in rows:
                    beside = [place[other] for other in near[stop]]
                    own[stop] = _mean(beside, own[stop])
                rows.sort(key=own.__getitem__)
            if (crossings := self.crossings()) < fewest:
                best, fewest = [list(rows) for rows in self.rows], crossings
        self.rows = best

    def crossings(self) -> int:
        """How many pairs of arrows cross."""
        total = 0
        for rows, after in pairwise(self.rows):
            place = {stop: row for row, stop in enumerate(after)}
            ends: list[int] = []
            for stop in rows:
                own = sorted(place[other] for other in self.right[stop])
                total += sum(len(ends) - bisect_right(ends, e) for e in own)
                for end in own:
                    insort(ends, end)
        return total

    def heights(self) -> list[float]:
        """The height of the middle of each stop, from above."""
        y = [0.0] * len(self.column)
        for sweep in range(-1, 2 * SWEEPS):
            columns = self.rows if sweep % 2 == 0 else self.rows[::-1]
            for rows in columns:
                wishes = [self._wish(stop, y) for stop in rows]
                for stop, height in zip(rows, self._apart(rows, wishes)):
                    y[stop] = height
        return y

    def _wish(self, stop: int, y: list[float]) -> float:
        """The height at which a stop would like to stand."""
        near = self.left[stop] + self.right[stop]
        return _mean([y[other] for other in near], y[stop])

    def _apart(self, rows: list[int], wishes: list[float]) -> list[float]:
        """The nearest heights to the wishes at which nothing overlaps."""
        least, at = [], 0.0
        for stop in rows:
            least.append(at + self.size[stop] / 2)
            at += self.size[stop] + GAP
        steady = _nondecreasing([w - d for w, d in zip(wishes, least)])
        return [s + d for s, d in zip(steady, least)]


def _nondecreasing(numbers: Iterable[float]) -> list[float]:
    """The numbers that never decrease and are nearest to the given."""
    groups: list[tuple[float, int]] = []
    for number in numbers:
        groups.append((number, 1))
        while len(groups) > 1 and groups[-2][0] > groups[-1][0]:
            (b, n), (a, m) = groups.pop(), groups.pop()
            groups.append(((a * m + b * n) / (m + n), m + n))
    return [mean for mean, size in groups for _ in range(size)]


def _mean(numbers: list[Any], otherwise: float) -> float:
    return sum(numbers) / len(numbers) if numbers else otherwise


class _Scene:
    """Some values of a graph with their places, ready to be drawn."""

    def __init__(
        self, nodes: list[Any], edges: list[tuple[Any, Any]]
    ) -> None:
        self.nodes = nodes
        self.number = {id(value): n for n, value in enumerate(nodes)}
        self.slopes: dict[tuple[int, int], list[float]] = {}
        number = self.number
        for parent, child in edges:
            self.slopes[number[id(parent)], number[id(child)]] = []
        for n, value in enumerate(nodes):
            along = zip(_parents(value), getattr(value, "_slopes", ()))
            for parent, slope in along:
                if id(parent) in number:
                    self.slopes[number[id(parent)], n].append(slope)
        self.layout = _Layout(len(nodes), list(self.slopes))
        self.layout.arrange()
        self.y = self.layout.heights()
        self.texts = [
            (_title(v, self.name(v)), _shown(v.data), _shown(v.grad))
            for v in nodes
        ]
        self.widths = [
            2 * PAD + CHAR * max(len(title), len(data) + len(grad) + 2)
            for title, data, grad in self.texts
        ]
        self.lefts, self.rights, at = [], [], PAD
        for rows in self.layout.rows:
            boxes = [self.widths[s] for s in rows if s < len(nodes)]
            self.lefts.append(at)
            self.rights.append(at + max(boxes, default=0.0))
            at = self.rights[-1] + REACH

    def ports(self) -> dict[tuple[int, int], float]:
        """How far below the middle of its box each arrow arrives."""
        arriving: dict[int, list[tuple[int, int]]] = {}
        for edge in self.slopes:
            arriving.setdefault(edge[1], []).append(edge)
        ports = {}
        for edges in arriving.values():
            edges.sort(key=lambda edge: self.y[self.layout.paths[edge][-2]])
            for row, edge in enumerate(edges):
                ports[edge] = (row - (len(edges) - 1) / 2) * STEP
        return ports

    def points(
        self, edge: tuple[int, int], port: float
    ) -> list[tuple[float, float]]:
        """The points that an arrow leads through."""
        (parent, *bends, child), y = self.layout.paths[edge], self.y
        column = self.layout.column
        leave = self.lefts[column[parent]] + self.widths[parent]
        points = [(leave, y[parent])]
        for bend in bends:
            points.append((self.lefts[column[bend]], y[bend]))
            points.append((self.rights[column[bend]], y[bend]))
        return [*points, (self.lefts[column[child]], y[child] + port)]

    def arrow(self, edge: tuple[int, int], port: float) -> Iterator[str]:
        """The SVG of an arrow, with the local derivative at its end."""
        points = self.points(edge, port)
        line = "M{:.1f} {:.1f}".format(*points[0])
        for (x, y), (to_x, to_y) in pairwise(points):
            half = (x + to_x) / 2
            line += f"C{half:.1f} {y:.1f} {half:.1f} {to_y:.1f} "
            line += f"{to_x:.1f} {to_y:.1f}"
        name = "{}-{}".format(*edge)
        head = "m-5 -3l5 3l-5 3"
        yield f'<path data-edge="{name}" fill="none" d="{line}{head}"/>'
        if slopes := self.slopes[edge]:
            x, y = points[-1]
            says = " + ".join(f"{slope:.3g}" for slope in slopes)
            yield _text(x - 8, y - 2, "end", BACKWARD, says)

    def box(self, n: int) -> Iterator[str]:
        """The SVG of the box of a value."""
        (title, data, grad), width = self.texts[n], self.widths[n]
        left, y = self.lefts[self.layout.column[n]], self.y[n]
        yield f'<g data-value="{n}">'
        yield _rect(left, y, width, self.layout.size[n])
        yield _text(left + width / 2, y - 4, "middle", INK, title)
        below = y + LINE - 4
        yield _text(left + PAD, below, "start", FORWARD, data)
        yield _text(left + width - PAD, below, "end", BACKWARD, grad)
        yield "</g>"

    def svg(self, alt: str, note: str) -> str:
        """The whole picture, with a note below it if there is one."""
        spans = zip(self.y, self.layout.size)
        halves = [(y, high / 2) for y, high in spans]
        top = min(y - half for y, half in halves) - PAD
        bottom = max(y + half for y, half in halves)
        high = bottom - top + (LINE + PAD if note else PAD)
        wide = self.rights[-1] + PAD
        box = f"0 {top:.0f} {wide:.0f} {high:.0f}"
        size = f'width="{wide:.0f}" height="{high:.0f}"'
        ground = f'<rect y="{top:.0f}" {size} stroke="none"/>'
        head = f'<svg {STYLE} viewBox="{box}" {size} '
        head += f'role="img" aria-label="{escape(alt)}">'
        below = _text(PAD, bottom + LINE, "start", QUIET, note)
        ports = self.ports()
        arrows = (self.arrow(edge, ports[edge]) for edge in self.slopes)
        boxes = map(self.box, range(len(self.nodes)))
        inside = chain([head, ground], *arrows, *boxes, [below, "</svg>"])
        return "\n".join(inside)

    def words(self) -> str:
        """What is to be seen, value by value."""
        count = len(self.nodes)
        lines = [self.sentence(n) for n in range(count)[-SPOKEN:]]
        first = f"The last {SPOKEN}: " if count > SPOKEN else ""
        size = f"{count} value{'s' * (count > 1)}"
        return f"A graph of {size}. {first}{'; '.join(lines)}."

    def sentence(self, n: int) -> str:
        """A value in words: how it was made, and what it holds."""
        _, data, grad = self.texts[n]
        return f"{self.made(n)} is {data}, its gradient {grad}"

    def made(self, n: int) -> str:
        """The name of a value, and the expression that made it."""
        value = self.nodes[n]
        operands = getattr(value, "_operands", _parents(value))
        names = [
            f"{v:g}" if isinstance(v, float) else self.name(v)
            for v in operands
        ]
        made = f" = {_expression(value._op, names)}" if names else ""
        return self.name(value) + made

    def name(self, value: Any) -> str:
        """The label of a value, or a name from its place, or dots."""
        n = self.number.get(id(value))
        return value.label or ("..." if n is None else f"v{n}")


def _title(value: Any, name: str) -> str:
    """What stands above the numbers of a value: how made, its name."""
    made = value._op
    operands = getattr(value, "_operands", ())
    if made in SIGNS and len(operands) == 2:
        k, m = (f"{k:g}" if isinstance(k, float) else "" for k in operands)
        made = f"{k} {made} {m}".strip()
    return f"{made} → {name}" if made else name


def _shown(x: float) -> str:
    """A number with four decimals, or three digits if that misleads."""
    fits = x == 0.0 or 1e-4 <= abs(x) < 1e5
    return f"{x:.4f}" if fits else f"{x:.3g}"


def _rect(left: float, middle: float, width: float, high: float) -> str:
    """A rectangle in SVG."""
    place = f'x="{left:.1f}" y="{middle - high / 2:.1f}" rx="4"'
    return f'<rect {place} width="{width:.1f}" height="{high:.1f}"/>'


def _text(x: float, y: float, anchor: str, colour: str, says: str) -> str:
    """A line of text in SVG."""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{colour}" {HALO}>{escape(says)}</text>'


def _expression(made: str, names: list[str]) -> str:
    """An operation and its operands, as one writes them."""
    if made in SIGNS and len(names) == 2:
        return f"{names[0]} {made} {names[1]}"
    if made.startswith("**"):
        return f"{names[0]} ** {made[2:]}"
    return f"{made}({', '.join(names)})"


@dataclass(frozen=True)
class Picture:
    """An expression graph as SVG, and in words as alt.

    Notebooks show it; str() gives the SVG.
    """

    svg: str
    alt: str

    def __str__(self) -> str:
        return self.svg

    def _repr_svg_(self) -> str:
        return self.svg


def draw(root: Any, limit: int = 300) -> Picture:
    """A picture of the graph behind root: what it was made from.

    root is a Value. Of more than limit values, those nearest to it are
    drawn, and a note says so. A limit below 1 is a ValueError, and
    anything but a Value a TypeError.
    """
    scene, note = _scene(root, limit)
    alt = note + scene.words()
    return Picture(scene.svg(alt, note), alt)


def _scene(root: Any, limit: int) -> tuple[_Scene, str]:
    """The part of a graph that is drawn, and the note that says so."""
    nodes, edges = trace(root)
    limit = _count("limit", limit)
    if len(nodes) <= limit:
        return _Scene(nodes, edges), ""
    nearest = "value" if limit == 1 else f"{limit} values"
    note = f"The {nearest} nearest to the root, of {len(nodes)}. "
    near = _nearest(root, limit)
    nodes = [v for v in nodes if id(v) in near]
    edges = [(p, v) for p, v in edges if {id(p), id(v)} <= near]
    return _Scene(nodes, edges), note


def _nearest(root: Any, limit: int) -> set[int]:
    """The ids of the values that are the fewest steps from root."""
    near, ring = {id(root)}, deque([root])
    while ring:
        for parent in _parents(ring.popleft()):
            if id(parent) not in near and len(near) < limit:
                near.add(id(parent))
                ring.append(parent)
    return near


def to_dot(root: Any) -> str:
    """The graph behind root in the language of Graphviz."""
    scene = _Scene(*trace(root))
    lines = ["digraph {", "  rankdir=LR; node [shape=record];"]
    for n, text in enumerate(scene.texts):
        fields = " | ".join(map(_plain, text))
        lines.append(f'  v{n} [label="{{{fields}}}"];')
    for (parent, child), slopes in scene.slopes.items():
        says = " + ".join(f"{slope:.3g}" for slope in slopes)
        lines.append(f'  v{parent} -> v{child} [label="{says}"];')
    return "\n".join([*lines, "}"])


def _plain(text: str) -> str:
    """The text for a record of Graphviz."""
    return re.sub(r'([\\"{}|<> ])', r"\\\1", text)


draw_dot = draw


@dataclass(frozen=True)
class Step:
    """A moment of the two passes, to be shown on a picture.

    value is the number of a box, known how many boxes have a number so
    far, and grads are the gradients in all boxes, as texts.
    """

    value: int
    known: int
    says: str
    grads: tuple[str, ...]


def steps(
    root: Any, order: Iterable[Any] = (), limit: int = 300
) -> list[Step]:
    """The steps of both passes through the graph behind root.

    order: the values that pass their gradients on, one after the other;
    without it, the order of backward(). One that is not behind root is a
    ValueError. limit: as in draw; the steps are those that change the
    picture, where a gradient comes from outside of it, too.
    """
    walk = _Walk(root, limit)
    chosen = walk.chosen(order)
    before = [value.grad for value in walk.nodes]
    try:
        walk.forward()
        walk.backward(chosen)
    finally:
        for value, grad in zip(walk.nodes, before):
            value.grad = grad
    return walk.steps


class _Walk:
    """A recorder of steps."""

    def __init__(self, root: Any, limit: int) -> None:
        self.nodes, self.edges = trace(root)
        self.scene, _ = _scene(root, limit)
        self.steps: list[Step] = []

    def chosen(self, order: Iterable[Any]) -> list[Any]:
        """The values in the order asked for, or in that of backward()."""
        if not isinstance(order, Iterable):
            raise TypeError(f"order must be values in a row, not {order!r}")
        values = list(order) or self.nodes[::-1]
        behind = {id(value) for value in self.nodes}
        for value in values:
            if id(value) not in behind:
                raise ValueError(f"order: {value!r} is not behind root")
        return values

    def record(self, value: Any, known: int, says: str) -> None:
        """Add a step that has been done."""
        grads = tuple(_shown(v.grad) for v in self.scene.nodes)
        number = self.scene.number
        near = [v for v in (value, *_parents(value)) if id(v) in number]
        if near[0] is not value:
            says = f"from outside: {says}"
        self.steps.append(Step(number[id(near[0])], known, says, grads))

    def forward(self) -> None:
        """Record how the values come about, with no gradients yet."""
        for value in self.nodes:
            value.grad = 0.0
        for known, value in enumerate(self.scene.nodes, start=1):
            made = self.scene.made(known - 1)
            self.record(value, known, f"{made} is {_shown(value.data)}")

    def backward(self, order: list[Any]) -> None:
        """Pass the gradients on in the given order, and record it."""
        root = self.nodes[-1]
        root.grad = 1.0
        known = len(self.scene.nodes)
        name = self.scene.name(root)
        self.record(root, known, f"{name}.grad = {_shown(root.grad)}")
        for place, value in enumerate(order):
            says = self.passing(value)
            early = self.missing(value, order[place:]) if says else ""
            value._backward()
            if says:
                self.record(value, known, says + early)

    def passing(self, value: Any) -> str:
        """What the value is about to add to gradients that are drawn."""
        grad, scene = _shown(value.grad), self.scene
        slopes = getattr(value, "_slopes", ())
        own = getattr(value, "_closure", None) is not None or not slopes
        if own and any(id(p) in scene.number for p in _parents(value)):
            return f"{scene.name(value)} passes {grad} on"
        return "; ".join(
            f"{scene.name(parent)}.grad += {_shown(slope)} * {grad}"
            for parent, slope in zip(_parents(value), slopes)
            if id(parent) in scene.number
        )

    def missing(self, value: Any, rest: list[Any]) -> str:
        """Whose gradients have yet to arrive at a value, if any."""
        to_come = {id(v) for v in rest} - {id(value)}
        late = [v for p, v in self.edges if p is value and id(v) in to_come]
        names = [*dict.fromkeys(self.scene.name(v) for v in late)]
        verb = "is" if len(names) == 1 else "are"
        told = f" (too early: {' and '.join(names)} {verb} still to come)"
        return told if names else ""
