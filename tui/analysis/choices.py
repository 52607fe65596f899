"""What is asked of an analysis: which part of a report counts, and what is set otherwise than by default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tui.analysis.scope import Scope


@dataclass(frozen=True)
class Choices:
    """What a stats report, a rule and the diagnosis are asked, all in the same form."""

    scope: Scope
    options: frozenset[str] = frozenset()
    """What follows the name of a stats report after a colon: ``base``."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    """Thresholds of rules or faults by name, where they are not the default ones."""
    step: str | None = None
    """The NVTX range (a name or regex) that is a step; None: by rule."""
