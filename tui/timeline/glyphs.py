"""The characters of the timeline: a Unicode set and a plain ASCII one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Glyphs:
    """One character a role; ``left`` and ``up`` run from empty to full in eighths."""

    plain: bool  # nothing but ASCII may reach the screen, names included
    left: str
    up: str
    bar: str  # a line between slices of one colour, at ticks and steps, between timeline and pane
    edge: str  # at the start of a slice that touches its predecessor
    thin_right: str  # a slice that begins late in a cell, where a block can't be cut out of colour
    point: str  # an event without length
    gap: str
    unknown: str  # where work may have run that was not recorded
    cursor: str
    opened: str
    closed: str
    earlier: str  # points to what lies left of the screen
    later: str
    ascending: str  # a column sorted upwards
    descending: str
    frame: str  # left and right frame of the minimap
    ellipsis: str
    dot: str  # separates parts of a line
    states: str  # of a rank, in the order of `Shown`
    levels: str  # of a value: zero, then eighths of the scale
    shades: str  # of a value: zero, then quarters of the scale
    counts: str  # of events: one, few, many, very many
    off_cpu: str  # a thread that runs on no CPU while it is in a call
    peak: str
    kinds: str  # fill the kinds of a stacked area where there are no colours
    fills: tuple[tuple[str, str], ...]
    """Style prefix -> what fills a slice where there are no colours."""

    def fill(self, style: str) -> str:
        """The character that fills a slice of ``style`` where there are no colours."""
        return next((glyph for prefix, glyph in self.fills if style.startswith(prefix)), self.fills[-1][1])


UNICODE = Glyphs(
    plain=False,
    left=" ▏▎▍▌▋▊▉█",
    up=" ▁▂▃▄▅▆▇█",
    bar="│",
    edge="▏",
    thin_right="▕",
    point="┃",
    gap="╌",
    unknown="?",
    cursor="▼",
    opened="▾",
    closed="▸",
    earlier="◂",
    later="▸",
    ascending="▴",
    descending="▾",
    frame="▕▏",
    ellipsis="…",
    dot="·",
    states="█▒░▚▓≡╌",
    levels="▁▁▂▃▄▅▆▇█",
    shades="·░▒▓█",
    counts="·:▗▄",
    off_cpu="╌",
    peak="^",
    kinds="█▓▒░",
    fills=(
        ("kernel.gemm", "▓"), ("kernel.attention", "▙"), ("kernel.memory", "░"), ("kernel", "█"),
        ("comm", "╬"), ("copy", "▒"), ("memset", "▖"), ("graph", "▞"), ("range", "─"),
        ("nvtx", "─"), ("api", "━"), ("os", "┅"), ("sync", "═"), ("series", "─"), ("", "≡"),
    ),
)  # fmt: skip
# `=`, `+` and `#` are heights, of busy shares and of values; `#` is full: nothing else is drawn with them.
ASCII = Glyphs(
    plain=True,
    left=" ||||####",
    up=" _,:-=+*#",
    bar="|",
    edge="|",
    thin_right="|",
    point="!",
    gap=".",
    unknown="?",
    cursor="v",
    opened="v",
    closed=">",
    earlier="<",
    later=">",
    ascending="^",
    descending="v",
    frame="||",
    ellipsis="~",
    dot="-",
    states="@/.%&o-",
    levels="._,:-=+*#",
    shades=".-oOQ",
    counts=".:*X",
    off_cpu="-",
    peak="^",
    kinds="@%o~",
    fills=(
        ("kernel.gemm", "@"), ("kernel.attention", "x"), ("kernel.memory", "o"), ("kernel", "$"),
        ("comm", "%"), ("copy", "~"), ("memset", "'"), ("graph", "&"), ("range", "-"),
        ("nvtx", "-"), ("api", "/"), ("os", ":"), ("sync", ";"), ("series", "-"), ("", "o"),
    ),
)  # fmt: skip
