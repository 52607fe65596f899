"""From a kernel to its launch and back, from a range to the work that it launched; both ends in sight."""

from __future__ import annotations

from tui.browse.details import LOOKUPS_S, name_of, span_of
from tui.browse.jumps import Jumps
from tui.browse.neighbours import caused_tables, linked
from tui.browse.part import Part
from tui.browse.state import Browse
from tui.report.columns import distinct_values
from tui.report.event_tables import table_named
from tui.report.event_tables.event_table import Phase
from tui.text import safe
from tui.text.cells import squeeze
from tui.text.numbers import plural
from tui.text.times import brief, exact
from tui.timeline.hits import locate
from tui.timeline.link_line import Link
from tui.timeline.slices import SliceId


class Linker(Part):
    """Remembers from which range it came to a device."""

    def __init__(self, browse: Browse, jumps: Jumps) -> None:
        super().__init__(browse)
        self._jumps = jumps
        self._came: tuple[SliceId, SliceId] | None = None
        """(the op that it went to, the range that launched it)."""

    def follow(self) -> None:
        """Go from an op to its launch or back, from a range to the first op that it launched or back."""
        target = self.browse.target
        event = target.slice_id if target is not None else None
        if event is None:
            self.say("c goes from a kernel, copy or NVTX range to its other end: put the cursor on one")
        elif self._came is not None and self._came[0] == event:
            self._to_range(*self._came)
        elif table_named(event.table).phase is Phase.IS_ONE:
            self._from_range(event)
        elif table_named(event.table).cause or caused_tables(event.table):
            self._launch(event)
        else:
            self.say("c goes from a kernel, copy or NVTX range to its other end: put the cursor on one")

    # Launches ------------------------------------------------------------------------------

    def _launch(self, event: SliceId) -> None:
        capture = self.capture
        self._came = None
        ends = linked(capture.links, event)
        if ends:
            pair = (ends[0], event) if table_named(event.table).cause else (event, ends[0])
            self._show(ends[0], pair[0], pair[1])
            if len(ends) > 1:
                self.say(f"the first of {len(ends)} ops that this call issued · {self.browse.message}")
        elif cause := table_named(event.table).cause:
            waits = cause in capture.loading
            self.say("CUDA calls are still loading" if waits else "its launch was not recorded")
        else:
            self.say("this call issued no recorded device work")

    def _show(self, to: SliceId, call: SliceId, op: SliceId) -> None:
        """Go to one end of a link, with both in sight."""
        view, report = self.view, self.capture.report
        began, returned = span_of(report, call)
        started, ended = span_of(report, op)
        self._frame(min(began, started), max(returned, ended))
        place = locate(self.capture.shown, op)
        self._jumps.go_slice(to)
        view.link = Link(call, op, returned, started, place[0].key if place is not None else "")
        if started >= returned:
            how = f"queued {exact(started - returned)}"
        else:
            how = f"the op starts {exact(returned - started)} before it returns"
        name = squeeze(safe(name_of(report, to)), 40, self.browse.drawing.glyphs.ellipsis)
        self.say(f"{name} · call {exact(returned - began)} · {how} · op {exact(ended - started)}")

    def _frame(self, start: int, end: int) -> None:
        """Frame both ends where one of them is off the screen."""
        view = self.view
        if not (view.viewport.shows(start, view.cells) and view.viewport.shows(end, view.cells)):
            view.fit(start, end)

    # Ranges --------------------------------------------------------------------------------

    def _from_range(self, event: SliceId) -> None:
        """Go to the device work that a range launched."""
        from tui.analysis.range_work import launched_in

        capture = self.capture
        report, ops = capture.report, capture.report.ops
        if {"ops", "calls"} & capture.loading:
            self.say("GPU work and CUDA calls are still loading")
            return
        mine = launched_in(report, event.index)
        if not len(mine):
            self.say("this range launched no recorded device work")
            return
        first = SliceId("ops", int(mine[0]))
        low, high = int(ops.start[mine].min()), int(ops.end[mine].max())
        start, end = span_of(report, event)
        self._frame(min(start, low), max(end, high))
        self._jumps.go_slice(first)
        self.view.highlight = (low, max(high, low + 1))
        self._came = first, event
        gpu = int((ops.end[mine] - ops.start[mine]).sum())
        devices = distinct_values(ops.device[mine])
        where = "" if len(devices) == 1 else f" on {len(devices)} GPUs"
        name = safe(name_of(report, event))
        work = f"{plural(len(mine), 'op')}{where}, {brief(gpu)} of GPU time over {brief(high - low)}"
        self.say(f"{name} launched {work} · {self.browse.hint('launch-link')} comes back")

    def _to_range(self, op: SliceId, event: SliceId) -> None:
        self._came = None
        self.view.highlight = None
        self._jumps.go_slice(event)
        self.say(f"{safe(name_of(self.capture.report, event))} launched it")

    # Ranges on the device's time -----------------------------------------------------------

    def project(self) -> None:
        """Show the NVTX lanes of the thread under the cursor on the device's time, or on the host's again."""
        from tui.timeline.projected import is_projected, projected, restored

        view, capture = self.view, self.capture
        lane = view.at.lane if view.at is not None else None
        if lane is None or lane.thread < 0:
            self.say("put the cursor on a thread: T shows its NVTX ranges on the device's time")
            return
        mine = [one for one in view.tree.walk() if one.thread == lane.thread]
        if any(is_projected(one) for one in mine):
            view.swap_lanes(restored(view.tree, capture.shown, lane.thread))
            self.say("NVTX ranges in host time")
        elif {"ops", "calls", "ranges"} & capture.loading:
            self.say("the report is still loading: its ranges can be projected once it is whole")
        elif not any(one.table == "ranges" for one in mine):
            self.say("this thread has no NVTX ranges")
        else:
            with capture.try_lookups(LOOKUPS_S) as index:
                tree = None if index is None else projected(view.tree, lane.thread, index)
            if index is None:
                self.say("figures are still being worked out: once more in a moment")
            elif tree is None:
                self.say("the ranges of this thread launched no recorded device work")
            else:
                view.swap_lanes(tree)
                self.say("NVTX ranges on the device: from the first to the last op that each launched")
