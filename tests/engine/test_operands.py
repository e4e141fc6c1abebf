"""What may stand on the other side of an operator, and on which side."""

from __future__ import annotations

import math
import operator
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import Value
from tests.engine.graphs import slopes

if TYPE_CHECKING:
    from collections.abc import Callable

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
}
NAMES = ["add", "sub", "mul", "truediv", "pow"]
FOREIGN: list[Any] = ["1", b"1", None, [1.0], (1.0,), {}, 1j, Decimal(1), ...]

each_operator = pytest.mark.parametrize("sign", OPERATORS)


class Stranger:
    """Somebody else's class."""


@each_operator
@pytest.mark.parametrize("foreign", FOREIGN, ids=repr)
def test_an_operand_of_another_type_is_a_type_error(sign: str, foreign: Any) -> None:
    operate = OPERATORS[sign]
    with pytest.raises(TypeError):
        operate(Value(2.0), foreign)
    with pytest.raises(TypeError):
        operate(foreign, Value(2.0))


@each_operator
def test_the_error_is_pythons_own_and_names_both_types(sign: str) -> None:
    operate = OPERATORS[sign]
    with pytest.raises(TypeError, match=r"unsupported operand.*'Value' and 'Stranger'"):
        operate(Value(2.0), Stranger())
    with pytest.raises(TypeError, match=r"unsupported operand.*'Stranger' and 'Value'"):
        operate(Stranger(), Value(2.0))


@pytest.mark.parametrize("name", [*NAMES, *(f"r{name}" for name in NAMES)])
def test_the_operators_leave_the_answer_to_the_other_type(name: str) -> None:
    method = getattr(Value(2.0), f"__{name}__")
    assert method(Stranger()) is NotImplemented
    assert method("2") is NotImplemented


class Obliging:
    """A type that knows what to do with a Value on its left."""

    def __radd__(self, other: Value) -> tuple[str, float]:
        return "+", other.data

    def __rsub__(self, other: Value) -> tuple[str, float]:
        return "-", other.data

    def __rmul__(self, other: Value) -> tuple[str, float]:
        return "*", other.data

    def __rtruediv__(self, other: Value) -> tuple[str, float]:
        return "/", other.data

    def __rpow__(self, other: Value) -> tuple[str, float]:
        return "**", other.data


@each_operator
def test_another_type_on_the_right_is_asked(sign: str) -> None:
    assert OPERATORS[sign](Value(2.0), Obliging()) == (sign, 2.0)


NUMBERS: list[Any] = [3, 3.0, True, Fraction(3, 4)]


@each_operator
@pytest.mark.parametrize("number", NUMBERS, ids=repr)
def test_a_number_may_stand_on_either_side(sign: str, number: Any) -> None:
    operate = OPERATORS[sign]
    right, left = operate(Value(5.0), number), operate(number, Value(5.0))
    assert right.data == operate(5.0, float(number))
    assert left.data == operate(float(number), 5.0)


def test_the_gradients_with_a_number_on_either_side() -> None:
    assert slopes(lambda x: x + 7, 2.0) == [1.0]
    assert slopes(lambda x: 7 + x, 2.0) == [1.0]
    assert slopes(lambda x: x - 7, 2.0) == [1.0]
    assert slopes(lambda x: 7 - x, 2.0) == [-1.0]
    assert slopes(lambda x: x * 7, 2.0) == [7.0]
    assert slopes(lambda x: 7 * x, 2.0) == [7.0]
    assert slopes(lambda x: x / 8, 2.0) == [0.125]
    assert slopes(lambda x: 8 / x, 2.0) == [-2.0]
    assert slopes(lambda x: x**5, 2.0) == [80.0]
    assert slopes(lambda x: 2**x, 3.0) == [8.0 * math.log(2.0)]
    assert slopes(lambda x: -x, 2.0) == [-1.0]


def test_a_sum_starts_from_zero() -> None:
    xs = [Value(x) for x in (1.0, -2.0, 4.5)]
    total: Any = sum(xs)
    total.backward()
    assert total.data == 3.5
    assert [x.grad for x in xs] == [1.0, 1.0, 1.0]
    assert sum(xs, Value(10.0)).data == 13.5


def test_a_product_starts_from_one() -> None:
    xs = [Value(x) for x in (2.0, 3.0, 5.0)]
    product: Any = math.prod(xs)
    product.backward()
    assert product.data == 30.0
    assert [x.grad for x in xs] == [15.0, 10.0, 6.0]


def test_numbers_on_both_sides_do_not_mix_up_what_was_where() -> None:
    assert (10 - Value(3.0) - 2).data == 5.0
    assert (12 / Value(3.0) / 2).data == 2.0
    assert (2 ** Value(3.0) ** 2).data == 512.0
    assert slopes(lambda x: 1 - (2 - (3 - x)), 0.5) == [-1.0]
    assert slopes(lambda x: 1 / (1 / x), 4.0) == [1.0]


def test_an_assigning_operator_makes_a_new_value() -> None:
    x = y = Value(2.0)
    y += 1
    y *= 3
    y -= 1
    y /= 2
    y **= 2
    assert (x.data, y.data) == (2.0, 16.0)
    y.backward()
    assert x.grad == 12.0


@pytest.mark.parametrize(
    "operate", [operator.floordiv, operator.mod, operator.matmul, divmod]
)
def test_operators_without_a_useful_slope_do_not_exist(operate: Any) -> None:
    for left, right in ((Value(7.0), Value(2.0)), (Value(7.0), 2), (7, Value(2.0))):
        with pytest.raises(TypeError, match=r"unsupported operand"):
            operate(left, right)


def test_every_operation_signs_its_result() -> None:
    x, y = Value(0.5), Value(2.0)
    signs = {
        "+": [x + y, x + 1, 1 + x],
        "-": [x - y, x - 1, 1 - x],
        "*": [x * y, x * 2, 2 * x],
        "/": [x / y, x / 2, 2 / x],
        "**": [x**y, 2**x],
        "**3": [x**3],
        "**-0.5": [x**-0.5],
        "neg": [-x],
        "abs": [abs(x), x.abs()],
        "exp": [x.exp()],
        "log": [x.log()],
        "sqrt": [x.sqrt()],
        "sin": [x.sin()],
        "cos": [x.cos()],
        "tanh": [x.tanh()],
        "relu": [x.relu()],
        "sigmoid": [x.sigmoid()],
    }
    assert {sign: [v._op for v in made] for sign, made in signs.items()} == {
        sign: [sign] * len(made) for sign, made in signs.items()
    }


def test_a_plus_before_a_value_changes_nothing() -> None:
    x = Value(2.0)
    made = x * 3
    assert +x is x
    assert +made is made
