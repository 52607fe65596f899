"""The kinds of differences from nsys that may be meant. Each says where it holds, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.nsys.printed import Row, Walked


@dataclass(frozen=True)
class Meant:
    """A difference that is meant."""

    reports: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Cell(Meant):
    """Cells of these columns differ, where ``when`` holds of (their row, our row, the export)."""

    columns: tuple[str, ...]
    when: Callable[[Row, Row, Walked], bool]


@dataclass(frozen=True)
class OnlyOurs(Meant):
    """Rows that nsys leaves out."""

    when: Callable[[Row, Walked], bool]


@dataclass(frozen=True)
class OnlyTheirs(Meant):
    """Rows that we leave out."""

    when: Callable[[Row, Walked], bool]


@dataclass(frozen=True)
class Order(Meant):
    """Our rows stand in another order: sorted by ``key`` they stand in nsys's, where ``when`` holds."""

    when: Callable[[Walked], bool]
    key: Callable[[Row], Any]
