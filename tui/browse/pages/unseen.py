"""What the pane says of time in which a device may have done work that was not recorded."""

from __future__ import annotations

from tui.analysis.idle import DeviceIdle
from tui.analysis.unrecorded import unrecorded_words


def unseen_lines(device: DeviceIdle) -> list[str]:
    """Say what was launched on a device and not recorded."""
    unseen = device.unseen
    if not len(unseen):
        return []
    what = unrecorded_words(int(unseen.launches.sum()), int(unseen.graphs.sum()))
    return [f"GPU {device.gaps.device.cuda_id} unknown: {what}; what it did then is neither busy nor idle"]
