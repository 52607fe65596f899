"""Go to a place in words: a time, ``step 5``, ``gap 3``, ``50%``, the name of a range."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import Protocol

import numpy as np

from tui.browse.jumps import Jumps
from tui.browse.part import Part
from tui.browse.search import matching_names
from tui.browse.state import Browse
from tui.errors import UsageError
from tui.report.columns import Bool, distinct_values
from tui.report.model import Report
from tui.text import safe
from tui.text.times import brief, instant, parse_time
from tui.timeline.slices import SliceId

_PLACE = re.compile(r"(step|gap)[ :]*(\S*)", re.IGNORECASE)
_SHARE = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*%")
_TIME = re.compile(r"[+-]?[\d.][\d._ ]*\s*[a-zA-Zµμ]*")
_COUNTED = re.compile(r"(.+)#(\d+)", re.DOTALL)
_COMPLETED = 20_000
"""With more names than this the first ones alone complete what is typed."""


class AskCompleting(Protocol):
    """Asks for a line of text; ``complete`` returns the whole of what is typed, or nothing."""

    def __call__(
        self,
        label: str,
        text: str,
        then: Callable[[str], None],
        complete: Callable[[str], str | None] | None = None,
    ) -> None: ...


class GoTo(Part):
    """Finds what the user writes. A number without unit is in seconds, as on the ruler."""

    def __init__(self, browse: Browse, jumps: Jumps, ask: AskCompleting) -> None:
        super().__init__(browse)
        self._jumps = jumps
        self._ask = ask
        self._names: tuple[object, list[str]] = (None, [])

    def ask(self) -> None:
        """Ask for a place."""
        self._ask("go to (1.5 s, +20ms from here, 50%, step 5, gap 3, a range):", "", self.go, self.completed)

    def go(self, text: str) -> None:
        """Go to the place that ``text`` means; say why where there is none."""
        text = text.strip()
        place, part, time = _PLACE.fullmatch(text), _SHARE.fullmatch(text), _TIME.fullmatch(text)
        if not text:
            return
        if place is not None and self._named_place(place[1].lower(), place[2]):
            return
        if part is not None:
            self._share(float(part[1]))
        elif time is None or not self._time(text):
            self._range(text)

    # Times ---------------------------------------------------------------------------------

    def _share(self, percent: float) -> None:
        home = self.capture.home
        if percent > 100:
            self.say(f"{percent:g} % lies beyond the end: 0 % to 100 % of {home.label}")
            return
        self.view.go(home.start + round((home.end - home.start) * percent / 100))
        self.say(f"{percent:g} % of {home.label}")

    def _time(self, text: str) -> bool:
        """Go to a time, or by so much from the cursor; False where the text is none."""
        written = re.sub(r"(?<=[\d.])[ _]+(?=\d)", "", text)
        try:
            time = parse_time(written if written[-1].isalpha() else f"{written}s")
        except UsageError:
            return False
        zero = self.browse.clock.zero
        wanted = self.view.cursor + time if text[0] in "+-" else zero + time
        first, last = self.view.span
        if first <= wanted <= last:
            self.view.go(wanted)
            self.say("")
        else:
            self.say(f"nothing was recorded then: only {instant(first - zero)} to {instant(last - zero)}")
        return True

    # Steps and gaps ------------------------------------------------------------------------

    def _named_place(self, kind: str, number: str) -> bool:
        """Go to a step or a gap by its number; False where none is given, or a name follows."""
        if not number.isdecimal():
            if number:
                return False
            self.say(f"which {kind}? {kind} 3, for example")
        elif kind == "step":
            self._step(int(number))
        else:
            self._gap(int(number))
        return True

    def _step(self, number: int) -> None:
        marks = self.capture.step_marks(self.browse.process)
        if marks is None or not len(marks.start):
            self.say(
                "no steps found in this report" if self.capture.steps_known else "still looking for steps"
            )
        elif not 1 <= number <= len(marks.start):
            self.say(f"no step {number}: there are steps 1 to {len(marks.start)}")
        else:
            self._jumps.go_step(marks, number - 1)

    def _gap(self, number: int) -> None:
        books = self.browse.books
        for device, book in books.items():
            found = np.flatnonzero(book.gaps.number == number)
            if number and len(found):
                at = int(found[0])
                start, end = int(book.gaps.start[at]), int(book.gaps.end[at])
                self._jumps.go_gap(device, start, end)
                self.say(f"gap {book.gaps.counted(at)} · {brief(end - start)} · {book.marks.cause(at)}")
                return
        most = max((book.gaps.numbered for book in books.values()), default=0)
        if not books:
            self.say(self._jumps.no_gaps())
        else:
            self.say(f"no gap {number}: there are gaps 1 to {most}" if most else "no gap has a number")

    # Ranges --------------------------------------------------------------------------------

    def _range(self, text: str) -> None:
        """Go to the next range of a name from the cursor on, past the last to the first."""
        report, ranges = self.capture.report, self.capture.report.ranges
        named, number = _named(report, text), 0
        counted = _COUNTED.fullmatch(text)
        if not named.any() and counted is not None:
            named, number = _named(report, counted[1]), int(counted[2])
        rows = np.flatnonzero(np.append(named, False)[ranges.name]) if named.any() else np.zeros(0, np.intp)
        if not len(rows):
            self.say(self._no_such(text))
            return
        if number > len(rows):
            self.say(f"there are {len(rows):,} ranges of that name, no {number}")
            return
        if number:
            at = number - 1
        else:
            at = int(np.searchsorted(ranges.start[rows], self.view.cursor, "left")) % len(rows)
        self._jumps.go_slice(SliceId("ranges", int(rows[at])))
        name = safe(report.strings[int(ranges.name[rows[at]])])
        again = "" if len(rows) == 1 else f" · {at + 1:,} of {len(rows):,}"
        self.say(f"{name}{again}")

    def _no_such(self, text: str) -> str:
        if "ranges" in self.capture.loading:
            return "NVTX ranges are still loading"
        near = difflib.get_close_matches(text, self._completions()[:_COMPLETED], n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return f"{safe(text)!r} is no time, step or gap, and no range is called so{hint}"

    def completed(self, text: str) -> str | None:
        """Return the name that begins with what is typed: the shortest of them."""
        typed = text.casefold()
        if not typed:
            return None
        found = [name for name in self._completions() if name.casefold().startswith(typed)]
        return min(found, key=lambda name: (len(name), name), default=None)

    def _completions(self) -> list[str]:
        capture = self.capture
        if self._names[0] is not capture:
            report = capture.report
            used = distinct_values(report.ranges.name)[: _COMPLETED + 1].tolist()
            self._names = capture, [safe(report.strings[name]) for name in used if name >= 0]
        return self._names[1]


def _named(report: Report, text: str) -> Bool:
    """Return which strings are meant: those equal to ``text``, else that begin with it, else that have it."""
    strings = report.strings
    named = matching_names(strings, text)
    used = np.zeros(len(strings), bool)
    used[report.ranges.name[report.ranges.name >= 0]] = True
    found = np.flatnonzero(named & used)
    if not len(found):
        return np.zeros(len(strings), bool)
    wanted, texts = text.casefold(), [strings[at].casefold() for at in found.tolist()]
    equal = [one == wanted for one in texts]
    begins = [one.startswith(wanted) for one in texts]
    chosen = found[equal] if any(equal) else found[begins] if any(begins) else found
    mask = np.zeros(len(strings), bool)
    mask[chosen] = True
    return mask
