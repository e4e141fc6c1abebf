"""Threads that each have a graph of their own do not meet."""

from __future__ import annotations

import random
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import MLP, SGD, Adam

if TYPE_CHECKING:
    from collections.abc import Callable

OPTIMISERS: dict[str, Callable[[Any], Any]] = {
    "SGD": lambda ps: SGD(ps, lr=0.02, momentum=0.5),
    "Adam": lambda ps: Adam(ps, lr=0.02),
}


def trained(seed: int, kind: str) -> list[str]:
    """Every parameter and every gradient of a model after some steps, in hex."""
    rng = random.Random(seed)
    model: Any = MLP(2, [6, 6, 1], rng=rng)
    optimizer = OPTIMISERS[kind](model.parameters())
    for _ in range(30):
        x, y = rng.uniform(-1, 1), rng.uniform(-1, 1)
        loss = (model([x, y]) - x * y) ** 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return [x.hex() for p in model.parameters() for x in (p.data, p.grad)]


@pytest.mark.parametrize("kind", OPTIMISERS)
def test_threads_that_train_models_of_their_own_get_what_each_gets_alone(
    kind: str,
) -> None:
    alone = [trained(seed, kind) for seed in range(4)]
    together: dict[int, list[str]] = {}

    def train(seed: int) -> None:
        together[seed] = trained(seed, kind)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # change threads as often as can be
    try:
        threads = [threading.Thread(target=train, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert [together[seed] for seed in range(4)] == alone
    assert len({tuple(numbers) for numbers in alone}) == 4


def test_threads_may_read_one_model_at_the_same_time() -> None:
    model: Any = MLP(2, [5, 1], rng=random.Random(0))
    xs = [(i / 10, 1 - i / 10) for i in range(10)]
    alone = [model(x).data for x in xs]
    together: list[list[float]] = []

    def predict() -> None:
        together.extend([model(x).data for x in xs] for _ in range(20))

    threads = [threading.Thread(target=predict) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == [alone] * 60
