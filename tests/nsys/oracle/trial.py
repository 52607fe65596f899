"""One export, both answers to every question, what differs."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path

from tests.nsys.oracle.both import ask_nsys, ask_us
from tests.nsys.oracle.compare import Difference, differences
from tests.nsys.oracle.draft import Draft, Row
from tests.nsys.oracle.meant import RENUMBERED
from tests.nsys.oracle.nvtx_rows import CREATE
from tests.nsys.oracle.questions import REPORTS, RULES, Question
from tui.report.classify import CallClass, call_class

BACKTRACE = 67
"""The eventClass of rows that hold a call's backtrace."""

RANGES = (59, 60, 70, 71)
"""The eventTypes of NVTX ranges."""

LIKELIEST = (
    CallClass.LAUNCH, CallClass.BLOCKING_COPY, CallClass.MEMORY_MANAGEMENT, CallClass.OTHER,
    CallClass.SYNCHRONISATION,
)  # fmt: skip
"""Which of several calls of one id we take for the launch."""


def for_nsys(draft: Draft) -> Draft:
    """The export with what nsys 2023.4 is known to take otherwise than we do put in its words.

    It takes a backtrace for another call and another launch of the same kernels: it gets none. Of several
    calls of one id it makes several launches of each kernel: one of them keeps the id. It prints the bare
    name of a range in the default domain, and of one whose domain has no name: it gets the name that later
    releases print.
    """
    draft = deepcopy(draft)
    calls = draft.rows.get("CUPTI_ACTIVITY_KIND_RUNTIME", [])
    calls[:] = [row for row in calls if row["eventClass"] != BACKTRACE]
    _number_apart(draft, calls)
    _name_in_full(draft)
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
    """Put the domain's part of a name into the name where nsys 2023.4 prints none."""
    events = draft.rows.get("NVTX_EVENTS", [])
    named = {(row["globalTid"] >> 24, row["domainId"]) for row in events if row["eventType"] == CREATE}
    texts = {number: text for text, number in draft.strings.items()}
    for row in events:
        domain = row["domainId"] or 0
        if row["eventType"] in RANGES and (row["globalTid"] >> 24, domain) not in named:
            prefix = f"domain {domain}:" if domain else ":"
            if row["textId"] is not None:
                row["textId"] = draft.string(prefix + texts[row["textId"]])
            if row["text"] is not None or row["textId"] is None:
                row["text"] = prefix + (row["text"] or "")


def for_its_rules(draft: Draft) -> Draft:
    """The same with correlation ids of one process alone: the rules of nsys join on nothing else."""
    draft = for_nsys(draft)
    for table, rows in draft.rows.items():
        if table.startswith("CUPTI_ACTIVITY_KIND_"):
            for row in rows:
                if row.get("correlationId") is not None:
                    row["correlationId"] += (row.get("globalPid") or row["globalTid"]) >> 24 << 24
    return draft


def for_us(draft: Draft) -> Draft:
    """The export without whole graphs: we count them as work of the device, nsys doesn't know the table."""
    draft = deepcopy(draft)
    draft.rows.pop("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", None)
    return draft


def trial(draft: Draft, questions: Sequence[Question] = (*REPORTS, *RULES)) -> list[Difference]:
    """What differs over one export."""
    with tempfile.TemporaryDirectory(prefix="nsystui-nsys-") as temporary:
        folder = Path(temporary)
        theirs = ask_nsys("stats", questions, for_nsys(draft).write(folder / "x.sqlite"), folder / "nsys")
        rules = for_its_rules(draft).write(folder / "rules.sqlite")
        theirs |= ask_nsys("analyze", questions, rules, folder / "nsys")
        (folder / "ours").mkdir()
        ours = ask_us(questions, for_us(draft).write(folder / "ours" / "x.sqlite"), folder / "ours")
    return [
        found for question in questions for found in differences(question, theirs[question], ours[question])
    ]
