"""What differences are called: parts of a step, times with a sign."""

from __future__ import annotations

from tui.text.times import brief

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
    """Write a difference of times in three digits: ``+5.42 ms``, ``-870 ns``, ``0 ns``."""
    return f"{'+' if ns > 0 else ''}{brief(ns)}"
