"""One seed: an export, both answers to every question, what differs."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.nsys.both import ask_nsys, ask_us
from tests.nsys.compare import Difference, differences
from tests.nsys.draft import Draft
from tests.nsys.generate import export
from tests.nsys.questions import REPORTS, RULES, Question

BACKTRACE = 67
"""The eventClass of rows that hold a call's backtrace."""


def for_nsys(draft: Draft) -> Draft:
    """The export without backtraces: nsys takes such a row for another call, and for another launch."""
    rows = draft.rows.get("CUPTI_ACTIVITY_KIND_RUNTIME", [])
    rows[:] = [row for row in rows if row["eventClass"] != BACKTRACE]
    return draft


def for_us(draft: Draft) -> Draft:
    """The export without whole graphs: we count them as work of the device, nsys doesn't know the table."""
    draft.rows.pop("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", None)
    return draft


def trial(seed: int, questions: Sequence[Question] = (*REPORTS, *RULES)) -> Iterator[Difference]:
    """What differs over the export of `seed`."""
    with tempfile.TemporaryDirectory(prefix="nsystui-nsys-") as temporary:
        folder = Path(temporary)
        theirs = ask_nsys(questions, for_nsys(export(seed)).write(folder / "x.sqlite"), folder / "nsys")
        (folder / "ours").mkdir()
        ours = ask_us(questions, for_us(export(seed)).write(folder / "ours" / "x.sqlite"), folder / "ours")
        for question in questions:
            yield from differences(question, theirs[question], ours[question])
        shutil.rmtree(folder / "ours")
