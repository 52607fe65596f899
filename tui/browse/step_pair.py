"""Two steps side by side: one is marked, another compared with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tui.browse.background import Background
from tui.browse.capture import Capture
from tui.browse.part import Part
from tui.browse.state import Browse
from tui.text import safe
from tui.text.cells import wrapped
from tui.text.times import brief
from tui.timeline.runs import Line, Run

if TYPE_CHECKING:
    from tui.ranks.step_pair import StepPair
    from tui.ranks.summary import RankSummary

STEPS = "steps"
"""The kind of the jobs."""
_MOST = 20
"""Rows of a table; the rest is one row."""
_FIGURES = 46
"""Cells before a name."""


class Row(NamedTuple):
    """One row of a table."""

    name: str
    before: int
    after: int
    calls: str = ""


class Section(NamedTuple):
    """A table that adds up, or the line that says why there is none."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Compared:
    """Two steps and where they differ."""

    title: str
    sections: tuple[Section, ...]

    def lines(self, room: int) -> list[Line]:
        """Draw it in ``room`` cells, names in full."""
        found: list[Line] = []
        for section in self.sections:
            if found:
                found.append([])
            found.append([Run(f" {section.title}", "pane.name")])
            if section.rows:
                head = f" {'delta':>10} {'before':>9} {'after':>9} {'calls':>14}"
                found.append([Run(head, "pane.dim")])
            for row in section.rows:
                figures = (
                    f" {_signed(row.after - row.before):>10} {brief(row.before):>9} {brief(row.after):>9}"
                )
                for k, piece in enumerate(wrapped(row.name, max(12, room - _FIGURES - 2))):
                    lead = f"{figures} {row.calls:>14}  " if k == 0 else " " * (_FIGURES + 2)
                    found.append([Run(f"{lead}{piece}", "pane")])
        return found

    @property
    def text(self) -> str:
        """For the clipboard: columns divided by tabs, times in nanoseconds."""
        lines = [self.title]
        for title, rows in self.sections:
            lines += [
                "",
                title,
                *(f"{r.after - r.before}\t{r.before}\t{r.after}\t{r.calls}\t{r.name}" for r in rows),
            ]
        return "\n".join(lines) + "\n"


class _Step(NamedTuple):
    capture: Capture
    start: int
    name: str


class StepComparer(Part):
    """Marks the step under the cursor; on another one, works out where both differ."""

    def __init__(self, browse: Browse, background: Background) -> None:
        super().__init__(browse)
        self._background = background
        self._marked: _Step | None = None

    def mark(self) -> None:
        """Mark the step under the cursor, or compare it with the marked one."""
        step = self._step_here()
        if step is None:
            return
        marked = self._marked
        if marked is None or marked.capture is not step.capture:
            self._marked = step
            self.say(f"{step.name} is marked: C on another step compares both")
        elif marked.start == step.start:
            self._marked = None
            self.say(f"{step.name} is no longer marked")
        else:
            self._marked = None
            self.say(f"comparing {marked.name} with {step.name} ...")
            self._background.run(STEPS, (marked.start, step.start), partial(_work, marked, step))

    def _step_here(self) -> _Step | None:
        capture, time = self.capture, self.view.cursor
        if capture.loading:
            self.say("the report is still loading: steps can be compared once it is whole")
            return None
        marks = capture.step_marks(self.browse.process)
        if marks is None or not len(marks.start):
            self.say("no steps found in this report" if capture.steps_known else "still looking for steps")
            return None
        at = int(np.searchsorted(marks.start, time, "right")) - 1
        if at < 0 or time > int(marks.end[at]):
            self.say("no step under the cursor: ] goes to the next")
            return None
        return _Step(capture, int(marks.start[at]), safe(marks.name(at)))


def _work(marked: _Step, step: _Step, dropped: Event) -> Compared | str:
    """Compare two steps of a report; words where they are not those of one process."""
    from tui.ranks.step_pair import compare_steps
    from tui.ranks.summarise import summarise

    with marked.capture.lookups() as index:
        summary = index.once("ranks of the report", lambda: summarise(index))
        for rank in summary.ranks:
            places = [_place(rank, one.start) for one in (marked, step)]
            if None not in places:
                pair = compare_steps(index, rank, *places)  # type: ignore[arg-type]
                return Compared(f"{marked.name} against {step.name}", tuple(_sections(pair, rank)))
    return f"{marked.name} and {step.name} are not steps of one process"


def _place(rank: RankSummary, start: int) -> int | None:
    found = np.flatnonzero(rank.steps.start == start)
    return int(found[0]) if len(found) else None


def _sections(pair: StepPair, rank: RankSummary) -> Iterator[Section]:
    from tui.ranks.change_words import kernel_name, reason_text
    from tui.ranks.part_words import part_words
    from tui.report.kernels.short_names import short_names

    explained, host_only = pair.explained, rank.host_only
    parts = [Row(part_words(r.what, host_only=host_only), r.before, r.after) for r in explained.step.rows]
    total = explained.step.total
    yield Section("What the step went into", (*parts, Row("step", total.before, total.after)))
    if pair.kernels is None:
        yield Section("No kernels in either step", ())
    else:
        rows = pair.kernels.kernels
        short = short_names(name for r in rows for name in (r.before_name, r.after_name) if name)
        kernels = [
            Row(
                safe(kernel_name(r, short)),
                r.before,
                r.after,
                "" if r.calls_before is None else f"{int(r.calls_before):,} -> {int(r.calls_after or 0):,}",
            )
            for r in rows
        ]
        yield Section("Kernels, summed time and calls", _most(kernels))
    if explained.idle.rows:
        idle = [Row(safe(reason_text(r.what)), r.before, r.after) for r in explained.idle.rows]
        yield Section("Idle time by cause", _most(idle))
    if explained.phases.rows:
        phases = [Row(safe(r.what or "outside phases"), r.before, r.after) for r in explained.phases.rows]
        yield Section("Host code outside MPI by phase" if host_only else "Host time by phase", _most(phases))


def _most(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the first rows, the others summed up, and the total."""
    shown, rest = rows[:_MOST], rows[_MOST:]
    if len(rest) == 1:
        shown, rest = rows, []

    def together(name: str, of: Sequence[Row]) -> Row:
        return Row(name, sum(row.before for row in of), sum(row.after for row in of))

    more = [together(f"{len(rest):,} more", rest)] if rest else []
    return (*shown, *more, together("together", rows))


def _signed(ns: int) -> str:
    return f"{'+' if ns > 0 else ''}{brief(ns)}"
