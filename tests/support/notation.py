"""The short notation in which test cases are written down.

    K(0,7,0-100)           a kernel on device 0, stream 7; `K 0-100` means the same
    M(0,9,10-60)           a Host-to-Device copy; S(...) a memset, G(...) a whole graph
    R cudaFree 90-495      a runtime call
    O poll 0-50            an OS runtime call
    N(59,0-6,"decode")     an NVTX row; an end of NULL is an open range, `N fwd 0-100` a push/pop range
    Y(0,7,0-50)            a synchronisation record

Any event may be followed by `key=value` words, handed to the builder: `corr=9 pid=200 tid=2
name=relu bytes=64`. Events are separated by blanks, commas or semicolons.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fixtures.trace import Trace

_TIMES = r"(?P<start>-?\d+)-(?P<end>-?\d+|NULL)"
_EVENT = re.compile(
    rf"""[\s,;]*(?:
        (?P<op>[KMSGY])\s*(?:\(\s*(?P<device>\d+)\s*,\s*(?P<stream>\d+)\s*,\s*)?{_TIMES}(?:\s*\))?
      | (?P<nvtx>N)\(\s*(?P<type>\d+)\s*,\s*{_TIMES.replace("start", "nstart").replace("end", "nend")}\s*
        ,\s*"(?P<text>[^"]*)"\s*\)
      | (?P<call>[RON])\s+(?P<name>[^\s,;(]+)\s+{_TIMES.replace("start", "cstart").replace("end", "cend")}
    )(?P<words>(?:\s+\w+=(?:"[^"]*"|[^\s,;]+))*)""",
    re.VERBOSE,
)
_WORD = re.compile(r'(\w+)=("[^"]*"|[^\s,;]+)')


def _words(text: str) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in _WORD.findall(text):
        number = re.fullmatch(r"-?\d+", value)
        out[key] = int(value) if number else value.strip('"')
    return out


def play(trace: Trace, text: str, unit: int = 1) -> None:
    """Add the events of `text` to `trace`, times multiplied by `unit`. ValueError: what isn't understood."""

    def time(number: str) -> int | None:
        return None if number == "NULL" else int(number) * unit

    ops = {"K": trace.kernel, "M": trace.memcpy, "S": trace.memset, "G": trace.graph, "Y": trace.sync}
    calls = {"R": trace.runtime, "O": trace.osrt, "N": trace.push_pop}
    at = 0
    while text[at:].strip(" \t\r\n,;"):
        found = _EVENT.match(text, at)
        if found is None:
            raise ValueError(f"not understood: {text[at : at + 40]!r}")
        at = found.end()
        words = _words(found["words"])
        if found["op"]:
            start, end = time(found["start"]), time(found["end"])
            device, stream = int(found["device"] or 0), int(found["stream"] or 7)
            ops[found["op"]](start, end, device=device, stream=stream, **words)  # type: ignore[operator]
        elif found["nvtx"]:
            start, end = time(found["nstart"]), time(found["nend"])
            trace.nvtx(int(found["type"]), start or 0, end, found["text"], **words)
        else:
            start, end = time(found["cstart"]), time(found["cend"])
            calls[found["call"]](found["name"], start, end, **words)  # type: ignore[operator]
