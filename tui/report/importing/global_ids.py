"""The bit fields of nsys ids: ``globalTid`` = hardware(8) | VM(8) | pid(24) | tid(24)."""

from __future__ import annotations

from typing import overload

from tui.report.columns import Int64

_LOW = 0xFFFFFF


@overload
def tid_of(global_tid: int) -> int: ...
@overload
def tid_of(global_tid: Int64) -> Int64: ...
def tid_of(global_tid: int | Int64) -> int | Int64:
    """Bits 0-23."""
    return global_tid & _LOW


@overload
def pid_of(global_id: int) -> int: ...
@overload
def pid_of(global_id: Int64) -> Int64: ...
def pid_of(global_id: int | Int64) -> int | Int64:
    """Bits 24-47 of a globalTid or globalPid."""
    return (global_id >> 24) & _LOW


@overload
def global_pid_of(global_tid: int) -> int: ...
@overload
def global_pid_of(global_tid: Int64) -> Int64: ...
def global_pid_of(global_tid: int | Int64) -> int | Int64:
    """The id of the thread's process: the same bits, the tid zeroed."""
    return global_tid & ~_LOW


def machine_of(global_id: int) -> int:
    """Hardware and VM bits: two processes with the same bits run on one machine."""
    return (global_id >> 48) & 0xFFFF
