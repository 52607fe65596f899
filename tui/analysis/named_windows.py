"""Windows named by what is in the report: steps, ranges, gaps. UsageError or NothingThere without it."""

from __future__ import annotations

import re

import numpy as np

from tui.analysis.gaps import numbered_gaps, numbering_threshold
from tui.analysis.index import Busy, Index
from tui.analysis.scope import Window, bounds_text, chosen_window, noted
from tui.analysis.steps import Steps, StepSequence, find_steps, named_ranges
from tui.errors import NothingThere, UsageError
from tui.text.times import show_limit

_STEPS = re.compile(r"(\d+)(\.\.(\d*))?")
_COUNTED = re.compile(r"(.+)#(\d+)", re.DOTALL)


def step_window(index: Index, processes: tuple[int, ...] | None, numbers: str, name: str | None) -> Window:
    """``step:3..5``: of the first of these processes that has steps, named ``name`` where it is given."""
    match = _STEPS.fullmatch(numbers)
    if not match:
        raise UsageError(f"step:{numbers} is no step such as step:3, step:3..5 or step:3..")
    first = int(match[1])
    named_last = int(match[3] or 0) if match[2] else first
    if match[3] and first > named_last:
        raise UsageError(f"step:{numbers} ends before it starts")
    steps = find_steps(index, name, processes)
    if not steps:
        hint = f"no range is called {name!r}" if name else "name one with --step"
        raise NothingThere(f"no steps found; {hint}")
    sequence = steps.sequences[0]
    last = named_last or max(first, len(sequence))
    if not 1 <= first <= last <= len(sequence):
        raise UsageError(_no_such_step(index, steps, sequence, numbers))
    label = f"step {first}" if first == last else f"steps {first} to {last}"
    note = None
    if len(steps.sequences) > 1:
        pid = index.report.processes[sequence.process].pid
        note = f"{label} is that of process {pid}; choose another with --process"
    names = list(dict.fromkeys(_step_name(index, sequence, k - 1) for k in (first, last)))
    start, end = int(sequence.start[first - 1]), int(sequence.end[last - 1])
    window = chosen_window(index.report, start, end, f"{label} ({' to '.join(names)})")
    return noted(window, note)


def _step_name(index: Index, sequence: StepSequence, step: int) -> str:
    """The recorded name of a step's range."""
    place = int(sequence.ranges[step])
    return str(index.report.strings[int(index.report.ranges.name[place])])


def _no_such_step(index: Index, steps: Steps, sequence: StepSequence, numbers: str) -> str:
    """Say which steps there are, and how a step is asked for by the number in its name."""
    there = f"step:{numbers}: there are steps 1 to {len(sequence)}"
    first, last = _step_name(index, sequence, 0), _step_name(index, sequence, len(sequence) - 1)
    if first == last:
        return f"{there} ({steps.name})"
    return f"{there}, {first!r} to {last!r}; by its name a step is nvtx:NAME, such as nvtx:{last}"


def range_window(index: Index, processes: tuple[int, ...] | None, name: str) -> Window:
    """``nvtx:NAME#2``: a range of these processes."""
    ranges = index.report.ranges
    own = np.arange(len(ranges))
    if processes is not None and len(own):
        own = own[np.isin(index.process_of_thread[ranges.thread], processes)]
    found, _ = named_ranges(index, own, name)
    number = 1
    counted = _COUNTED.fullmatch(name)
    if not len(found) and counted:
        name, number = counted[1], int(counted[2])
        found, _ = named_ranges(index, own, name)
    if not len(found):
        raise NothingThere(f"no NVTX range is called {name!r}")
    if not 1 <= number <= len(found):
        raise UsageError(f"nvtx:{name}#{number}: there are ranges 1 to {len(found)} of that name")
    chosen = int(found[number - 1])
    note = None
    if len(found) > 1 and not counted:
        note = f"{name!r} is the first of {len(found)} ranges; nvtx:{name}#2 is the next"
    start, end = int(ranges.start[chosen]), int(ranges.end[chosen])
    label = f"nvtx:{name}" if len(found) == 1 else f"nvtx:{name}#{number}"
    if start == end:
        raise UsageError(f"range {label} has no length; {bounds_text(index.report)}")
    return noted(chosen_window(index.report, start, end, label), note)


def gap_window(index: Index, number: str, min_gap_ns: int, busy: Busy) -> Window:
    """``gap:4``: a gap of at least ``min_gap_ns`` between what ``busy`` names."""
    if not number.isdecimal():
        raise UsageError(f"gap:{number} is no gap such as gap:1")
    wanted, total = int(number), 0
    for gaps in numbered_gaps(index, min_gap_ns, busy).values():
        total += len(gaps)
        if gaps.first <= wanted <= total:
            i = wanted - gaps.first
            label = f"gap {wanted} (GPU {gaps.device.cuda_id})"
            return chosen_window(index.report, int(gaps.start[i]), int(gaps.end[i]), label)
    least = f"at least {show_limit(numbering_threshold(min_gap_ns))}"
    if not total:
        raise NothingThere(f"gap:{number}: the report has no gap of {least}")
    raise UsageError(f"gap:{number}: there are gaps 1 to {total} of {least}")
