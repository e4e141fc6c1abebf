"""NumPy's scalars are numbers, and its arrays broadcast over Values."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import MLP, SGD, Adam, Neuron, Value

if TYPE_CHECKING:
    from collections.abc import Callable

np: Any = pytest.importorskip("numpy")

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
}
SCALARS = ["float64", "float32", "float16", "int64", "int8", "uint8"]
each_operator = pytest.mark.parametrize("sign", OPERATORS)


def data(array: Any) -> Any:
    return array.data if isinstance(array, Value) else [data(part) for part in array]


# Scalars ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", SCALARS)
def test_a_scalar_becomes_a_python_float(kind: str) -> None:
    v = Value(getattr(np, kind)(3))
    assert type(v.data) is float
    assert v.data == 3.0


@each_operator
@pytest.mark.parametrize("kind", SCALARS)
def test_a_scalar_may_stand_on_either_side(kind: str, sign: str) -> None:
    operate, scalar = OPERATORS[sign], getattr(np, kind)(3)
    right, left = operate(Value(2.0), scalar), operate(scalar, Value(2.0))
    assert [type(right), type(left)] == [Value, Value]
    assert [type(right.data), type(left.data)] == [float, float]
    assert [right.data, left.data] == [operate(2.0, 3.0), operate(3.0, 2.0)]


@each_operator
def test_gradients_with_a_scalar_are_those_with_a_float(sign: str) -> None:
    operate = OPERATORS[sign]
    for three in (3.0, np.float64(3), np.float32(3), np.int64(3)):
        x, y = Value(2.0), Value(2.0)
        operate(x, three).backward()
        operate(three, y).backward()
        expected = {"+": (1, 1), "-": (1, -1), "*": (3, 3), "/": (1 / 3, -0.75)}
        slopes = expected.get(sign, (12.0, 9.887510598012987))
        assert (x.grad, y.grad) == pytest.approx(slopes, rel=1e-15, abs=0.0)
        assert (type(x.grad), type(y.grad)) == (float, float)


@each_operator
def test_a_scalar_is_kept_as_a_plain_number(sign: str) -> None:
    x = Value(2.0)
    for made in (OPERATORS[sign](x, np.float64(3)), OPERATORS[sign](np.float64(3), x)):
        assert made._prev == (x,)
        assert {type(v) for v in made._operands} == {Value, float}


NOT_REAL = [np.array([1.0]), np.array(1.0), np.complex128(1.0), np.str_("1")]


@pytest.mark.parametrize("wrong", NOT_REAL, ids=repr)
def test_what_is_no_real_scalar_is_refused_by_the_constructor(wrong: Any) -> None:
    with pytest.raises(TypeError, match="real number"):
        Value(wrong)


# Arrays ----------------------------------------------------------------------


@each_operator
def test_an_array_broadcasts_on_either_side(sign: str) -> None:
    operate, array = OPERATORS[sign], np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    for numbers, left in ((array, True), (array, False), (array.astype(int), True)):
        made = operate(numbers, Value(2.0)) if left else operate(Value(2.0), numbers)
        assert made.shape == (2, 3)
        assert made.dtype == object
        expected = operate(array, 2.0) if left else operate(2.0, array)
        assert data(made) == expected.tolist()


def test_a_value_in_a_broadcast_is_one_parameter() -> None:
    w = Value(3.0)
    total = (w * np.array([1.0, 2.0, 4.0]) - np.array([1.0, 1.0, 1.0]) / w).sum()
    total.backward()
    assert total.data == 20.0
    assert w.grad == pytest.approx(7.0 + 3.0 / 9.0)


def test_arrays_of_values_compute_elementwise() -> None:
    xs = np.array([Value(0.5), Value(2.0)])
    ys = np.array([Value(4.0), Value(-1.0)])
    assert data(xs + ys) == [4.5, 1.0]
    assert data(xs - ys) == [-3.5, 3.0]
    assert data(xs * ys) == [2.0, -2.0]
    assert data(xs / ys) == [0.125, -2.0]
    assert data(ys**2) == [16.0, 1.0]
    assert data(-xs) == [-0.5, -2.0]
    assert data(abs(ys)) == [4.0, 1.0]
    assert data(1 - xs) == [0.5, -1.0]


@pytest.mark.parametrize("name", ["tanh", "exp", "log", "sqrt", "sin", "cos"])
def test_numpys_functions_call_the_methods_of_values(name: str) -> None:
    xs = np.array([Value(0.5), Value(2.0)])
    made = getattr(np, name)(xs)
    assert data(made) == [getattr(Value(x), name)().data for x in (0.5, 2.0)]
    made[1].backward()
    assert (xs[0].grad, xs[1].grad != 0.0) == (0.0, True)


def test_a_product_of_matrices_has_its_gradients() -> None:
    numbers = np.array([[1.0, -2.0], [0.5, 3.0]])
    matrix = np.array([[Value(x) for x in row] for row in numbers])
    vector = np.array([Value(5.0), Value(7.0)])
    total = (matrix @ vector).sum()
    total.backward()
    assert total.data == (numbers @ np.array([5.0, 7.0])).sum()
    assert [v.grad for v in vector] == numbers.sum(axis=0).tolist()
    assert [v.grad for v in matrix.ravel()] == [5.0, 7.0, 5.0, 7.0]


# Networks --------------------------------------------------------------------


def test_a_row_of_an_array_is_an_input() -> None:
    model: Any = MLP(3, [4, 1])
    for row in np.array([[0.1, 0.2, 0.3], [1.0, -1.0, 0.0]]):
        assert model(row).data == model(row.tolist()).data
    with pytest.raises(ValueError, match="3 inputs, not 2"):
        model(np.array([1.0, 2.0]))


def test_sizes_may_be_numpys_integers() -> None:
    model = MLP(np.int64(2), np.array([3, 1]))
    assert repr(model) == "MLP(2, [3, 1], activation='tanh')"
    assert repr(Neuron(np.uint8(4))) == "Neuron(4, activation='tanh')"


def test_a_state_of_numpys_numbers_is_loaded_as_floats() -> None:
    neuron = Neuron(1)
    neuron.load_state_dict({"w.0": np.float32(0.5), "b": np.int64(2)})
    assert [p.data for p in neuron.parameters()] == [0.5, 2.0]
    assert [type(p.data) for p in neuron.parameters()] == [float, float]


@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize("make", [SGD, Adam])
def test_a_rate_of_numpys_leaves_python_floats_in_the_parameters(
    make: Any, kind: str
) -> None:
    p = Value(1.0)
    p.grad = 0.5
    make([p], lr=getattr(np, kind)(0.25)).step()
    assert type(p.data) is float
