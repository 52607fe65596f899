"""Bandwidth by hand."""

from __future__ import annotations

import pytest

from tui.ranks.bandwidth import bandwidth
from tui.ranks.names import Operation


def test_the_nine_ranks() -> None:
    found = bandwidth(Operation.ALL_REDUCE, 2_097_152, 9, 11_126_721)
    assert found.algorithm == pytest.approx(0.18848, abs=5e-6)
    assert found.bus == pytest.approx(0.33507, abs=5e-6)  # x 16/9


@pytest.mark.parametrize(
    ("operation", "algorithm", "bus"),
    [
        (Operation.ALL_REDUCE, 1.0, 1.5),
        (Operation.ALL_GATHER, 4.0, 3.0),
        (Operation.REDUCE_SCATTER, 4.0, 3.0),
        (Operation.ALL_TO_ALL, 1.0, 0.75),
        (Operation.BROADCAST, 1.0, 1.0),
        (Operation.REDUCE, 1.0, 1.0),
        (Operation.SEND_RECV, 1.0, 1.0),
        (Operation.BARRIER, None, None),
        (Operation.OTHER, None, None),
    ],
)
def test_factors_of_four_ranks(operation: Operation, algorithm: float | None, bus: float | None) -> None:
    """1,000 bytes a rank in 1,000 ns."""
    assert bandwidth(operation, 1_000, 4, 1_000) == (algorithm, bus)


def test_unknown_bytes() -> None:
    assert bandwidth(Operation.ALL_REDUCE, -1, 4, 1_000) == (None, None)
    assert bandwidth(Operation.ALL_REDUCE, 1_000, 4, 0) == (None, None)
