"""Names of functions, short enough for a line that has room for little else."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[\w$.@]+")
_OPERATOR = re.compile(r"\boperator\b")


def called(name: str) -> str:
    """A function's name without its return type, scope, template arguments and parameters.

    What is no name of a function of C or C++ stays as it is.

    >>> called("void ns::postprocess<float>(float const*)")
    'postprocess()'
    >>> called("main")
    'main()'
    >>> called("clock reads (vdso)")
    'clock reads (vdso)'
    """
    if _PLAIN.fullmatch(name):
        return f"{name}()"
    head = _before_parameters(name)
    if head is None:
        return name
    last = _without_brackets(head).rpartition("::")[2].rpartition(" ")[2].lstrip("*&")
    return f"{last}()" if last and not _OPERATOR.search(head) else name


def _before_parameters(name: str) -> str | None:
    """What stands before the last pair of round brackets at the outermost level, if that is a name."""
    depth = 0
    end = name.rfind(")")
    for at in range(end, -1, -1):
        depth += {")": 1, "(": -1}.get(name[at], 0)
        if depth == 0:
            head = name[:at]
            return head if at and (head[-1].isalnum() or head[-1] in "_>") else None
    return None


def _without_brackets(text: str) -> str:
    """``text`` without what stands between angle brackets or round ones."""
    kept, depth = [], 0
    for letter in text:
        if letter in "<(":
            depth += 1
        elif letter in ">)" and depth:
            depth -= 1
        elif not depth:
            kept.append(letter)
    return "".join(kept)
