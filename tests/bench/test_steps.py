"""Every way to take a step that is timed computes the same."""

from __future__ import annotations

import pytest

from tanglegrad import Value
from tests.bench.compare import OURS, agree
from tests.bench.steps import TASKS, scalar

each_task = pytest.mark.parametrize("which", TASKS)


@each_task
@pytest.mark.parametrize("name", OURS)
def test_a_step_has_the_loss_and_gradients_of_a_plain_graph(
    name: str, which: str
) -> None:
    pytest.importorskip("numpy")
    task = TASKS[which]
    assert agree(scalar(task, Value)(), OURS[name](task)())


@each_task
def test_a_wrong_gradient_is_noticed(which: str) -> None:
    loss, gradients = scalar(TASKS[which], Value)()
    right = gradients()
    wrong = [*right[:-1], right[-1] + 1e-9 * max(map(abs, [loss, *right]))]
    assert agree((loss, lambda: right), (loss, gradients))
    assert not agree((loss, lambda: right), (loss, lambda: wrong))
    assert not agree((loss, lambda: right), (loss, lambda: right[1:]))
