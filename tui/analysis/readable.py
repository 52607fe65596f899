"""Tables that only add to an answer: where their part of a file is damaged, it stands without them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tui.analysis.cuda_events import Waits, event_waits, no_waits
from tui.analysis.files.accesses import Accesses, file_accesses, no_accesses
from tui.analysis.index import Index
from tui.errors import ReportError
from tui.text import safe

T = TypeVar("T")


def readable_accesses(index: Index) -> Accesses:
    """All accesses to files; none where they can't be read."""
    return _or_else(index, file_accesses, no_accesses)


def readable_waits(index: Index) -> Waits:
    """All waits for CUDA events; none where they can't be read."""
    return _or_else(index, event_waits, no_waits)


def unreadable_notes(index: Index) -> list[str]:
    """What could not be read of the tables that add to an answer."""
    readable_accesses(index)
    readable_waits(index)
    return list(_faults(index))


def _or_else(index: Index, read: Callable[[Index], T], otherwise: Callable[[], T]) -> T:
    def attempt() -> T:
        try:
            return read(index)
        except ReportError as error:
            fault = str(error).removeprefix(f"{index.report.path}: ")
            _faults(index).setdefault(f"files or CUDA events are not known: {safe(fault)}")
            return otherwise()

    return index.once(("readable", read), attempt)


def _faults(index: Index) -> dict[str, None]:
    return index.once("unreadable", dict)
