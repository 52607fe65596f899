"""Which NVTX range is a training step, and its instances: one sequence a process.

Steps are the instances of one repeated outer range on one thread; a start/end range may end on another.
Names that differ only by a counter count as one name, names that say step also where any of their numbers
differ (`step[bs=1]`, `step[bs=2]`), and an instance inside another is no step. The range must account for
most of its thread's time in ranges or for most of the process's launches. A name that says step, iteration
or batch needs less evidence. Any other must also have no peers that repeat about as often, since these are
the phases of a step. Of several such ranges the outermost is the step.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tui.analysis.grouping import by_text, group_rows
from tui.analysis.index import Index, Processes
from tui.errors import UsageError
from tui.intervals import Coverage
from tui.report.columns import Bool, Int64, Positions, distinct_values
from tui.text.labels import common_name, starred

# Plain texts: most commands import this and look for no step.
_STEP_WORD = r"(?<![a-z])(step|steps|iter|iteration|batch|minibatch|\w*trainstep|profilerstep)(?![a-z])"
_NOT_A_STEP = (
    r"(?<![a-z])(optim\w*|opt|scheduler|lr|load\w*|fetch\w*|wait|get|next|copy|prefetch\w*|zero)(?![a-z])"
)
_CAMEL = r"(?<=[a-z])(?=[A-Z])"

# How much of its thread's range time, and of its process's launches, a step must account for.
_NAMED_SHARE = 0.5
_TIME_SHARE = 2 / 3
_WORK_SHARE = 0.5
_NAMED_COUNT = 2
_COUNT = 3
_DEEPEST_LEVEL = 8


@dataclass(frozen=True)
class StepSequence:
    """The steps of one process, by start."""

    process: int
    thread: int
    """Position in ``Report.threads``; -1 for a guess."""
    ranges: Int64
    """Positions in ``Report.ranges``; all -1 for a guess."""
    start: Int64
    end: Int64
    on_device: bool = False
    """True for a guess from kernels: starts and ends are moments of the device, not of a thread."""

    def __len__(self) -> int:
        return len(self.ranges)

    def unfinished(self, never_closed: Bool) -> Bool:
        """Return which steps were never closed; of a guess the last one. ``never_closed``: of all ranges."""
        last: Bool = np.arange(len(self)) == len(self) - 1
        never: Bool = last if self.on_device else never_closed[self.ranges]
        return never

    def usual_ns(self, never_closed: Bool) -> float | None:
        """Return the median duration of the finished steps, whatever the window; None for none."""
        finished = ~self.unfinished(never_closed)
        durations = (self.end - self.start)[finished]
        return float(np.median(durations)) if len(durations) else None


@dataclass(frozen=True)
class Steps:
    """What a step is in this report. Without any sequence: no steps found."""

    name: str | None
    """The range's name (numbered names: without the number, or `*` for it); None: no steps."""
    how: str
    """How the name was found, in words."""
    sequences: tuple[StepSequence, ...]

    def __bool__(self) -> bool:
        return bool(self.sequences)

    def mask(self, ranges: int) -> Bool:
        """Which of the report's ``ranges`` ranges are steps."""
        steps = np.zeros(ranges, bool)
        for sequence in self.sequences:
            steps[sequence.ranges[sequence.ranges >= 0]] = True
        return steps


NO_STEPS = Steps(None, "no steps found", ())


def find_steps(index: Index, name: str | None = None, processes: Processes = None) -> Steps:
    """The steps of every process (or those given): by rule, or the ranges called ``name``.

    Without ``name`` the index may have one.
    ``name`` is a range's whole name, else its name without a counter, else a regular expression
    (found anywhere in the name). UsageError where it is no valid one. The index keeps the result.
    """
    name = index.step if name is None else name
    return index.once(("steps", name, processes), lambda: _find_steps(index, name, processes))


def _find_steps(index: Index, name: str | None, processes: Processes) -> Steps:
    own = index.owned_ranges
    if processes is not None and len(own):
        own = own[np.isin(index.process_of_thread[index.report.ranges.thread[own]], processes)]
    if len(own) == 0:
        return NO_STEPS
    if name is None:
        return _by_rule(index, own)
    found, how = named_ranges(index, own, name)
    return Steps(name, how if len(found) else "no range of that name", _sequences(index, found))


def named_ranges(index: Index, own: Positions, name: str) -> tuple[Positions, str]:
    """(those of the ranges ``own`` that ``name`` means, how): exactly, by label or by regex."""
    names = index.report.ranges.name[own]
    texts = [(i, index.report.strings[i]) for i in distinct_values(names).tolist()]
    exact = [i for i, text in texts if text == name]
    if exact:
        return own[np.isin(names, exact)], "the range of that name"
    same_label = [i for i, _ in texts if index.labels[i] == name]
    if same_label:
        return own[np.isin(names, same_label)], "ranges of that name and a counter"
    same_but_numbers = _by_star(index, texts).get(name)
    if same_but_numbers is not None:
        return own[np.isin(names, same_but_numbers)], "ranges of that name, whatever its numbers"
    try:
        pattern = re.compile(name)
    except re.error as error:
        raise UsageError(f"{name!r} names no range and is no regular expression: {error}") from None
    matching = [i for i, text in texts if pattern.search(text)]
    return own[np.isin(names, matching)], "ranges that match the expression"


def _by_star(index: Index, texts: list[tuple[int, str]]) -> dict[str, list[int]]:
    """The (position, name) pairs by what names that differ in numbers have in common, and by all stars."""
    groups: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for place, text in texts:
        groups[starred(text)].append((place, text))
    found: dict[str, list[int]] = {}
    for star, members in groups.items():
        places = [place for place, _ in members]
        found[star] = places
        found.setdefault(common_name([text for _, text in members]), places)
    return found


def _sequences(index: Index, found: Positions) -> tuple[StepSequence, ...]:
    """One sequence a process: the thread on which these ranges last longest."""
    ranges = index.report.ranges
    best: dict[int, tuple[int, StepSequence]] = {}
    for thread in distinct_values(ranges.thread[found]).tolist():
        mine = outer_instances(index, found[ranges.thread[found] == thread])
        start, end = ranges.start[mine], ranges.end[mine]
        total_ns = int((end - start).sum())
        process = index.report.threads[thread].process
        if process not in best or total_ns > best[process][0]:
            best[process] = total_ns, StepSequence(process, thread, mine.astype(np.int64), start, end)
    return tuple(best[process][1] for process in sorted(best))


def outer_instances(index: Index, found: Positions) -> Positions:
    """Ranges of one thread without those inside another of them, by start."""
    ranges = index.report.ranges
    found = found[np.lexsort((-ranges.end[found], ranges.start[found]))]
    end = ranges.end[found]
    outer = np.ones(len(found), bool)
    outer[1:] = end[1:] > np.maximum.accumulate(end)[:-1]
    return found[outer]


@dataclass(frozen=True)
class _Candidate:
    label: str
    named: bool
    """The name says that it is a step."""
    level: int
    total_ns: int


def _by_rule(index: Index, own: Positions) -> Steps:
    ranges = index.report.ranges
    candidates: list[_Candidate] = []
    for thread in distinct_values(ranges.thread[own]).tolist():
        candidates += _candidates(index, own[ranges.thread[own] == thread], thread)
    if not candidates:
        return NO_STEPS
    chosen = min(candidates, key=lambda c: (not c.named, c.level, -c.total_ns, c.label))
    key = _step_key(index)
    names = [n for n in distinct_values(ranges.name[own]).tolist() if key(n) == chosen.label]
    how = "the outermost repeated range that the work happens in"
    return Steps(_step_words(index, names), how, _sequences(index, own[np.isin(ranges.name[own], names)]))


def _step_key(index: Index) -> Callable[[int], str]:
    """What ranges of one kind of step have in common, by the position of their name.

    Names that say step are alike but for their numbers; others, such as those of layers, but for a counter.
    """

    def key(name: int) -> str:
        found = index.labels[name]
        return starred(found) if is_step_label(found) else found

    return key


def _step_words(index: Index, names: list[int]) -> str:
    """What the steps of these names are called: their label, if they have one in common."""
    labels = {index.labels[n] for n in names}
    return labels.pop() if len(labels) == 1 else common_name(sorted(labels))


def _candidates(index: Index, own: Positions, thread: int) -> list[_Candidate]:
    """Ranges of one thread that could be its steps."""
    ranges = index.report.ranges
    in_ranges = Coverage(ranges.start[own], ranges.end[own]).total
    process = index.report.threads[thread].process
    launches = index.launch_times(process)
    by_thread = index.launch_times(process, thread)
    level = ranges.level[own]
    found: list[_Candidate] = []
    for depth in range(min(int(level.max()), _DEEPEST_LEVEL) + 1):
        at_depth = own[level == depth]
        total_ns = int((ranges.end[at_depth] - ranges.start[at_depth]).sum())
        if total_ns < _NAMED_SHARE * in_ranges and not len(launches):
            break  # no range at this depth or below can account for enough
        groups = _by_label(index, at_depth)
        for label, members in groups:
            candidate = _candidate(index, label, members, depth, in_ranges, launches, by_thread)
            if candidate is not None and (candidate.named or not _has_peers(label, groups)):
                found.append(candidate)
    return found


def _by_label(index: Index, found: Positions) -> list[tuple[str, Positions]]:
    """The ranges grouped by label, groups of at least two."""
    groups, labels = by_text(index.report.ranges.name[found], _step_key(index))
    rows = zip(labels, group_rows(groups, len(labels)), strict=True)
    return [(label, found[mine]) for label, mine in rows if len(mine) >= _NAMED_COUNT]


def _has_peers(label: str, groups: list[tuple[str, Positions]]) -> bool:
    """Whether other ranges repeat beside these about as often: then all of them are phases of a step."""
    own = len(dict(groups)[label])
    return any(2 * len(members) >= own for name, members in groups if name != label)


def _candidate(
    index: Index,
    label: str,
    members: Positions,
    depth: int,
    in_ranges: int,
    launches: Int64,
    by_thread: Int64,
) -> _Candidate | None:
    """The candidate that ranges of one label are; None where they account for too little to be steps."""
    ranges = index.report.ranges
    named = is_step_label(label)
    least = _NAMED_COUNT if named else _COUNT
    if len(members) < least or len(members := outer_instances(index, members)) < least:
        return None
    inside = Coverage(ranges.start[members], ranges.end[members])
    time_share = inside.total / in_ranges if in_ranges else 0.0
    if named:
        enough = time_share >= _NAMED_SHARE or _share_inside(launches, inside) >= _WORK_SHARE
    else:
        works = not len(launches) or (
            _share_inside(launches, inside) >= _WORK_SHARE and _share_inside(by_thread, inside) > 0
        )
        enough = time_share >= _TIME_SHARE and works
    return _Candidate(label, named, depth, inside.total) if enough else None


def _share_inside(times: Int64, inside: Coverage) -> float:
    """The share of the sorted ``times`` that lies in covered time."""
    if not len(times):
        return 0.0
    first = np.searchsorted(times, inside.start, "left")
    last = np.searchsorted(times, inside.end, "left")
    return float((last - first).sum()) / len(times)


def is_step_label(label: str) -> bool:
    """Whether a label names a step, an iteration or a batch, and not a part of one."""
    words = re.sub(_CAMEL, " ", label).replace("_", " ")
    return bool(re.search(_STEP_WORD, words, re.IGNORECASE)) and not re.search(
        _NOT_A_STEP, words, re.IGNORECASE
    )
