"""Costs grow as graphs do: twice the nodes, twice the cost."""

from __future__ import annotations

import pytest

from tests.bench.growth import (
    SHAPES,
    bytes_per_node,
    microseconds_per_node,
    recording,
    recording_in_a_process,
)

each_shape = pytest.mark.parametrize("shape", SHAPES)


@each_shape
def test_a_node_takes_the_same_memory_in_a_graph_of_every_size(shape: str) -> None:
    small, large = bytes_per_node(shape, 10_000), bytes_per_node(shape, 100_000)
    assert 50 < small < 1_000
    assert large == pytest.approx(small, rel=0.1)


@each_shape
def test_a_node_takes_about_the_same_time_too(shape: str) -> None:
    # caches and the collector take their share; growth by the square would be 200
    small = sum(microseconds_per_node(shape, 1_000))
    large = sum(microseconds_per_node(shape, 200_000))
    assert 0.0 < large < 20 * small


def test_recording_costs_about_the_same_for_each_node_of_a_long_graph() -> None:
    # growth by the square would be 16
    small, large = recording(2_500), recording(40_000)
    assert 0.0 < large.recorded < 5 * small.recorded
    assert 0.0 < large.run < 10 * small.run


def test_the_peak_of_a_recording_is_its_own() -> None:
    held = b"1" * 300_000_000
    assert 5.0 < recording_in_a_process(1_000).peak < len(held) / 1e6
