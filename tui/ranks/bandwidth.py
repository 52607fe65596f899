"""What collectives move per second, as nccl-tests counts it: by the transfer, never by what a rank waited."""

from __future__ import annotations

from typing import NamedTuple

from tui.ranks.names import Operation

WHOLE = frozenset({Operation.ALL_GATHER, Operation.REDUCE_SCATTER})
"""Operations whose message is what all ranks hold together."""
_SHARED = WHOLE | {Operation.ALL_TO_ALL}
_MOVING = _SHARED | {
    Operation.ALL_REDUCE,
    Operation.BROADCAST,
    Operation.REDUCE,
    Operation.SEND_RECV,
    Operation.SEND,
    Operation.RECV,
}


class Bandwidth(NamedTuple):
    """Decimal GB/s; None: unknown, as where the payload isn't recorded."""

    algorithm: float | None
    bus: float | None


def bandwidth(operation: Operation, payload: int | None, ranks: int, transfer_ns: int | None) -> Bandwidth:
    """Return what an operation moved.

    ``payload``: bytes of one rank (of all-to-all what it sends in all); None or negative: unknown.
    ``transfer_ns``: what the last arriver took.
    """
    if payload is None or transfer_ns is None or operation not in _MOVING:
        return Bandwidth(None, None)
    if payload < 0 or transfer_ns <= 0 or ranks < 1:
        return Bandwidth(None, None)
    size = payload * ranks if operation in WHOLE else payload
    by_algorithm = size / transfer_ns
    return Bandwidth(by_algorithm, by_algorithm * bus_factor(operation, ranks))


def bus_factor(operation: Operation, ranks: int) -> float:
    """Return how much of the message crosses the slowest link, per byte."""
    if operation is Operation.ALL_REDUCE:
        return 2 * (ranks - 1) / ranks
    return (ranks - 1) / ranks if operation in _SHARED else 1.0
