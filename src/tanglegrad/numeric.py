"""Slopes measured by nudging, and the check that is built on them."""

from collections.abc import Callable
from numbers import Real
from typing import Any

from .micro import Value


def derivative(
    f: Callable[[float], float], x: float, h: float = 1e-5
) -> float:
    """The slope of f at x, by the central difference.

    f takes a float and returns one; h, above 0, is the step to either
    side. The error shrinks with the square of h (Taylor's theorem)
    until rounding takes over. A ValueError for another h.
    """
    _function("derivative", f)
    _real("derivative: x", x)
    _real("derivative: h", h)
    if not h > 0:
        raise ValueError(f"derivative: h must be above 0, not {h}")
    above, below = f(x + h), f(x - h)
    for y in (above, below):
        _real("derivative: what f returns", y)
    return (above - below) / (2 * h)


def gradient(f: Callable[..., float], *xs: float) -> list[float]:
    """The slopes of f at xs, one for each input, by nudging each alone.

    f takes as many floats as there are xs and returns a float; it is
    called twice for each input. The step is 1e-5, times the size of
    the input where that is above 1.
    """
    _function("gradient", f)
    for x in xs:
        _real("gradient: an input", x)

    def along(i: int) -> Callable[[float], float]:
        return lambda x: f(*xs[:i], x, *xs[i + 1 :])

    return [
        derivative(along(i), x, 1e-5 * max(1.0, abs(x)))
        for i, x in enumerate(xs)
    ]


def _function(who: str, f: object) -> None:
    """A TypeError if f cannot be called."""
    if not callable(f):
        raise TypeError(f"{who}: f must be a function, not {f!r}")


def _real(what: str, x: object) -> None:
    """A TypeError if x is no real number."""
    if not isinstance(x, float | Real):
        raise TypeError(f"{what} must be a real number, not {x!r}")


leaf: Callable[[float], Any] = Value


def gradcheck(
    f: Callable[..., Any], *xs: Any, tolerance: float = 1e-6
) -> bool:
    """True if backward() agrees with nudging in every slope of f at xs.

    The xs are Values, or numbers to be made Values; f takes as many
    and returns one. An AssertionError names the first input whose two
    slopes differ by more than tolerance (times the slope, if above 1).
    """
    _function("gradcheck", f)
    _real("gradcheck: tolerance", tolerance)
    if not xs:
        raise ValueError("gradcheck: give at least one input to check")
    kinds = [type(x) if hasattr(x, "backward") else leaf for x in xs]
    numbers = [x.data if hasattr(x, "backward") else x for x in xs]
    for number in numbers:
        _real("gradcheck: an input", number)

    def run(*ts: float) -> tuple[list[Any], Any]:
        leaves = [kind(t) for kind, t in zip(kinds, ts)]
        return leaves, f(*leaves)

    leaves, out = run(*numbers)
    if not hasattr(out, "backward"):
        raise TypeError(f"gradcheck: f must return a Value, not {out!r}")
    out.backward()
    nudged = gradient(lambda *ts: run(*ts)[1].data, *numbers)
    for i, (value, slope) in enumerate(zip(leaves, nudged), start=1):
        allowed = tolerance * max(1.0, abs(slope))
        if not abs(value.grad - slope) <= allowed:
            raise AssertionError(
                f"gradcheck: input {i} of {len(xs)}: backward() gives "
                f"{value.grad:.8g}, nudging gives {slope:.8g}; "
                f"they may differ by {allowed:.1e}"
            )
    return True
