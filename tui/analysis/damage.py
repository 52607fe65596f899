"""Tables that only add to an answer: where their part of a file is damaged, it stands without them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tui.analysis.index import Index
from tui.errors import ReportError
from tui.text import safe

T = TypeVar("T")


def if_readable(index: Index, what: str, read: Callable[[], T], otherwise: Callable[[], T]) -> T:
    """What ``read`` returns, once; where it raises ReportError what ``otherwise`` returns, and a note.

    ``what``: what is not known then, as a note says it.
    """

    def attempt() -> T:
        try:
            return read()
        except ReportError as error:
            fault = str(error).removeprefix(f"{index.report.path}: ")
            _faults(index)[what] = f"{what}: not known: {safe(fault)}"
            return otherwise()

    return index.once(("if readable", what), attempt)


def damage_notes(index: Index) -> list[str]:
    """What could not be read so far."""
    return list(_faults(index).values())


def _faults(index: Index) -> dict[str, str]:
    return index.once("damaged", dict)
