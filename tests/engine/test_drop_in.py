"""Programs written for micrograd run here with nothing but their imports changed.

If micrograd is installed they are run on it too, and have to give the same numbers.
"""

from __future__ import annotations

import importlib.util
import math
import random
from typing import Any

import pytest

from tanglegrad import MLP, Layer, Neuron

FRONT_PAGE = """
from micrograd.engine import Value

a = Value(-4.0)
b = Value(2.0)
c = a + b
d = a * b + b**3
c += c + 1
c += 1 + c + (-a)
d += d * 2 + (b + a).relu()
d += 3 * d + (b - a).relu()
e = c - d
f = e**2
g = f / 2.0
g += 10.0 / f
g.backward()
found = [g.data, a.grad, b.grad]
"""

SANITY = """
from micrograd.engine import Value

x = Value(-4)
z = 2 * x + 2 + x
q = z.relu() + z * x
h = (z * z).relu()
y = h + q + q * x
y.backward()
found = [y.data, x.grad]
"""

OWN_OPERATION = """
import math
from micrograd.engine import Value

def exp(x):
    out = Value(math.exp(x.data), (x,), "exp")
    def _backward():
        x.grad += out.data * out.grad
    out._backward = _backward
    return out

def sine(x):
    out = Value(math.sin(x.data), (x,), "sin")
    def _backward():
        x.grad += math.cos(x.data) * out.grad
    out._backward = _backward
    return out

a = Value(0.5)
y = exp(a * 2) * sine(a) + exp(a)
y.backward()
found = [y.data, a.grad]
"""

OWN_WALK = """
from micrograd.engine import Value

def ordered(root):
    order, seen = [], set()
    def visit(v):
        if v not in seen:
            seen.add(v)
            for child in v._prev:
                visit(child)
            order.append(v)
    visit(root)
    return order

a, b, c = Value(3.0), Value(-2.0), Value(0.5)
d = a * b
y = (d + c * d).relu() + (a - d) ** 2
for v in ordered(y):
    v.grad = 0
y.grad = 1
for v in reversed(ordered(y)):
    v._backward()
found = [y.data, a.grad, b.grad, c.grad, d.grad]
"""

PICTURE = """
from micrograd.engine import Value

def trace(root):
    nodes, edges = set(), set()
    def build(v):
        if v not in nodes:
            nodes.add(v)
            for child in v._prev:
                edges.add((child, v))
                build(child)
    build(root)
    return nodes, edges

x1, x2, w1, w2, b = map(Value, (2.0, 0.0, -3.0, 1.0, 6.5))
y = (x1 * w1 + x2 * w2 + b).relu()
y.backward()
nodes, edges = trace(y)
signs = sorted(v._op for v in nodes if v._op)
texts = ["data %.4f | grad %.4f" % (v.data, v.grad) for v in nodes]
total = sum(float(text.split()[-1]) for text in texts)
found = [len(nodes), len(edges), signs.count("*"), signs.count("+"), total]
"""

LINE = """
import random
from micrograd.engine import Value
from micrograd.nn import MLP

random.seed(1337)
model = MLP(2, [1])
random.seed(1)
data = [(random.uniform(-1, 1), random.uniform(-1, 1)) for _ in range(20)]
for step in range(60):
    losses = []
    for x1, x2 in data:
        out = model([Value(x1), Value(x2)])
        losses.append((out - (2 * x1 - 3 * x2 + 0.5)) ** 2)
    loss = sum(losses) * (1.0 / len(losses))
    model.zero_grad()
    loss.backward()
    for p in model.parameters():
        p.data -= 0.5 * p.grad
w1, w2, b = model.parameters()
found = [len(model.parameters()), w1.data, w2.data, b.data]
"""

HINGE = """
from micrograd.nn import MLP, Module

class Separator(Module):
    def __init__(self):
        self.inner = MLP(2, [1])
    def __call__(self, x):
        return self.inner(x)
    def parameters(self):
        return self.inner.parameters()

model = Separator()
for p in model.parameters():
    p.data = 0.1
points = [([2.0, 1.0], 1), ([1.0, 2.0], 1), ([-1.0, -1.5], -1), ([-2.0, 0.5], -1)]
for step in range(20):
    losses = [(1 + -y * model(x)).relu() for x, y in points]
    total = sum(losses) / len(losses) + 1e-3 * sum(p * p for p in model.parameters())
    model.zero_grad()
    total.backward()
    for p in model.parameters():
        p.data -= (1.0 - 0.9 * step / 20) * p.grad
right = sum((model(x).data > 0) == (y > 0) for x, y in points)
found = [right, total.data]
"""

PROGRAMS: dict[str, tuple[str, list[float]]] = {
    "front page": (
        FRONT_PAGE,
        [24.70408163265306, 138.8338192419825, 645.5772594752186],
    ),
    "sanity": (SANITY, [-20.0, 46.0]),
    "an operation of one's own": (
        OWN_OPERATION,
        [
            math.e * math.sin(0.5) + math.sqrt(math.e),
            math.e * (2 * math.sin(0.5) + math.cos(0.5)) + math.sqrt(math.e),
        ],
    ),
    # y = (a - d)² where (1 + c) d is below 0: d = -6, y = 81
    "a walk of one's own": (OWN_WALK, [81.0, 54.0, -54.0, 0.0, -18.0]),
    "a picture": (PICTURE, [10, 9, 2, 2, 6.0]),
    "a line is found": (LINE, [3, 2.0, -3.0, 0.5]),
    "a hinge": (HINGE, [4, 0.003626181445668537]),
}


def needs(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed: pip install micrograd==0.1.0")


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("package", ["tanglegrad", "micrograd"])
def test_a_program_gives_the_numbers_that_it_gives_on_micrograd(
    package: str, name: str
) -> None:
    needs(package)
    program, expected = PROGRAMS[name]
    names: dict[str, Any] = {}
    exec(program.replace("from micrograd", f"from {package}"), names)
    assert names["found"] == pytest.approx(expected, rel=1e-6)


def test_the_same_seed_draws_the_same_network() -> None:
    needs("micrograd")
    theirs: Any = importlib.import_module("micrograd.nn")
    random.seed(42)
    ours = MLP(3, [4, 4, 1])
    random.seed(42)
    other = theirs.MLP(3, [4, 4, 1])
    drawn = [p.data for p in other.parameters()]
    assert [p.data for p in ours.parameters()] == drawn
    assert len(drawn) == 41


def test_with_relu_inside_it_is_the_same_network() -> None:
    needs("micrograd")
    theirs: Any = importlib.import_module("micrograd.nn")
    random.seed(7)
    ours: Any = MLP(2, [16, 16, 1], activation="relu")
    random.seed(7)
    other = theirs.MLP(2, [16, 16, 1])
    for x in ([0.5, -1.0], [2.0, 0.3], [-0.7, -0.1]):
        mine, his = ours(x), other(x)
        mine.backward()
        his.backward()
        assert mine.data == pytest.approx(his.data, rel=1e-12)
    grads = [p.grad for p in other.parameters()]
    assert [p.grad for p in ours.parameters()] == pytest.approx(grads, rel=1e-12)
    assert len(grads) == 337


@pytest.mark.parametrize("made", [Neuron(2), Layer(2, 3), MLP(2, [3, 1])], ids=repr)
def test_the_parts_have_the_names_that_programs_reach_for(made: Any) -> None:
    layers = getattr(made, "layers", [made])
    neurons = [n for layer in layers for n in getattr(layer, "neurons", [layer])]
    assert [p for n in neurons for p in (*n.w, n.b)] == made.parameters()
