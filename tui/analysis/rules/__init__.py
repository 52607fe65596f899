"""The rules of ``nsys analyze``: what slows a program down, with figures and advice."""

from __future__ import annotations

import difflib
from types import MappingProxyType

from tui.analysis.rules import dx12, idle, waits
from tui.analysis.rules.options import Answer, ChosenRule, described, parse_options
from tui.analysis.rules.rule import Rule, RuleFinding
from tui.errors import UsageError

__all__ = ["RULES", "Answer", "ChosenRule", "Rule", "RuleFinding", "choose", "described"]

ALL = (
    waits.CUDA_MEMCPY_ASYNC,
    waits.CUDA_MEMCPY_SYNC,
    waits.CUDA_MEMSET_SYNC,
    waits.CUDA_API_SYNC,
    idle.GPU_GAPS,
    idle.GPU_TIME_UTIL,
    dx12.DX12_MEM_OPS,
)

RULES = MappingProxyType({rule.name: rule for rule in ALL})
"""Every rule by name."""


def choose(texts: list[str]) -> list[ChosenRule]:
    """Return the rules of these names, ``all`` meaning every one, with the options after them.

    UsageError for an unknown name or option.
    """
    chosen = []
    for text in list(RULES) if texts == ["all"] else texts:
        name, *options = text.strip().split(":")
        if name not in RULES:
            close = difflib.get_close_matches(name, RULES, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(RULES)} and all"
            raise UsageError(f"no rule {name!r}; {hint}")
        chosen.append(parse_options(RULES[name], options))
    return chosen
