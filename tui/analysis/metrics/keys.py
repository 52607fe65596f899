"""Which metric a name means: names differ between releases and chips, keys do not.

A name counts without the unit in brackets behind it. The first key whose pattern fits its beginning is it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tui.analysis.metrics.plugins import plugin_kind

VERSION = 2
"""Goes up whenever another field of a generic event counts as a metric."""
PERCENT = frozenset(
    {
        "gr_active", "sm_active", "sm_issue", "tensor_active", "warps_idle_sm", "dram_read", "dram_write",
        "pcie_rx", "pcie_tx", "nvlink_rx", "nvlink_tx", "copy_sync", "copy_async",
    }
)  # fmt: skip
"""Metrics that are shares of their peak where a name has no unit."""
CLOCKS = frozenset({"clock_gpc", "clock_sys"})
LINKS = ("nvlink_rx", "nvlink_tx", "pcie_rx", "pcie_tx")

_KEYS: tuple[tuple[str, str], ...] = (
    ("gr_active", r"GR(?: Engine)? Active|GPU Active"),
    ("sm_active", r"SMs? Active"),
    ("sm_issue", r"SMs? Issue"),
    ("tensor_active", r"Tensor (?:Active|Pipe)"),
    ("warps", r"(?:Compute )?Warps? in Flight"),
    ("warps_idle_sm", r"Unallocated Warps.*Active"),
    ("dram_read", r"DRAM Read|VRAM Read.*Bandwidth|VRAM Bandwidth.*Read"),
    ("dram_write", r"DRAM Write|VRAM Write.*Bandwidth|VRAM Bandwidth.*Write"),
    ("pcie_rx", r"PCIe RX|PCIe (?!.*BAR1).*Read"),
    ("pcie_tx", r"PCIe TX|PCIe (?!.*BAR1).*Write"),
    ("nvlink_rx", r"NVLink RX(?: Responses? User Data| Throughput| Bandwidth)?\s*$"),
    ("nvlink_tx", r"NVLink TX(?: Responses? User Data| Throughput| Bandwidth)?\s*$"),
    ("copy_sync", r"Sync Copy Engine"),
    ("copy_async", r"Async Copy Engine"),
    ("clock_gpc", r"GPC Clock"),
    ("clock_sys", r"SYS Clock"),
)
_POWER: tuple[tuple[str, str], ...] = (
    ("memory_temperature", r"(?:.*\b)?(?:Memory|HBM|VRAM)[ _]?Temp"),
    (
        "power",
        r"(?:GPU[ _]?\d*[ _]?)?Power(?:[ _]?(?:Usage|Draw|Consumption|Instant|Average))?\b"
        r"(?![ _]?(?:Limit|State|Cap))",
    ),
    ("temperature", r"(?:GPU[ _]?\d*[ _]?)?(?:Core[ _]?)?Temp(?:erature)?\b"),
)  # fmt: skip
_BRACKET = re.compile(r"^(.*?)\s*\[([^\]]*)\]\s*$", re.DOTALL)

MEANINGS = {
    "gr_active": "any graphics or compute work",
    "sm_active": "SMs with a warp resident: residency, not throughput; 50 % is half the SMs or half the time",
    "sm_issue": "issue slots used",
    "tensor_active": "tensor pipe",
    "warps": "warps in flight: occupancy",
    "warps_idle_sm": "room for warps in active SMs",
    "dram_read": "share of the memory's peak, reading",
    "dram_write": "share of the memory's peak, writing",
    "pcie_rx": "received over PCIe, from the GPU's view",
    "pcie_tx": "sent over PCIe, from the GPU's view",
    "nvlink_rx": "received over NVLink; of an inactive link unknown",
    "nvlink_tx": "sent over NVLink; of an inactive link unknown",
    "copy_sync": "synchronous copy engine",
    "copy_async": "asynchronous copy engine",
    "clock_gpc": "clock of the GPCs",
    "clock_sys": "system clock",
    "power": "power draw; on some GPUs an average over about a second",
    "temperature": "temperature of the GPU",
    "memory_temperature": "temperature of the memory",
}
"""What a metric measures, and how it is misread."""


class Named(NamedTuple):
    """A metric's name in parts."""

    base: str
    """Without the unit."""
    unit: str
    """What stands in brackets; empty for none."""


def named(name: str) -> Named:
    """Split ``SMs Active [Throughput %]``."""
    match = _BRACKET.match(name)
    return Named(match[1].strip(), match[2].strip()) if match else Named(name.strip(), "")


def key_of(name: str) -> str | None:
    """The key of a GPU metric; None: no key has a pattern that fits."""
    return _first(_KEYS, named(name).base)


def power_key(name: str) -> str | None:
    """The key of a field of NVML's plugin."""
    return _first(_POWER, named(name).base)


def field_kind(name: str) -> str | None:
    """What a field of a generic event is: ``gpu``, ``nvml``, ``network``, ``storage``; None: not known."""
    if key_of(name) is not None:
        return "gpu"
    return "nvml" if power_key(name) is not None else plugin_kind(name)


def _first(keys: tuple[tuple[str, str], ...], base: str) -> str | None:
    return next((key for key, pattern in keys if re.match(pattern, base, re.IGNORECASE)), None)
