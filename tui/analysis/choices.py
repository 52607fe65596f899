"""The choices that a user makes for an analysis: the part of a report, and settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tui.analysis.scope import Scope


@dataclass(frozen=True)
class Choices:
    """What a stats report, a rule or the diagnosis is to compute."""

    scope: Scope
    options: frozenset[str] = frozenset()
    """The options after the colon in the name of a stats report: ``base``, ``rows=20``."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    """Thresholds of rules or faults by name, other than the default ones."""
    thread: int | None = None
    """The id of the thread whose calls a rule looks at; None: all."""
    step: str | None = None
    """The NVTX range (a name or regex) that is a step; None: by rule."""

    def number(self, option: str, default: int) -> int:
        """The integer after ``option=`` among the options of a stats report."""
        values = (text.split("=", 1)[1] for text in self.options if text.startswith(f"{option}="))
        return int(next(values, default))
