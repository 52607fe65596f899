"""What of a report is still being read: the lanes that stand in for it, and its name."""

from __future__ import annotations

from collections.abc import Collection

from tui.timeline.lane import Lane, LaneKind

_LANES = {
    "ops": ("GPU", LaneKind.DEVICE),
    "calls": ("API", LaneKind.API),
    "ranges": ("NVTX", LaneKind.NVTX),
    "os_calls": ("OS", LaneKind.OS),
    "others": ("other events", LaneKind.OTHER),
}
"""By the report's field; marks come with the ranges."""


def coming_lanes(loading: Collection[str]) -> list[Lane]:
    """A lane for each kind of event that is still to come, drawn as "loading"."""
    return [
        Lane(f"loading/{field}", kind, title) for field, (title, kind) in _LANES.items() if field in loading
    ]


def coming_words(loading: Collection[str]) -> str:
    """``API, NVTX, OS``."""
    return ", ".join(title for field, (title, _) in _LANES.items() if field in loading)
