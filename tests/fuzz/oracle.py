"""The right answers about a file, the slow way: plain SQL and Python, nothing of the product.

What is worked out: which rows of each table can be counted, their times and names, and from
these the sums of the reports, the busy time of a lone device, and the events of the export.
"""

# ruff: noqa: S608 - the SQL of these tests is their own

from __future__ import annotations

import math
import re
import sqlite3
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

KINDS = {
    "CUPTI_ACTIVITY_KIND_KERNEL": "kernel",
    "CUPTI_ACTIVITY_KIND_MEMCPY": "memcpy",
    "CUPTI_ACTIVITY_KIND_MEMSET": "memset",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": "graph",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "api",
    "CUPTI_ACTIVITY_KIND_DRIVER": "api",
    "OSRT_API": "os",
}
DEVICE_WORK = ("kernel", "memcpy", "memset", "graph")
RANGES, MARK = (59, 60, 70, 71), 34
LIMIT, LEAST = 1 << 62, -(1 << 63)
LOST = object()
"""A value that is not what belongs in its column: no figure may come of it."""
MOST = 1_500_000
"""Rows after which a view is taken for one without an end; and seconds:"""
LONGEST = 15.0

Event = tuple[int, int | None, str | None]
"""Start, end (None: open) and name (None: not worked out here)."""


class Unreadable(Exception):
    """SQLite itself gives up on a table that the answers need."""


@dataclass
class Truth:
    """The countable events by kind, in the file's order."""

    events: dict[str, list[Event]] = field(default_factory=dict)
    devices: set[tuple[object, object]] = field(default_factory=set)
    """(globalPid, deviceId) of the device work."""
    cut: int = 0
    """Stretches on a CPU that begin or end with the capture: not among the events."""

    def of(self, *kinds: str) -> list[Event]:
        return [event for kind in kinds for event in self.events.get(kind, [])]

    def lasting(self) -> Counter[tuple[str, int, int | None]]:
        """How many events of each kind, start and duration; None for the duration of open ranges."""
        return Counter(
            (kind, start, None if end is None else end - start)
            for kind, events in self.events.items()
            for start, end, _ in events
        )

    def named(self, kind: str) -> Counter[str] | None:
        """How often each name occurs among the events of a kind; None where some name is not worked out."""
        names = [name for _, _, name in self.events.get(kind, [])]
        return None if None in names else Counter(str(name) for name in names)


def truth(path: Path) -> Truth:
    """Read ``path``. Raises :class:`Unreadable`."""
    found = Truth()
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as db:
            db.text_factory = bytes
            began = time.monotonic()
            db.set_progress_handler(lambda: time.monotonic() - began > LONGEST, 100_000)
            have = table_names(db)
            strings = read_strings(db) if "StringIds" in have else {}
            for table, kind in KINDS.items():
                if table in have:
                    read_table(db, table, kind, strings, found)
            if "NVTX_EVENTS" in have:
                read_nvtx(db, strings, found)
            if "SCHED_EVENTS" in have:
                read_scheduler(db, found)
    except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:  # the last: of its own messages
        raise Unreadable(str(error)) from error
    return found


def table_names(db: sqlite3.Connection) -> set[str]:
    """Tables and views, those that are known as they are known; a virtual one can't be read."""
    known = {name.lower(): name for name in (*KINDS, "NVTX_EVENTS", "SCHED_EVENTS", "StringIds")}
    found = set()
    for raw, root in db.execute("SELECT name, rootpage FROM sqlite_master WHERE type = 'table'"):
        name = known.get(raw.decode("utf-8", "replace").lower()) if isinstance(raw, bytes) else None
        if name and not root:
            raise Unreadable(f"{name} is virtual")
        found.add(name or "")
    views = db.execute("SELECT name FROM sqlite_master WHERE type = 'view'")
    return found | {known.get(raw.decode("utf-8", "replace").lower(), "") for (raw,) in views}


def meant(value: object, kind: bytes, column: str) -> object:
    """A value as what it says: a whole number as int, a text as bytes; :data:`LOST` for anything else."""
    if kind == b"null":
        return None
    if column in ("text", "value"):
        if kind == b"text":
            return value
        try:
            return value if isinstance(value, bytes) and "\0" not in value.decode() else LOST
        except UnicodeDecodeError:
            return LOST
    if kind == b"text":
        assert isinstance(value, bytes)
        number_like = rb"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*"
        if len(value) > 64 or not re.fullmatch(number_like, value):
            return LOST
        digits, _, power = value.decode().strip().lower().partition("e")
        if len(power) > 4:
            return LOST
        value = Fraction(digits) * Fraction(10) ** int(power or 0)
    elif kind == b"blob" or (isinstance(value, float) and math.isinf(value)):
        return LOST
    number = Fraction(value)  # type: ignore[call-overload]
    if number.denominator != 1 or not LEAST <= number < -LEAST:
        return LOST
    return None if number == LEAST else int(number)


def rows_of(db: sqlite3.Connection, table: str, wanted: tuple[str, ...]) -> list[dict[str, object]]:
    """The rows with those of ``wanted`` that exist; the least integer stands for NULL, as in the product."""
    have = [row[1].decode("utf-8", "replace").lower() for row in db.execute(f"PRAGMA table_xinfo({table})")]
    columns = [c for c in wanted if c.lower() in have]
    if not columns:
        return [dict.fromkeys(wanted) for _ in db.execute(f"SELECT 1 FROM {table}")]
    kinds = ", ".join(f'"{c}", typeof("{c}")' for c in columns)
    out = []
    for row in db.execute(f"SELECT {kinds} FROM {table}"):
        cells: dict[str, object] = dict.fromkeys(wanted)
        for i, column in enumerate(columns):
            cells[column] = meant(row[2 * i], row[2 * i + 1], column)
        out.append(cells)
        if len(out) > MOST:
            raise Unreadable(f"{table} has no end")
    return out


def read_strings(db: sqlite3.Connection) -> dict[int, str | None]:
    """StringIds; None where an id comes twice."""
    found: dict[int, str | None] = {}
    for row in rows_of(db, "StringIds", ("id", "value")):
        number, value = row["id"], row["value"]
        if isinstance(number, int):
            text = value.decode("utf-8", "replace") if isinstance(value, bytes) else ""
            found[number] = None if number in found or not isinstance(value, bytes) else text
    return found


def within(time: object) -> bool:
    return isinstance(time, int) and -LIMIT <= time <= LIMIT


def countable(start: object, end: object) -> bool:
    """Whether the times can be true."""
    return within(start) and within(end) and not start == end == 0 and end >= start  # type: ignore[operator]


def read_table(
    db: sqlite3.Connection, table: str, kind: str, strings: dict[int, str | None], found: Truth
) -> None:
    names = ("demangledName",) if kind == "kernel" else ("nameId",)
    for row in rows_of(db, table, ("start", "end", "eventClass", "deviceId", "globalPid", *names)):
        if kind == "api" and row["eventClass"] == 67:
            continue
        if kind == "os" and not (row["eventClass"] == 27 or not isinstance(row["eventClass"], int)):
            continue
        start, end = row["start"], row["end"]
        if countable(start, end):
            number = row.get(names[0])
            name = strings.get(number) if isinstance(number, int) else None
            found.events.setdefault(kind, []).append((start, end, name))  # type: ignore[arg-type]
            if kind in DEVICE_WORK:
                found.devices.add((row["globalPid"], row["deviceId"]))


def read_nvtx(db: sqlite3.Connection, strings: dict[int, str | None], found: Truth) -> None:
    for row in rows_of(db, "NVTX_EVENTS", ("start", "end", "eventType", "text", "textId")):
        start, end, text = row["start"], row["end"], row["text"]
        number = row["textId"]
        name = strings.get(number) if isinstance(number, int) else None
        name = text.decode("utf-8", "replace") if isinstance(text, bytes) else name
        if not within(start):
            continue
        if row["eventType"] == MARK:
            found.events.setdefault("mark", []).append((start, start, name))  # type: ignore[arg-type]
        elif row["eventType"] in RANGES and end is None:
            found.events.setdefault("range", []).append((start, None, name))  # type: ignore[arg-type]
        elif row["eventType"] in RANGES and countable(start, end):
            found.events.setdefault("range", []).append((start, end, name))  # type: ignore[arg-type]


def read_scheduler(db: sqlite3.Connection, found: Truth) -> None:
    """From each time that a thread is put on a CPU to its next event."""
    rows = [r for r in rows_of(db, "SCHED_EVENTS", ("start", "isSchedIn", "globalTid")) if within(r["start"])]
    threads: dict[int, list[tuple[int, bool]]] = {}
    for row in sorted(rows, key=lambda row: row["start"]):  # type: ignore[arg-type,return-value]
        if isinstance(row["globalTid"], int) and row["isSchedIn"] in (0, 1):
            threads.setdefault(row["globalTid"], []).append((row["start"], row["isSchedIn"] == 1))  # type: ignore[arg-type]
    for events in threads.values():
        found.cut += (not events[0][1]) + events[-1][1]
        for (start, begins), (end, _) in pairwise(events):
            if begins:
                found.events.setdefault("cpu", []).append((start, end, None))


def union(intervals: list[tuple[int, int]]) -> int:
    """The time that at least one interval covers."""
    covered, until = 0, -(1 << 63)
    for start, end in sorted(intervals):
        covered += max(0, end - max(start, until))
        until = max(until, end)
    return covered
