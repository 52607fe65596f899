"""The rules of ``nsys analyze``: what slows a program down, with figures and advice."""

from __future__ import annotations

from tui.analysis.registry import Registry
from tui.analysis.rules.options import Answer, ChosenRule, described, parse_options
from tui.analysis.rules.rule import Rule, RuleFinding
from tui.errors import UsageError

__all__ = ["RULES", "Answer", "ChosenRule", "Rule", "RuleFinding", "choose", "described"]

PLACES = (
    "waits:cuda_memcpy_async",
    "waits:cuda_memcpy_sync",
    "waits:cuda_memset_sync",
    "waits:cuda_api_sync",
    "idle:gpu_gaps",
    "idle:gpu_time_util",
    "dx12:dx12_mem_ops",
)
"""Every rule as ``module:name``, in the order in which they are listed."""

RULES = Registry(__name__, Rule, PLACES)
"""Every rule by name."""


def choose(texts: list[str]) -> list[ChosenRule]:
    """Return the rules of these names, ``all`` meaning every one, with the options after them.

    UsageError for an unknown name or option.
    """
    chosen = []
    for text in list(RULES) if texts == ["all"] else texts:
        name, *options = text.strip().split(":")
        if name not in RULES:
            import difflib

            close = difflib.get_close_matches(name, RULES, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(RULES)} and all"
            raise UsageError(f"no rule {name!r}; {hint}")
        chosen.append(parse_options(RULES[name], options))
    return chosen
