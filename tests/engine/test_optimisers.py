"""SGD, momentum and Adam against their formulas, worked out by hand."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import MLP, SGD, Adam, Optimizer, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

GRADS = [0.5, -2.0, 0.0, 8.0, 1e-3, -0.25]


def path(make: Callable[[list[Value]], Optimizer], grads: list[float]) -> list[float]:
    """Where a parameter that starts at 1 goes when it meets these gradients."""
    p = Value(1.0)
    optimizer = make([p])
    places = []
    for grad in grads:
        p.grad = grad
        optimizer.step()
        assert p.grad == grad
        places.append(p.data)
    return places


# SGD -------------------------------------------------------------------------


def test_sgd_steps_against_the_gradient() -> None:
    p, q = Value(1.0), Value(-3.0)
    p.grad, q.grad = 0.5, -4.0
    SGD([p, q], lr=0.25).step()
    assert (p.data, q.data) == (0.875, -2.0)


def test_sgd_by_hand() -> None:
    x, expected = 1.0, []
    for grad in GRADS:
        x -= 0.1 * grad
        expected.append(x)
    assert path(lambda ps: SGD(ps, 0.1), GRADS) == pytest.approx(
        expected, rel=1e-14, abs=0.0
    )


def test_momentum_by_hand() -> None:
    # velocities 1, 1.5, 1.75, 0.875 at momentum 1/2 and gradients 1, 1, 1, 0
    places = path(lambda ps: SGD(ps, lr=1.0, momentum=0.5), [1.0, 1.0, 1.0, 0.0])
    assert places == [0.0, -1.5, -3.25, -4.125]


@pytest.mark.parametrize("momentum", [0.0, 0.3, 0.9])
def test_momentum_is_a_sum_of_old_gradients_that_fade(momentum: float) -> None:
    x, expected = 1.0, []
    for t in range(len(GRADS)):
        x -= 0.1 * sum(momentum ** (t - s) * GRADS[s] for s in range(t + 1))
        expected.append(x)
    places = path(lambda ps: SGD(ps, lr=0.1, momentum=momentum), GRADS)
    assert places == pytest.approx(expected, rel=1e-13, abs=0.0)


def test_a_steady_slope_with_momentum_reaches_its_final_speed() -> None:
    places = path(lambda ps: SGD(ps, lr=1.0, momentum=0.75), [1.0] * 200)
    assert places[-2] - places[-1] == pytest.approx(4.0, rel=1e-12, abs=0.0)


# Adam ------------------------------------------------------------------------


def adam(lr: float, beta1: float, beta2: float, eps: float) -> list[float]:
    """Algorithm 1 of Kingma and Ba, with the means as the sums that they are."""
    x, places = 1.0, []
    for t in range(1, len(GRADS) + 1):
        ages = [(t - s, g) for s, g in enumerate(GRADS[:t], start=1)]
        m = (1 - beta1) * sum(beta1**age * g for age, g in ages)
        v = (1 - beta2) * sum(beta2**age * g * g for age, g in ages)
        m, v = m / (1 - beta1**t), v / (1 - beta2**t)
        x -= lr * m / (math.sqrt(v) + eps)
        places.append(x)
    return places


@pytest.mark.parametrize(
    ("lr", "beta1", "beta2", "eps"),
    [
        (0.1, 0.9, 0.999, 1e-8),
        (0.05, 0.5, 0.9, 0.1),
        (1.0, 0.0, 0.9, 1e-8),
        (0.1, 0.9, 0.0, 1e-3),
    ],
)
def test_adam_by_hand(lr: float, beta1: float, beta2: float, eps: float) -> None:
    expected = pytest.approx(adam(lr, beta1, beta2, eps), rel=1e-12, abs=0.0)
    assert path(lambda ps: Adam(ps, lr, (beta1, beta2), eps), GRADS) == expected


def test_adams_defaults_are_those_of_the_paper() -> None:
    expected = pytest.approx(adam(0.001, 0.9, 0.999, 1e-8), rel=1e-14, abs=0.0)
    assert path(Adam, GRADS) == expected


@pytest.mark.parametrize("grad", [1e-4, 1.0, -3.0, 1e6])
def test_adams_first_step_is_as_long_as_its_rate(grad: float) -> None:
    (place,) = path(lambda ps: Adam(ps, lr=0.1), [grad])
    assert place == pytest.approx(1.0 - math.copysign(0.1, grad), rel=1e-4)


def test_adam_stays_where_the_slope_is_zero() -> None:
    assert path(lambda ps: Adam(ps, lr=0.1), [0.0, 0.0]) == [1.0, 1.0]


def test_adam_lives_through_a_huge_gradient() -> None:
    p, q = Value(1.0), Value(2.0)
    optimizer = Adam([p, q], lr=0.1)
    p.grad, q.grad = 1e200, 1.0
    optimizer.step()
    assert math.isfinite(p.data)
    assert q.data == pytest.approx(1.9)


# All of them -----------------------------------------------------------------

KINDS: dict[str, Callable[..., Optimizer]] = {
    "SGD": SGD,
    "momentum": lambda ps, lr: SGD(ps, lr, momentum=0.5),
    "Adam": Adam,
}
each_kind = pytest.mark.parametrize("kind", KINDS)


@each_kind
def test_every_parameter_has_a_memory_of_its_own(kind: str) -> None:
    alone = [path(lambda ps: KINDS[kind](ps, lr=0.1), g) for g in (GRADS, GRADS[::-1])]
    p, q = Value(1.0), Value(1.0)
    optimizer = KINDS[kind]([p, q], lr=0.1)
    for i, (left, right) in enumerate(zip(GRADS, GRADS[::-1], strict=True)):
        p.grad, q.grad = left, right
        optimizer.step()
        assert [p.data, q.data] == [alone[0][i], alone[1][i]]


@each_kind
def test_a_parameter_that_is_listed_twice_is_held_and_moved_once(kind: str) -> None:
    p, q = Value(1.0), Value(1.0)
    p.grad = q.grad = 0.5
    optimizer = KINDS[kind]([p, p, p], lr=0.1)
    assert optimizer.parameters == (p,)
    optimizer.step()
    KINDS[kind]([q], lr=0.1).step()
    assert p.data == q.data < 1.0


@each_kind
def test_the_parameters_are_read_once(kind: str) -> None:
    leaves = [Value(1.0), Value(2.0)]
    optimizer = KINDS[kind]((p for p in leaves), lr=0.1)
    for _ in range(2):
        for p in leaves:
            p.grad = 1.0
        before = [p.data for p in leaves]
        optimizer.step()
        assert all(p.data < old for p, old in zip(leaves, before, strict=True))


@each_kind
def test_the_rate_may_change_between_steps(kind: str) -> None:
    p = Value(1.0)
    optimizer = KINDS[kind]([p], lr=0.1)
    p.grad = 1.0
    optimizer.lr = 0.0
    optimizer.step()
    assert p.data == 1.0
    optimizer.lr = 0.2
    optimizer.step()
    assert p.data < 1.0


@each_kind
def test_zero_grad_clears_the_gradients_and_moves_nothing(kind: str) -> None:
    leaves = [Value(1.0), Value(2.0)]
    optimizer = KINDS[kind](leaves, lr=0.1)
    for p in leaves:
        p.grad = 3.0
    optimizer.zero_grad()
    assert [(p.data, p.grad) for p in leaves] == [(1.0, 0.0), (2.0, 0.0)]


@each_kind
def test_the_numbers_stay_floats(kind: str) -> None:
    p = Value(1)
    optimizer = KINDS[kind]([p], lr=1)
    p.grad = 0.5
    optimizer.step()
    assert type(p.data) is float


@each_kind
def test_a_bowl_is_rolled_down_to_its_bottom(kind: str) -> None:
    x, y = Value(3.0), Value(-2.0)
    optimizer = KINDS[kind]([x, y], lr=0.05)
    for _ in range(500):
        loss = (x - 1) ** 2 + 3 * (y - 2) ** 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert [x.data, y.data] == pytest.approx([1.0, 2.0], abs=1e-3)


# All or nothing --------------------------------------------------------------


def state(optimizer: Optimizer) -> dict[str, Any]:
    """All that an optimiser remembers, as copies."""
    kept = vars(optimizer).items()
    lists = {name: list(thing) for name, thing in kept if isinstance(thing, list)}
    return {**vars(optimizer), **lists}


def refuses_a_step(optimizer: Optimizer, error: type[Exception], match: str) -> None:
    """A step fails, and everything is as it was before."""
    before = [p.data for p in optimizer.parameters], state(optimizer)
    with pytest.raises(error, match=match):
        optimizer.step()
    assert ([p.data for p in optimizer.parameters], state(optimizer)) == before


@each_kind
def test_a_failed_step_has_not_happened(kind: str) -> None:
    wanted = path(lambda ps: KINDS[kind](ps, lr=0.1), [0.5, -1.0])
    leaves = [Value(1.0), Value(1.0), Value(1.0)]
    optimizer = KINDS[kind](leaves, lr=0.1)
    for p in leaves:
        p.grad = 0.5
    optimizer.step()
    for p in leaves:
        p.grad = -1.0
    leaves[1].grad = None  # type: ignore[assignment]
    refuses_a_step(optimizer, TypeError, "grad must be a number, not None")
    leaves[1].grad = -1.0
    optimizer.step()
    assert [p.data for p in leaves] == [wanted[-1]] * 3


@each_kind
def test_a_step_from_what_is_no_number_has_not_happened(kind: str) -> None:
    leaves = [Value(1.0), Value(1.0)]
    optimizer = KINDS[kind](leaves, lr=0.1)
    for p in leaves:
        p.grad = 0.5
    leaves[1].data = None  # type: ignore[assignment]
    refuses_a_step(optimizer, TypeError, "NoneType")


@each_kind
@pytest.mark.parametrize("lr", [-1.0, math.nan, math.inf])
def test_a_rate_that_became_senseless_is_refused_by_the_step(
    kind: str, lr: float
) -> None:
    p = Value(1.0)
    optimizer = KINDS[kind]([p], lr=0.1)
    p.grad = 1.0
    optimizer.lr = lr
    refuses_a_step(optimizer, ValueError, rf"lr must be .*, not {lr}")
    optimizer.lr = "0.1"  # type: ignore[assignment]
    refuses_a_step(optimizer, TypeError, "lr must be a real number, not '0.1'")
    optimizer.lr = 0.1
    optimizer.step()
    assert p.data < 1.0


@each_kind
def test_its_parameters_cannot_be_exchanged(kind: str) -> None:
    p = Value(1.0)
    optimizer = KINDS[kind]([p], lr=0.1)
    with pytest.raises(AttributeError):
        optimizer.parameters = (p, Value(2.0))  # type: ignore[misc]
    assert optimizer.parameters == (p,)


def test_an_own_rule_must_move_all_its_parameters() -> None:
    class Lost(Optimizer):
        def step(self) -> None:
            self._move([1.0])

    optimizer = Lost([Value(1.0), Value(2.0)], 0.1)
    with pytest.raises(ValueError, match="of Lost: expected 2, not 1"):
        optimizer.step()
    assert [p.data for p in optimizer.parameters] == [1.0, 2.0]


# What is refused -------------------------------------------------------------


def test_the_kinds_are_optimisers_and_the_bare_one_has_no_rule() -> None:
    p = Value(1.0)
    assert isinstance(SGD([p], 0.1), Optimizer)
    assert isinstance(Adam([p]), Optimizer)
    with pytest.raises(NotImplementedError):
        Optimizer([p], 0.1).step()


@each_kind
def test_an_empty_list_of_parameters_is_refused(kind: str) -> None:
    nothing: Iterable[Value]
    for nothing in ([], iter(())):
        with pytest.raises(ValueError, match="at least one parameter"):
            KINDS[kind](nothing, lr=0.1)


@each_kind
@pytest.mark.parametrize("wrong", [1.0, "w", None, [Value(1.0)]], ids=repr)
def test_a_parameter_that_is_no_value_is_refused_and_named(
    kind: str, wrong: Any
) -> None:
    with pytest.raises(TypeError, match="parameter must be a Value") as refused:
        KINDS[kind]([Value(1.0), wrong], lr=0.1)
    assert repr(wrong) in str(refused.value)


@each_kind
def test_a_parameter_that_is_no_leaf_is_refused_with_its_operation(kind: str) -> None:
    with pytest.raises(ValueError, match=r"must be a leaf, not made by '\*'"):
        KINDS[kind]([Value(1.0), Value(2.0) * 0.5], lr=0.1)


@each_kind
@pytest.mark.parametrize("wrong", [None, Value(1.0), MLP(1, [1])], ids=repr)
def test_parameters_that_are_not_listed_are_refused(kind: str, wrong: Any) -> None:
    with pytest.raises(TypeError, match="parameters must be listed") as refused:
        KINDS[kind](wrong, lr=0.1)
    assert str(refused.value).endswith(f"not {wrong!r}")


class Level(Value):
    """A parameter that is compared by its number."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Level) and self.data == other.data

    def __hash__(self) -> int:
        return hash(self.data)


@each_kind
def test_two_parameters_of_equal_numbers_are_two(kind: str) -> None:
    leaves: list[Value] = [Level(1.0), Level(1.0)]
    optimizer = KINDS[kind](leaves, lr=0.1)
    for p in leaves:
        p.grad = 1.0
    optimizer.step()
    assert all(p.data < 1.0 for p in leaves)


@each_kind
@pytest.mark.parametrize("lr", ["0.1", None, [0.1], 1j, Decimal("0.1")], ids=repr)
def test_a_rate_that_is_no_number_is_refused_and_shown(kind: str, lr: Any) -> None:
    with pytest.raises(TypeError, match="lr must be a real number") as refused:
        KINDS[kind]([Value(1.0)], lr=lr)
    assert str(refused.value).endswith(f"not {lr!r}")


@each_kind
@pytest.mark.parametrize("lr", [-0.1, -math.inf, math.inf, math.nan])
def test_a_rate_that_makes_no_sense_is_refused(kind: str, lr: float) -> None:
    with pytest.raises(ValueError, match=rf"lr must be .*, not {lr}"):
        KINDS[kind]([Value(1.0)], lr=lr)


SHARES = [-0.1, 1.0, 1.5, math.inf, math.nan]


@pytest.mark.parametrize("share", SHARES)
def test_a_share_outside_zero_to_one_is_refused_by_name(share: float) -> None:
    ps = [Value(1.0)]
    with pytest.raises(ValueError, match=rf"momentum must be .* not {share}"):
        SGD(ps, 0.1, momentum=share)
    with pytest.raises(ValueError, match=rf"first beta must be .* not {share}"):
        Adam(ps, betas=(share, 0.9))
    with pytest.raises(ValueError, match=rf"second beta must be .* not {share}"):
        Adam(ps, betas=(0.9, share))


@pytest.mark.parametrize("betas", [0.9, (0.9,), (0.9, 0.9, 0.9), None, ()], ids=repr)
def test_betas_that_are_not_two_are_refused_and_shown(betas: Any) -> None:
    with pytest.raises(ValueError, match="betas must be two numbers") as refused:
        Adam([Value(1.0)], betas=betas)
    assert str(refused.value).endswith(f"not {betas!r}")


def test_a_beta_that_is_no_number_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="second beta must be a real number, not 'x'"):
        Adam([Value(1.0)], betas=(0.9, "x"))  # type: ignore[arg-type]


@pytest.mark.parametrize("eps", [0.0, -1e-8, math.inf, math.nan])
def test_an_epsilon_that_does_not_keep_the_division_safe_is_refused(eps: float) -> None:
    with pytest.raises(ValueError, match="eps must be"):
        Adam([Value(1.0)], eps=eps)
