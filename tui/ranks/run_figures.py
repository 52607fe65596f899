"""The figures of a whole run that a comparison and a baseline know: who is late at what cost, bandwidths."""

from __future__ import annotations

from tui.ranks.bandwidth import bandwidth
from tui.ranks.judged import JudgedRun
from tui.ranks.names import Operation
from tui.ranks.straggler import Kind
from tui.text.numbers import percent


def run_figures(run: JudgedRun) -> dict[str, float]:
    """Return the figures of one run by the name of their metric; those that are not known are not in it."""
    found: dict[str, float] = {}
    if run.verdict.kind is not Kind.UNRESOLVED:
        cost = percent(run.cost_ns, run.verdict.window_ns)
        if cost is not None:
            found["straggler_cost_pct"] = cost
    return found | _bandwidths(run)


def who_is_late(run: JudgedRun) -> str | None:
    """Return ``rank 11 pinned``; None where nobody is."""
    names = [standing.name for standing in run.verdict.who]
    if not names:
        return None
    level = {"rank": "rank", "host": "host"}.get(run.verdict.level.value, "local rank")
    return f"{level} {', '.join(names)} pinned"


def bandwidth_metric(operation: Operation) -> str:
    """Return the name of the bus bandwidth of an operation: ``busbw.AllReduce_gbps``."""
    return f"busbw.{operation.value}_gbps"


def _bandwidths(run: JudgedRun) -> dict[str, float]:
    """Return the bus bandwidth of each operation: of the kind of it that moves most bytes in all."""
    most: dict[str, int] = {}
    found: dict[str, float] = {}
    for row in run.collectives:
        if row.communicator is None or row.bytes is None or row.transfer_ns is None:
            continue
        _, busbw = bandwidth(row.name.operation, row.bytes, row.size or row.ranks, row.transfer_ns)
        name, moved = bandwidth_metric(row.name.operation), row.bytes * row.instances
        if busbw is not None and moved > most.get(name, -1):
            most[name], found[name] = moved, busbw
    return found
