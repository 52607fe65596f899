"""An opened report and what the explorer keeps about it: lanes, lookups, gaps, steps."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING

import numpy as np

from tui.analysis.index import Busy, Comm, Index
from tui.analysis.links import Links
from tui.analysis.scope import Scope, Window
from tui.analysis.work_window import work_window
from tui.errors import NothingThere, NsystuiError
from tui.intervals import Coverage
from tui.report import open_report
from tui.report.event_tables import EVENT_TABLES
from tui.report.model import Report
from tui.report.spool import Spool, give_back
from tui.report.store.folder import default_folder
from tui.timeline import kept_lanes as kept
from tui.timeline.extra_building import with_extra_lanes
from tui.timeline.lane import Lane, LaneTree
from tui.timeline.quiet import with_quiet_threads
from tui.timeline.slices import Summary

# What the first frame does not need is imported where it is used.
if TYPE_CHECKING:
    from tui.analysis.busy import DeviceBusy
    from tui.analysis.gaps import DeviceGaps
    from tui.analysis.idle import DeviceIdle, Told
    from tui.analysis.steps import Steps
    from tui.report.progress import Progress
    from tui.timeline.canvas import DeviceTime, GapMarks
    from tui.timeline.ruler import StepMarks


MANY = 2_000_000
"""Lanes are put into files as they are gathered where a report has more events than this."""

Choose = Callable[[Report, Index], Scope]
"""Returns what the command line chose of a report."""


@dataclass(frozen=True)
class GapBook:
    """The gaps of one device over the whole capture, each explained."""

    idle: DeviceIdle
    loading: bool = False
    """Whether the report is still being read: no gap is explained yet."""
    time: DeviceTime | None = None
    """What the device's time is made of."""
    told: Told | None = None
    """What CPU samples and backtraces tell of each row of the blame; None: not asked yet, or nothing."""

    @property
    def gaps(self) -> DeviceGaps:
        return self.idle.gaps

    @cached_property
    def marks(self) -> GapMarks:
        """The gaps as the timeline draws them."""
        from tui.timeline.causes import gap_marks

        return gap_marks(self.idle, self.time, self.told, loading=self.loading)


@dataclass(eq=False)
class Capture:
    """One report, opened. Its lookups serve one thread at a time: see :meth:`lookups`."""

    report: Report
    _index: Index
    tree: LaneTree
    shown: LaneTree
    """The lanes of the chosen devices and processes."""
    home: Window
    """The work window."""
    span: tuple[int, int]
    """Start and end (ns) of everything recorded."""
    scope: Scope
    """What the command line chose: the window that is selected at first, devices, processes."""
    step_name: str | None = None
    """The range that is a step, where the command line says so."""
    lanes_kept: bool = False
    """Whether the lanes are views on the store, or need not be."""
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _measured: dict[Busy, Index] = field(default_factory=dict)
    """Lookups that hold nothing but the devices' busy times, for the screen's thread."""
    _work: Index | None = None
    """The last of these, of this or an earlier stage: nothing is added to it, so any thread may read it."""
    _books: dict[tuple[Busy, int], dict[int, GapBook]] = field(default_factory=dict)
    _told: set[tuple[Busy, int]] = field(default_factory=set)
    _steps: Steps | None = None
    _step_marks: dict[int, StepMarks | None] = field(default_factory=dict)
    _before: Capture | None = None
    """An earlier stage of the import, whose gaps are shown, without reasons, until this one's are known."""

    @contextmanager
    def lookups(self) -> Iterator[Index]:
        """Yield the lookups, once no other thread has them."""
        with self._lock:
            yield self._index

    @contextmanager
    def try_lookups(self, seconds: float) -> Iterator[Index | None]:
        """Yield the lookups; None where another thread has them for more than ``seconds``."""
        if not self._lock.acquire(timeout=seconds):
            yield None
            return
        try:
            yield self._index
        finally:
            self._lock.release()

    def keep_lanes(self, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Put the lanes into the store and draw them from there, which takes no memory, unless ``cancelled``.

        For a thread of its own, once the first frame is drawn; frames may be drawn meanwhile.
        """
        shelf = self.report.shelf
        if self.lanes_kept or shelf is None or cancelled():
            return
        self.lanes_kept = True
        reader = shelf.keep("lanes", kept.MEANING, lambda put: kept.save(self.tree, put), cancelled)
        if reader is not None:
            kept.swap(self.tree, kept.load(reader.facts, reader.get, self.report))
            give_back()

    @property
    def loading(self) -> frozenset[str]:
        """The fields of the report that are still being read."""
        return self.report.loading

    @property
    def links(self) -> Links:
        """The lookups that any thread may make."""
        return self._index.links

    @property
    def steps(self) -> Steps:
        """The training steps, by rule, worked out once."""
        from tui.analysis.steps import find_steps

        with self.lookups() as index:
            if self._steps is None:
                self._steps = find_steps(index, self.step_name, self.scope.processes)
            return self._steps

    @cached_property
    def several_ranks(self) -> bool:
        """Whether more than one process has device work: each is a rank of its own."""
        process = self.report.ops.process
        return bool(len(process)) and bool((process != process[0]).any())

    @property
    def steps_known(self) -> bool:
        """Whether :attr:`steps` has been worked out."""
        return self._steps is not None

    def idle(self, window: Window, busy: Busy, min_gap_ns: int) -> list[DeviceIdle]:
        """Return busy, gaps and blame of every device in a window: what ``nsystui gaps`` prints."""
        if window == self.home:
            return [book.idle for book in self.books(busy, min_gap_ns).values()]
        return self._idle(window, busy, min_gap_ns)

    def _idle(self, window: Window, busy: Busy, min_gap_ns: int) -> list[DeviceIdle]:
        from tui.analysis.idle import IdleChoices, idle_time

        choices, scope = IdleChoices(min_gap_ns=min_gap_ns, busy=busy), self.scope_of(window)
        with self.lookups() as index:
            if self.loading:  # steps and causes would only be right by chance
                return idle_time(index, scope, choices, explained=False).devices
            return idle_time(index, scope, choices, self.steps).devices

    def busy_in(self, window: Window, busy: Busy) -> list[DeviceBusy]:
        """Return how busy each device is in a window, without waiting; nothing before :meth:`books`."""
        from tui.analysis.busy import device_busy

        measured = self._measured.get(busy)
        return [] if measured is None else device_busy(measured, self.scope_of(window), busy)

    def scope_of(self, window: Window) -> Scope:
        """Return the chosen devices and processes over a window."""
        return replace(self.scope, window=window)

    def books(self, busy: Busy, min_gap_ns: int) -> dict[int, GapBook]:
        """Return gaps with their blame, by device index, over the whole capture (worked out once)."""
        from tui.analysis.busy import device_busy

        with self.lookups():
            key = (busy, min_gap_ns)
            if key not in self._books:
                found = self._idle(self.home, busy, min_gap_ns)
                if busy not in self._measured:
                    measured = Index(self.report, self._index.comm, self._index.step)
                    measured.copy_coverage(self._index)
                    measured.copy_accounts(self._index)
                    device_busy(measured, self.scope, busy)  # all that :meth:`busy_in` looks up
                    self._measured[busy] = self._work = measured
                self._books[key] = {
                    idle.gaps.device.index: GapBook(idle, bool(self.loading), self._time(idle, busy))
                    for idle in found
                }
                self._before = None
            return self._books[key]

    def _time(self, idle: DeviceIdle, busy: Busy) -> DeviceTime:
        """Return what a device's time is made of; for whoever holds the lookups."""
        from tui.analysis.accounts import not_idle, unknown
        from tui.timeline.canvas import DeviceTime

        index, of = self._index, (idle.gaps.device.index, idle.gaps.processes)
        return DeviceTime(
            (self.home.start, self.home.end),
            index.coverage(*of, busy),
            not_idle(index, *of, busy),
            unknown(index, *of),
        )

    def books_so_far(self, busy: Busy, min_gap_ns: int) -> dict[int, GapBook]:
        """Return what :meth:`books` has worked out already, else what an earlier stage has, else none."""
        found, before = self._books.get((busy, min_gap_ns)), self._before
        if found is None and before is not None:
            found = before.books_so_far(busy, min_gap_ns)
        return found or {}

    def has_books(self, busy: Busy, min_gap_ns: int) -> bool:
        """Return whether :meth:`books` has been worked out."""
        return (busy, min_gap_ns) in self._books

    def untold(self, busy: Busy, min_gap_ns: int) -> bool:
        """Whether :meth:`tell` has more to say of gaps that have been worked out."""
        from tui.browse.telling import can_tell

        key = (busy, min_gap_ns)
        return key in self._books and key not in self._told and not self.loading and can_tell(self.report)

    def tell(self, busy: Busy, min_gap_ns: int) -> None:
        """Add to the gaps what CPU samples and backtraces tell of them: see :attr:`GapBook.told`."""
        from tui.browse.telling import read, told

        with self.lookups() as index:
            books, key = self.books(busy, min_gap_ns), (busy, min_gap_ns)
            if key not in self._told:
                read(index)
                self._books[key] = {
                    device: replace(book, told=told(index, book.idle)) for device, book in books.items()
                }
                self._told.add(key)

    def come_after(self, before: Capture) -> None:
        """Show the gaps of ``before``, an earlier stage of the import, until they are worked out again."""
        if before.report.devices != self.report.devices:
            return
        self._work = before._work
        if self._work is not None:
            self._index.copy_coverage(self._work)
        # The positions of processes may have moved.
        if before.scope == self.scope and self.scope.processes is None:
            self._before = before

    def step_marks(self, process: int) -> StepMarks | None:
        """Return the steps of a process (-1 or without steps: of the one that has most) for the ruler."""
        steps = self._steps  # the screen's thread must not wait for the lookups
        if steps is None:
            return None
        if not any(s.process == process for s in steps.sequences):
            process = -1
        if process not in self._step_marks:
            from tui.timeline.causes import step_marks

            mine = tuple(s for s in steps.sequences if process in (-1, s.process))
            self._step_marks[process] = step_marks(self.report, replace(steps, sequences=mine))
        return self._step_marks[process]

    def coverages(self, busy: Busy) -> list[Coverage]:
        """Return the busy time of every device whose lanes are loaded, for the map, without waiting.

        What counts as busy comes from the gaps once they are known; until then kernels stand for compute.
        """
        known = next((books for (kind, _), books in list(self._books.items()) if kind is busy), {})
        found = []
        for root in self.shown.roots:
            if root.device < 0 or not root.loaded or (summary := root.summary) is None:
                continue
            book = known.get(root.device)
            if book is not None and book.time is not None:
                found.append(book.time.busy)
            else:
                found.append(summary.busy if busy is Busy.ALL else summary.kernels)
        return found


def open_capture(
    path: Path,
    *,
    cache_dir: Path | None = None,
    use_store: bool = True,
    use_nsys: bool = False,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    choose: Choose | None = None,
    step_name: str | None = None,
    comm: str = "class",
    partial: Callable[[Capture], None] | None = None,
) -> Capture:
    """Open the report at ``path`` and lay out its lanes. Raises ReportError where it can't be read.

    ``choose`` narrows what is shown (default: everything); its UsageError and NothingThere are raised too.
    ``partial`` gets what has been read after each stage of an import.
    """
    before: Capture | None = None

    def part(report: Report) -> None:
        nonlocal before
        if partial is not None and report.span is not None:
            before = capture_of(report, choose, step_name, comm=comm, before=before, spool=spool)
            partial(before)

    with Spool(_spool_folder(cache_dir, use_store)) as spool:
        report = open_report(
            path,
            cache_dir=cache_dir,
            use_store=use_store,
            use_nsys=use_nsys,
            progress=progress,
            cancelled=cancelled,
            partial=None if partial is None else part,
        )
        return capture_of(report, choose, step_name, comm=comm, before=before, spool=spool)


def _spool_folder(cache_dir: Path | None, use_store: bool) -> Path:
    """Return where lanes too large for memory go: to the store's disk, unless it can't be written to."""
    folder = (cache_dir or default_folder()) if use_store else Path(gettempdir())
    return folder if os.access(folder, os.W_OK | os.X_OK) else Path(gettempdir())


def capture_of(
    report: Report,
    choose: Choose | None = None,
    step_name: str | None = None,
    *,
    comm: str = "class",
    before: Capture | None = None,
    spool: Spool | None = None,
) -> Capture:
    """Return the lanes and lookups of an opened report.

    The lanes of ``before``, an earlier stage of the import, are used again; ``spool`` keeps large ones.
    """
    index = Index(report, Comm(comm), step_name)
    try:
        home = _kept_window(index)
    except NothingThere:
        home = Window(0, 1, "empty capture")
    low, high = report.span or (0, 1)
    span = min(low, home.start), max(high, home.end)
    scope = _chosen(report, index, choose, home)
    shelf = report.shelf
    reader = None if shelf is None else shelf.find("lanes", kept.MEANING)
    if reader is not None:
        tree = kept.load(reader.facts, reader.get, report)
    else:
        tree = _gathered_lanes(report, before, spool)
    tree = with_extra_lanes(tree, report)
    for root in tree.roots:
        if root.loaded and root.summary is not None:
            index.set_busy(root.device, root.summary.busy)
    shown = with_quiet_threads(chosen_lanes(tree, index, scope), (home.start, home.end))
    capture = Capture(report, index, tree, shown, home, span, scope, step_name, reader is not None)
    if before is not None:
        capture.come_after(before)
    return capture


_WINDOW_MEANING = 1
"""Goes up whenever the rule for the work window changes."""


def _kept_window(index: Index) -> Window:
    """Return the work window. Where it follows from the report alone, the store keeps it."""
    shelf = index.report.shelf
    if shelf is None or index.step is not None or index.report.loading:
        return work_window(index)
    reader = shelf.find("window", _WINDOW_MEANING)
    if reader is None:
        found = work_window(index)
        facts = {"start": found.start, "end": found.end, "label": found.label}
        shelf.keep("window", _WINDOW_MEANING, lambda put: facts, lambda: False)
        return found
    return index.once("work window", lambda: Window(**reader.facts))


def _chosen(report: Report, index: Index, choose: Choose | None, home: Window) -> Scope:
    """Return what the command line chose; everything where a report that is still read lacks it."""
    if choose is None:
        return Scope(home)
    try:
        return choose(report, index)
    except NsystuiError:
        if report.loading:
            return Scope(home)
        raise


def _gathered_lanes(report: Report, before: Capture | None, spool: Spool | None) -> LaneTree:
    from tui.timeline.lane_building import build_lanes

    tree = build_lanes(report)
    if before is not None and before.report.devices == report.devices:
        kept.hand_over(before.tree, tree)
    if spool is not None and sum(len(table.of(report)) for table in EVENT_TABLES) > MANY:
        with suppress(OSError):  # no room on the disk: then in memory
            for lane in tree.walk():
                if lane.ready and not lane.loaded:
                    lane.take(kept.settled(lane.load(), spool.keep))
    tree.lines(tree.folded_first)  # gathers what the first frame shows, off the screen's thread
    return tree


def chosen_lanes(tree: LaneTree, index: Index, scope: Scope) -> LaneTree:
    """Return the lanes of the devices and processes in ``scope``."""
    if scope.devices is None and scope.processes is None:
        return tree
    roots = []
    for root in tree.roots:
        if root.device >= 0:
            if scope.devices is None or root.device in scope.devices:
                roots.append(root if scope.processes is None else _of_processes(root, index, scope.processes))
        elif scope.processes is None or root.process in (-1, *scope.processes):
            roots.append(root)
    return LaneTree(tuple(root for root in roots if root is not None), tree.catalogue, tree.folded_first)


def _of_processes(root: Lane, index: Index, processes: tuple[int, ...]) -> Lane | None:
    """Return a device's lanes with the work of these processes only; None where they have none on it."""
    busy = index.coverage(root.device, processes, Busy.ALL)
    if not len(busy):
        return None
    kernels = index.coverage(root.device, processes, Busy.KERNELS)
    none = np.zeros(0, np.int64)
    children = tuple(child for child in root.children if child.process in (-1, *processes))
    lane = replace(root, children=children)
    lane.take((Summary(busy, kernels, none, none.astype(np.intp)),))
    return lane
