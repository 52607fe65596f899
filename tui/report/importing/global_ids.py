"""The bit fields of nsys ids: ``globalTid`` = hardware(8) | VM(8) | pid(24) | tid(24)."""

from __future__ import annotations

from typing import TypeVar

from tui.report.columns import Int64

_LOW = 0xFFFFFF
_Ids = TypeVar("_Ids", int, Int64)


def tid_of(global_tid: _Ids) -> _Ids:
    """Bits 0-23."""
    return global_tid & _LOW


def pid_of(global_id: _Ids) -> _Ids:
    """Bits 24-47 of a globalTid or globalPid."""
    return (global_id >> 24) & _LOW


def global_pid_of(global_tid: _Ids) -> _Ids:
    """The id of the thread's process: the same bits, the tid zeroed."""
    return global_tid & ~_LOW


def machine_of(global_id: int) -> int:
    """Hardware and VM bits: two processes with the same bits run on one machine."""
    return (global_id >> 48) & 0xFFFF
