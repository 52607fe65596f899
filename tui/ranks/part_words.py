"""What the parts of a step are called, and differences of times."""

from __future__ import annotations

from tui.text.times import rough

_PARTS = {
    "host": "host code",
    "exposed_unsplit": "exposed communication",
    "copies_only": "copies alone",
    "other": "other GPU work",
    "unknown": "unknown time",
}
_HOST_PARTS = {
    "exposed_transfer": "MPI transfer",
    "exposed_wait": "wait in MPI",
    "exposed_unsplit": "MPI calls",
}


def part_words(part: str, *, host_only: bool = False) -> str:
    """Return what a part of a step is called; of ranks without device work communication is MPI calls."""
    if host_only and part in _HOST_PARTS:
        return _HOST_PARTS[part]
    return _PARTS.get(part, part.replace("_", " "))


def signed(ns: int) -> str:
    """Write a difference of times: ``+5.4 ms``, ``-870 ns``, ``0 ns``."""
    return f"{'+' if ns > 0 else ''}{rough(ns)}"
