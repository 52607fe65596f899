"""The rules of ``nsys analyze``: what slows a program down, with figures and advice."""

from __future__ import annotations

import difflib
from types import MappingProxyType

from tui.analysis.rules import idle, waits
from tui.analysis.rules.rule import Rule, RuleFinding
from tui.errors import UsageError

__all__ = ["RULES", "Rule", "RuleFinding", "choose"]

ALL = (
    waits.CUDA_MEMCPY_ASYNC,
    waits.CUDA_MEMCPY_SYNC,
    waits.CUDA_MEMSET_SYNC,
    waits.CUDA_API_SYNC,
    idle.GPU_GAPS,
    idle.GPU_TIME_UTIL,
)

RULES = MappingProxyType({rule.name: rule for rule in ALL})
"""Every rule by name."""


def choose(names: list[str]) -> list[Rule]:
    """Return the rules of these names, ``all`` meaning every one; UsageError for an unknown name."""
    if names == ["all"]:
        return list(RULES.values())
    for name in names:
        if name not in RULES:
            close = difflib.get_close_matches(name, RULES, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(RULES)} and all"
            raise UsageError(f"no rule {name!r}; {hint}")
    return [RULES[name] for name in names]
