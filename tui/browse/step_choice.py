"""``This range is the step``: what a step is, where the rule finds none or another one."""

from __future__ import annotations

from collections.abc import Callable

from tui.browse.part import Part
from tui.browse.state import Arrival, Browse
from tui.text import safe
from tui.text.labels import label
from tui.timeline.slices import SliceId


class StepChoice(Part):
    """``reopen`` opens the report again with another range as its step; None: the one that the rule finds."""

    def __init__(self, browse: Browse, reopen: Callable[[str | None], None]) -> None:
        super().__init__(browse)
        self._reopen = reopen

    def choose(self) -> None:
        """Make the range under the cursor the step, or take that back."""
        browse, view, capture = self.browse, self.view, self.capture
        target = browse.target
        event = target.slice_id if target is not None else None
        if capture.loading:
            self.say("the report is still loading: a step can be chosen once it is whole")
            return
        if event is None or event.table != "ranges":
            self.say("put the cursor on an NVTX range: M makes it the step")
            return
        name = self._name_of(event)
        taken_back = capture.step_name == name
        key = browse.hint("step-is")
        said = (
            "the step is found by rule again" if taken_back else f"step = {safe(name)} · {key} takes it back"
        )
        browse.arrival = Arrival(view.viewport, view.cursor, said)
        self._reopen(None if taken_back else name)

    def _name_of(self, event: SliceId) -> str:
        """Return what all such ranges have in common: the name without what is counted in it."""
        report = self.capture.report
        return label(str(report.strings[int(report.ranges.name[event.index])]))
