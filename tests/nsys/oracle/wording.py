"""The same export as nsys 2023.4 would have to see it to say what we mean to say."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

from tests.nsys.oracle.draft import Draft, Row
from tests.nsys.oracle.meant import LATER, RENUMBERED
from tests.nsys.oracle.nvtx_rows import CREATE
from tui.report.classify import CallClass, call_class

BACKTRACE = 67
"""The eventClass of rows that hold a call's backtrace."""

PUSH_POP = (59, 70)
RANGES = (*PUSH_POP, 60, 71)
"""The eventTypes of NVTX ranges."""

CUDA_WORK = tuple(f"CUPTI_ACTIVITY_KIND_{kind}" for kind in ("KERNEL", "MEMCPY", "MEMSET"))
GRAPHICS_WORK = ("VULKAN_WORKLOAD", "OPENGL_WORKLOAD", "DX12_WORKLOAD")

FEW = 25
"""As many ranges stay in one leaf."""

LIKELIEST = (
    CallClass.LAUNCH, CallClass.BLOCKING_COPY, CallClass.MEMORY_MANAGEMENT, CallClass.OTHER,
    CallClass.SYNCHRONISATION,
)  # fmt: skip
"""Which of several calls of one id we take for the launch."""


def for_nsys(draft: Draft) -> Draft:
    """The export with what nsys 2023.4 is known to take otherwise than we do put in its words.

    It prints the bare name of a range in the default domain, and of one whose domain has no name: it gets
    the name that later releases print.
    """
    draft = with_plain_calls(draft)
    _name_in_full(draft)
    return draft


def with_plain_calls(draft: Draft) -> Draft:
    """The export without what nsys takes for more calls than there were.

    It takes a backtrace for another call and another launch of the same kernels: it gets none. Of several
    calls of one id it makes several launches of each kernel: one of them keeps the id.
    """
    draft = deepcopy(draft)
    calls = draft.rows.get("CUPTI_ACTIVITY_KIND_RUNTIME", [])
    calls[:] = [row for row in calls if row["eventClass"] != BACKTRACE]
    _number_apart(draft, calls)
    return draft


def _number_apart(draft: Draft, calls: list[Row]) -> None:
    """Give calls ids of their own but the launch: the likeliest class, the earliest, the outermost."""
    texts = {number: text for text, number in draft.strings.items()}
    taken = set()
    ranked = sorted(
        calls, key=lambda row: (LIKELIEST.index(call_class(texts[row["nameId"]])), row["start"], -row["end"])
    )
    for row in ranked:
        key = (row["globalTid"] >> 24, row["correlationId"])
        if key in taken:
            row["correlationId"] = RENUMBERED + draft.number()
        taken.add(key)


def _name_in_full(draft: Draft) -> None:
    """Put the domain's part of a name into the name where nsys 2023.4 prints none.

    It prints nothing at all for a range without a name, later releases what its domain makes of an empty one.
    """
    events = draft.rows.get("NVTX_EVENTS", [])
    named = {(row["globalTid"] >> 24, row["domainId"]) for row in events if row["eventType"] == CREATE}
    texts = {number: text for text, number in draft.strings.items()}
    for row in events:
        domain = row["domainId"] or 0
        if row["text"] is None and row["textId"] is None:
            row["text"] = ""
        if row["eventType"] in RANGES and (row["globalTid"] >> 24, domain) not in named:
            prefix = f"domain {domain}:" if domain else ":"
            if row["textId"] is not None:
                row["textId"] = draft.string(prefix + texts[row["textId"]])
            if row["text"] is not None:
                row["text"] = prefix + row["text"]


def for_its_rules(draft: Draft) -> Draft:
    """The same with correlation ids of one process alone: the rules of nsys join on nothing else."""
    draft = for_nsys(draft)
    for table, rows in draft.rows.items():
        if table.startswith("CUPTI_ACTIVITY_KIND_"):
            for row in rows:
                if row.get("correlationId") is not None:
                    row["correlationId"] += (row.get("globalPid") or row["globalTid"]) >> 24 << 24
    return draft


def with_length(draft: Draft) -> Draft:
    """The export without device work that takes no time, nor any of the profiler's, nor work on no device.

    Work of no length splits no gap here; it does in nsys, which also makes a device of what names none.
    """
    draft = deepcopy(draft)
    for table in (*CUDA_WORK, *GRAPHICS_WORK, "PROFILER_OVERHEAD"):
        draft.rows[table] = [
            row
            for row in draft.rows.get(table, [])
            if row["start"] < row["end"] and row.get("gpu", 0) is not None
        ]
    return draft


def with_clear_overheads(draft: Draft) -> Draft:
    """The same without overheads of the profiler that other work or another overhead overlaps."""
    draft = with_length(draft)
    busy = [row for table in (*CUDA_WORK, *GRAPHICS_WORK) for row in draft.rows[table]]
    clear: list[Row] = []
    for row in draft.rows["PROFILER_OVERHEAD"]:
        if not any(row["start"] < other["end"] and other["start"] < row["end"] for other in (*busy, *clear)):
            clear.append(row)
    draft.rows["PROFILER_OVERHEAD"] = clear
    return draft


def with_distinct_ranges(draft: Draft, kinds: Sequence[int]) -> Draft:
    """The export without ranges of these eventTypes that begin and end with another of their thread.

    nsys finds no place in the tree for any of them, nor for what they enclose; we keep them.
    """
    draft = deepcopy(draft)
    events = draft.rows.get("NVTX_EVENTS", [])
    count = -1
    while count != len(events):  # without a range, those that never end may end earlier, with another
        count = len(events)
        ranges = [row for row in events if row["eventType"] in kinds]
        last = max((row["start"] if row["end"] is None else row["end"] for row in ranges), default=0)
        first = {
            (row["globalTid"], row["start"], last if row["end"] is None else row["end"]): id(row)
            for row in reversed(ranges)
        }
        kept = set(first.values())
        events[:] = [row for row in events if row["eventType"] not in kinds or id(row) in kept]
    return draft


def with_distinct_starts(draft: Draft) -> Draft:
    """The export, where it has many ranges, without those that begin with another of their thread.

    nsys takes one of several that begin last in the order of a tree of its own. It is that of the file,
    as it is here, for as many rows as a leaf of the tree holds.
    """
    draft = deepcopy(draft)
    events = draft.rows.get("NVTX_EVENTS", [])
    if len(events) > FEW:
        starts = {
            (row["globalTid"], row["start"]): row for row in reversed(events) if row["eventType"] in RANGES
        }
        kept = {id(row) for row in starts.values()}
        events[:] = [row for row in events if row["eventType"] not in RANGES or id(row) in kept]
    return draft


def for_its_gaps(draft: Draft) -> Draft:
    """The export as for its other rules, and later: nsys leaves out work that starts before 0."""
    return _later(for_its_rules(with_length(draft)))


def for_its_utilization(draft: Draft) -> Draft:
    """The same with the work of each device laid side by side.

    nsys adds up what runs at one time; we take the time in which anything runs.
    """
    draft = _later(for_its_rules(with_clear_overheads(draft)))
    devices: dict[tuple[str, int, int], list[tuple[str, Row]]] = {}
    for table in (*CUDA_WORK, *GRAPHICS_WORK):
        for row in draft.rows.pop(table, []):
            kind = "CUDA" if table in CUDA_WORK else table
            owner = row.get("globalPid", row.get("globalTid", 0)) >> 24
            devices.setdefault((kind, owner, row.get("deviceId", row.get("gpu"))), []).append((table, row))
    for rows in devices.values():
        _lay_side_by_side(draft, rows)
    return draft


def _later(draft: Draft) -> Draft:
    for table in (*CUDA_WORK, *GRAPHICS_WORK, "PROFILER_OVERHEAD"):
        for row in draft.rows[table]:
            row.update(start=row["start"] + LATER, end=row["end"] + LATER)
    return draft


def _lay_side_by_side(draft: Draft, rows: list[tuple[str, Row]]) -> None:
    """Add the parts of a device's work that nothing before covers, in the context of what ends with them."""
    contexts: dict[int, int | None] = {}
    for _, row in rows:
        contexts.setdefault(row["end"], row.get("contextId"))
    covered = min(row["start"] for _, row in rows)
    for table, row in sorted(rows, key=lambda item: (item[1]["start"], item[1]["end"])):
        start = max(row["start"], covered)
        if start < row["end"]:
            context = {"contextId": contexts[row["end"]]} if "contextId" in row else {}
            draft.add(table, **(row | {"start": start} | context))
        covered = max(covered, row["end"])


def for_us(draft: Draft) -> Draft:
    """The export without whole graphs: we count them as work of the device, nsys doesn't know the table."""
    draft = deepcopy(draft)
    draft.rows.pop("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", None)
    return draft
