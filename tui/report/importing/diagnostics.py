"""What the profiler said while it captured: warnings and errors, and what else it had to tell."""

from __future__ import annotations

from tui.report.data import Diagnostic
from tui.report.importing.global_ids import pid_of
from tui.report.sqlite.source import Source

TABLE = "DIAGNOSTIC_EVENT"
LONGEST, MOST = 500, 1000
"""So many characters of a message are kept, and so many messages, those of errors and warnings first."""

_SEVERITIES = {1: "info", 2: "warning", 3: "error", 4: "verbose"}
_SOURCES = {1: "injection", 2: "daemon", 3: "analysis"}
_SEVEREST_FIRST = ("error", "warning", "unknown", "info", "verbose")
_ON_TARGET = 1
"""The kind of a timestamp that is on the clock of the capture."""


def read_diagnostics(source: Source) -> tuple[Diagnostic, ...]:
    """Return the messages, the severest first, else as they come; empty ones are left out."""
    columns = ("timestamp", "timestampType", "source", "severity", "text", "globalPid")
    found = []
    for row in source.records(TABLE, columns):
        text = row.get("text")
        if not isinstance(text, str) or not text.strip():
            continue
        pid = row.get("globalPid")
        on_target = row.get("timestampType") == _ON_TARGET
        found.append(
            Diagnostic(
                severity=_word(_SEVERITIES, row.get("severity")),
                source=_word(_SOURCES, row.get("source")),
                text=" ".join(text.split())[:LONGEST],
                time_ns=_integer(row.get("timestamp")) if on_target else None,
                pid=None if _integer(pid) is None else pid_of(int(str(pid))),
            )
        )
    return tuple(sorted(found, key=lambda one: _SEVEREST_FIRST.index(one.severity))[:MOST])


def _word(words: dict[int, str], value: object) -> str:
    return words.get(value, "unknown") if isinstance(value, int) else "unknown"


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and -(2**63) <= value < 2**63 else None
