"""One export, both answers to every question, what differs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.nsys.oracle import wording
from tests.nsys.oracle.both import ask_nsys, ask_us
from tests.nsys.oracle.compare import Difference, differences
from tests.nsys.oracle.draft import Draft
from tests.nsys.oracle.questions import REPORTS, RULES, Question

IDLE_RULES = ("gpu_gaps", "gpu_time_util")
TREES = {
    ("nvtx_pushpop_trace",): wording.PUSH_POP,
    ("nvtx_gpu_proj_trace", "nvtx_gpu_proj_sum"): wording.RANGES,
}
"""The reports that nest ranges, and the ranges that each nests."""


def trial(draft: Draft, questions: Sequence[Question] = (*REPORTS, *RULES)) -> list[Difference]:
    """What differs over one export."""
    ours, theirs = {}, {}
    with tempfile.TemporaryDirectory(prefix="nsystui-nsys-") as temporary:
        for number, (asked, for_nsys, for_us) in enumerate(WAYS):
            folder = Path(temporary) / str(number)
            chosen = [question for question in questions if asked(question)]
            if chosen:
                (folder / "ours").mkdir(parents=True)
                theirs |= ask_nsys(chosen, for_nsys(draft).write(folder / "x.sqlite"), folder / "nsys")
                ours |= ask_us(chosen, for_us(draft).write(folder / "ours" / "x.sqlite"), folder / "ours")
    return [
        found for question in questions for found in differences(question, theirs[question], ours[question])
    ]


def named(question: Question) -> bool:
    """Whether the names of kernels begin with the range's own, without its domain."""
    return ":nvtx-name" in question.ours


Change = Callable[[Draft], Draft]
WAYS: tuple[tuple[Callable[[Question], bool], Change, Change], ...] = (
    (
        lambda question: (
            question.command == "stats"
            and not any(question.report in reports for reports in TREES)
            and not named(question)
        ),
        wording.for_nsys,
        wording.for_us,
    ),
    (
        named,
        lambda draft: wording.with_plain_calls(wording.with_distinct_starts(draft)),
        lambda draft: wording.for_us(wording.with_distinct_starts(draft)),
    ),
    *(
        (
            lambda question, reports=reports: question.report in reports,
            lambda draft, kinds=kinds: wording.for_nsys(wording.with_distinct_ranges(draft, kinds)),
            lambda draft, kinds=kinds: wording.for_us(wording.with_distinct_ranges(draft, kinds)),
        )
        for reports, kinds in TREES.items()
    ),
    (
        lambda question: question.command == "analyze" and question.report not in IDLE_RULES,
        wording.for_its_rules,
        wording.for_us,
    ),
    (
        lambda question: question.report == "gpu_gaps",
        wording.for_its_gaps,
        lambda draft: wording.for_us(wording.with_length(draft)),
    ),
    (
        lambda question: question.report == "gpu_time_util",
        wording.for_its_utilization,
        lambda draft: wording.for_us(wording.with_clear_overheads(draft)),
    ),
)
"""Which questions are asked about which wording of the export: nsys's, ours."""
