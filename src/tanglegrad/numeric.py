"""Slopes measured by nudging, and the check that is built on them."""

from collections.abc import Callable


def derivative(
    f: Callable[[float], float], x: float, h: float = 1e-5
) -> float:
    """The slope of f at x, by the central difference.

    f takes a float and returns one; h, above 0, is the step to either
    side. The error shrinks with the square of h (Taylor's theorem)
    until rounding takes over.
    """
    return (f(x + h) - f(x - h)) / (2 * h)


def gradient(f: Callable[..., float], *xs: float) -> list[float]:
    """The slopes of f at xs, one for each input, by nudging each alone.

    f takes as many floats as there are xs and returns a float; it is
    called twice for each input. The step is 1e-5, times the size of
    the input where that is above 1.
    """

    def along(i: int) -> Callable[[float], float]:
        return lambda x: f(*xs[:i], x, *xs[i + 1 :])

    return [
        derivative(along(i), x, 1e-5 * max(1.0, abs(x)))
        for i, x in enumerate(xs)
    ]
