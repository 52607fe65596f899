"""Where two answers to one question differ, cell by cell, but for what is meant to."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.nsys.oracle.both import Answer, Rows
from tests.nsys.oracle.meant import Cell, is_meant, is_meant_silence, with_meant_rows
from tests.nsys.oracle.questions import Question


@dataclass(frozen=True)
class Difference:
    """A cell, a column or the rows of a report that nsys and we print differently."""

    report: str
    column: str
    nsys: str
    ours: str


def differences(question: Question, nsys: Answer, ours: Answer) -> Iterator[Difference]:
    """What differs. Nothing is said where nsys failed: it gave no answer."""
    name = question.nsys if question.command == "analyze" else question.ours
    if nsys.failed:
        return
    if ours.failed:
        yield Difference(name, "(no answer)", _brief(nsys), ours.said)
        return
    theirs, own = with_meant_rows(question.report, nsys.rows, ours.rows)
    if not theirs[1:] and not own[1:]:
        return
    if not (theirs and own) and is_meant_silence(question.report, question.ours, nsys.said, theirs):
        return
    if not theirs or not own:
        yield Difference(name, "(no rows)", _brief(nsys), _brief(ours))
        return
    if theirs[0] != own[0]:
        for column in theirs[0]:
            if column not in own[0]:
                yield Difference(name, f"{column} (missing)", ",".join(theirs[0]), ",".join(own[0]))
        for column in own[0]:
            if column not in theirs[0]:
                yield Difference(name, f"{column} (added)", ",".join(theirs[0]), ",".join(own[0]))
    if len(theirs) != len(own):
        lacking = next((row for row in theirs if row not in own), ())
        added = next((row for row in own if row not in theirs), ())
        yield Difference(
            name, "(number of rows)", f"{len(theirs) - 1}: {lacking}", f"{len(own) - 1}: {added}"
        )
        return
    if question.report in TIES:
        theirs, own = (_with_sorted_ties(question.report, rows) for rows in (theirs, own))
    common = [name for name in theirs[0] if name in own[0]]
    records = [dict(zip(theirs[0], row, strict=True)) for row in theirs[1:]]
    own_records = [dict(zip(own[0], row, strict=True)) for row in own[1:]]
    total = sum(int(row.get("Total Time (ns)") or 0) for row in own_records)
    found = [
        Difference(name, column, f"{record[column]} in {record}", f"{mine[column]} in {mine}")
        for record, mine in zip(records, own_records, strict=True)
        for column in common
        if record[column] != mine[column] and not is_meant(Cell(question.report, column, record, mine, total))
    ]
    if found and sorted(theirs) == sorted(own):
        at = next(i for i, (a, b) in enumerate(zip(theirs, own, strict=True)) if a != b)
        found = [Difference(name, "(order)", str(theirs[at : at + 3]), str(own[at : at + 3]))]
    yield from found


TIES = {
    "openmp_sum": ("Total Time (ns)",),
    "gpu_time_util": ("In-Use (%)", "Duration (ns)"),
    "um_sum": ("Migration Throughput (MB/s)",),
}
"""Reports whose rows may change places where these columns are equal.

nsys walks a set of tables for the first and leaves the second to its sorter; it sorts the third by
throughputs that it computed in integers, 0 for all copies of more than a second.
"""


def _with_sorted_ties(report: str, rows: Rows) -> Rows:
    """The rows with those of one tie in the order of their cells, and numbered anew."""
    keys = [rows[0].index(name) for name in TIES[report]]
    found = [rows[0]]
    for _, tie in itertools.groupby(rows[1:], key=lambda row: [row[key] for key in keys]):
        found += sorted(tie, key=lambda row: [_number_or_text(cell) for cell in _unnumbered(rows[0], row)])
    if rows[0][0] != "Row#":
        return tuple(found)
    return (rows[0], *((str(number), *row[1:]) for number, row in enumerate(found[1:], 1)))


def _unnumbered(header: tuple[str, ...], row: tuple[str, ...]) -> tuple[str, ...]:
    return row[1:] if header[0] == "Row#" else row


def _number_or_text(cell: str) -> tuple[int, int, str]:
    return (0, int(cell), "") if re.fullmatch(r"-?\d+", cell) else (1, 0, cell)


def _brief(answer: Answer) -> str:
    return str(answer.rows[:3]) if answer.rows else f"none: {answer.said}"
