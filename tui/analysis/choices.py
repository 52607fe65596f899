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
    """The options after the colon in the name of a stats report: ``base``."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    """Thresholds of rules or faults by name, other than the default ones."""
    thread: int | None = None
    """The id of the thread whose calls a rule looks at; None: all."""
    step: str | None = None
    """The NVTX range (a name or regex) that is a step; None: by rule."""
