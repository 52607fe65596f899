"""What may follow a rule's name, as nsys takes it: ``gpu_gaps:gap=10:rows=-1``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tui.analysis.choices import Choices
from tui.analysis.filters import filter_window, nvtx_filter
from tui.analysis.index import Index
from tui.analysis.rule_limits import CHUNKS, GAP, UTILIZATION, Limit
from tui.analysis.rules.rule import Rule, RuleFinding
from tui.analysis.scope import Scope, pick_processes
from tui.errors import UsageError
from tui.text.times import parse_duration, parse_times

OPTIONS = {
    "rows": "rows=N (the first N rows; negative: all)",
    "start": "start=TIME",
    "end": "end=TIME (what ends at or after the one and starts before the other)",
    "nvtx": "nvtx=NAME[@DOMAIN] (the same for the first range of that name and its process)",
    "process": "process=PID",
    "thread": "thread=TID",
    "gap": "gap=MS (gaps longer than so many milliseconds)",
    "threshold": "threshold=PCT (less busy chunks)",
    "chunks": "chunks=N",
}
"""Every option, in words."""
COMMON = ("rows", "start", "end", "nvtx")
"""Those that every rule takes."""
LIMITED: dict[str, Limit] = {"gap": GAP, "threshold": UTILIZATION, "chunks": CHUNKS}
"""The options that are thresholds of the command, too."""
_MILLISECOND = 1_000_000


@dataclass(frozen=True)
class Answer:
    """What a rule found, and how it was asked."""

    finding: RuleFinding
    scope: Scope
    rows: int
    """How many rows to show; 0: all."""


@dataclass(frozen=True)
class ChosenRule:
    """A rule and the options after its name."""

    rule: Rule
    options: Mapping[str, str]

    def answer(self, index: Index, scope: Scope, limits: Mapping[str, Any], rows: int) -> Answer | None:
        """Apply the rule, with ``limits`` and ``rows`` where its options don't say another. None: no data."""
        scope = self._scope(index, scope)
        if not self.rule.has_data(index, scope):
            return None
        own = {limit.name: self._limit(name) for name, limit in LIMITED.items() if name in self.options}
        choices = Choices(scope, limits={**limits, **own}, thread=self._number("thread") or None)
        shown = max(0, self._number("rows")) if "rows" in self.options else rows
        return Answer(self.rule.compute(index, choices), scope, shown)

    def check(self) -> None:
        """Raise UsageError for a value that is none."""
        for name in self.options:
            if name in LIMITED:
                self._limit(name)
            elif name in ("start", "end"):
                parse_times(self.options[name])
            elif name != "nvtx":
                self._number(name)

    def _scope(self, index: Index, scope: Scope) -> Scope:
        report = index.report
        if pid := self._number("process"):
            chosen = pick_processes(report, [pid]) or ()
            allowed = set(chosen if scope.processes is None else scope.processes)
            scope = replace(scope, processes=tuple(process for process in chosen if process in allowed))
        if "nvtx" in self.options:
            scope = nvtx_filter(index, scope, self.options["nvtx"], numbered=False)
        if not {"start", "end"} & self.options.keys():
            return scope
        window = scope.window
        before = (window.start, window.end) if window.touching else (None, None)
        start, end = (
            parse_times(self.options[name]) if name in self.options else other
            for name, other in zip(("start", "end"), before, strict=True)
        )
        return replace(scope, window=filter_window(report, start, end, f"filter of {self.rule.name}"))

    def _limit(self, name: str) -> int:
        text = self.options[name]
        if name != "gap":
            return LIMITED[name].checked(self._number(name))
        if text[-1].isalpha():
            return parse_duration(text)
        return max(0, self._number(name)) * _MILLISECOND

    def _number(self, name: str) -> int:
        text = self.options.get(name, "0")
        try:
            return int(text)
        except ValueError:
            raise UsageError(f"{name}={text} of rule {self.rule.name}: {text!r} is no integer") from None


def parse_options(rule: Rule, texts: list[str]) -> ChosenRule:
    """Return a rule with the options that ``texts`` say; of several with one name the last counts."""
    takes = (*COMMON, *rule.options)
    found = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in takes or not value:
            offered = ", ".join(f"{option}=" for option in takes)
            raise UsageError(f"rule {rule.name} has no option {text!r}; it takes {offered}")
        found[name] = value
    chosen = ChosenRule(rule, found)
    chosen.check()
    return chosen


def described(rule: Rule) -> str:
    """The options of a rule in words."""
    return ", ".join(OPTIONS[name] for name in (*COMMON, *rule.options))
