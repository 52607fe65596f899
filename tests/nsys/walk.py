"""Our rows beside nsys's: every cell, their order and their number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from tests.nsys.differences import Cell, Meant, OnlyOurs, OnlyTheirs, Order
from tests.nsys.printed import Printed, Row, Rows, Walked

Kind = TypeVar("Kind", bound=Meant)


@dataclass
class Outcome:
    """What a walk over one report met."""

    cells: int = 0
    wrong: list[str] = field(default_factory=list)
    """One line a difference that is not meant."""
    met: set[Meant] = field(default_factory=set)
    """The meant differences that were there."""


def walk(walked: Walked, printed: Printed, ours: Rows, meant: Sequence[Meant]) -> Outcome:
    """Compare our rows with those that nsys printed, but for the differences that are meant."""
    outcome = Outcome()
    meant = [one for one in meant if printed.report in one.reports]
    orders = [one for one in _of(meant, Order) if one.when(walked)]
    theirs = _without(printed.rows, _of(meant, OnlyTheirs), walked, outcome)
    hidden = len(printed.rows) - len(theirs)
    extra = _of(meant, OnlyOurs)
    mine = ours.first(len(ours) if orders or extra else len(printed.rows))
    for order in orders:
        ordered = sorted(mine, key=order.key)
        if ordered[: len(theirs)] != mine[: len(theirs)]:
            outcome.met.add(order)
        mine = ordered
    kept = _without(mine, extra, walked, outcome)
    number = len(ours) - (len(mine) - len(kept)) + hidden
    if number != printed.count:
        outcome.wrong.append(f"{number} rows of ours for {printed.count} of nsys's")
    if theirs and ours.headers != list(theirs[0]):
        outcome.wrong.append(f"columns {ours.headers} for {list(theirs[0])}")
    cells = _of(meant, Cell)
    for place, (their, our) in enumerate(zip(theirs, kept, strict=False)):
        outcome.cells += len(their)
        for column, value in their.items():
            if column not in our or _same(value, our[column]):
                continue
            allowed = [one for one in cells if column in one.columns and one.when(their, our, walked)]
            outcome.met.update(allowed)
            if not allowed:
                outcome.wrong.append(f"row {place}: {column}: {our[column]!r} for {value!r}")
    return outcome


def _same(theirs: object, ours: object) -> bool:
    """Whether two cells are equal, as numbers of the same kind."""
    return theirs == ours and type(theirs) is type(ours)


def _of(meant: Sequence[Meant], kind: type[Kind]) -> list[Kind]:
    return [one for one in meant if isinstance(one, kind)]


def _without(
    rows: list[Row], extra: Sequence[OnlyOurs | OnlyTheirs], walked: Walked, outcome: Outcome
) -> list[Row]:
    """Leave out the rows that only one side has, noting which difference left each out."""
    kept = []
    for row in rows:
        reasons = [one for one in extra if one.when(row, walked)]
        outcome.met.update(reasons)
        if not reasons:
            kept.append(row)
    return kept
