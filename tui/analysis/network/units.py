"""What a metric of a network device counts, by its name and unit."""

from __future__ import annotations

import re
from typing import NamedTuple

_UNIT = re.compile(r"\s*([A-Za-z]+)\s*/\s*(ns|us|ms|s|sec)\s*")
_TIMES = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "sec": 1_000_000_000}
_THINGS = {"byte": "bytes", "b": "bytes", "packet": "packets", "tick": "ticks"}
_SENT = re.compile(r"(?<![a-z])(sent|send|transmit(ted)?|tx|write|written|egress)(?![a-z])", re.IGNORECASE)
_RECEIVED = re.compile(r"(?<![a-z])(received?|recv|rx|read|ingress)(?![a-z])", re.IGNORECASE)
_WAITS = re.compile(r"(?<![a-z])(send|xmit|transmit|tx)[ _]waits?(?![a-z])", re.IGNORECASE)
SECOND = 1_000_000_000


class Measure(NamedTuple):
    """How the values of a metric are read."""

    thing: str | None
    """What is counted: ``bytes``, ``packets``, ``ticks``...; None: its unit is no rate."""
    per_ns: int
    """The time (ns) that a value counts things of."""
    direction: str | None
    """``sent`` or ``received``; None: neither."""
    is_wait: bool
    """Whether it counts waiting to send: congestion, or no credits."""
    unit: str
    """The unit of its rates in words: ``bytes/s``; the export's own where that is no rate."""

    @property
    def per_second(self) -> float:
        """What a value is multiplied with to be a rate a second."""
        return 1.0 if self.thing is None else SECOND / self.per_ns


def measure(name: str, unit: str | None) -> Measure:
    """What a metric counts, by its name and unit."""
    match = _UNIT.fullmatch(unit or "")
    direction = "sent" if _SENT.search(name) else "received" if _RECEIVED.search(name) else None
    is_wait = bool(_WAITS.search(name))
    if match is None:
        return Measure(None, 1, direction, is_wait, unit or "")
    word = match[1].lower()
    thing = _THINGS.get(word.removesuffix("s"), _THINGS.get(word, word))
    return Measure(thing, _TIMES[match[2]], direction, is_wait, f"{thing}/s")
