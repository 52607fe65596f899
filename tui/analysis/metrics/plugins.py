"""Fields of the plugins that sample networks and storage: EFA, network interfaces, disks.

What these are called is not in any file that was at hand: a field counts by the words of its name.
"""

from __future__ import annotations

import re

_AMOUNT = re.compile(
    r"bytes|bits|packets|pkts|throughput|bandwidth|errors|drops|dropped|retrans|timeouts|requests|iops|ops\b|"
    r"[KMGT]i?B(?:/s|ps)?\b",
    re.IGNORECASE,
)
_NETWORK = re.compile(
    r"(?<![a-z])(rx|tx|recv|rcv|received?|sent|send|xmit|transmit\w*|rdma|efa|eth\d*|net(work)?)(?![a-z])",
    re.IGNORECASE,
)
_STORAGE = re.compile(
    r"(?<![a-z])(read|reads|write|writes|written|disk|storage|nvme\w*|io)(?![a-z])", re.IGNORECASE
)
_OF_GPU = re.compile(r"pcie|nvlink|dram|vram|nvdec|nvenc|l2|cache|sm\b", re.IGNORECASE)


def plugin_kind(name: str) -> str | None:
    """``network`` or ``storage`` for a field of such a plugin, by its name; None for all else."""
    words = name.replace("_", " ")
    if _OF_GPU.search(words) or not _AMOUNT.search(words):
        return None
    return "network" if _NETWORK.search(words) else "storage" if _STORAGE.search(words) else None
