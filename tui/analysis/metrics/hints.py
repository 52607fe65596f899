"""What limits a kernel, by its metrics: a hint where to look, no finding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from tui.config import config_path, config_table
from tui.errors import UsageError


@dataclass(frozen=True)
class Thresholds:
    """From how many percent on a hint holds; ``[metrics]`` of the config file changes them."""

    tensor_bound: float = 60.0
    bandwidth_bound: float = 60.0
    does_not_fill: float = 50.0
    latency_sm_active: float = 60.0
    latency_sm_issue: float = 25.0
    latency_dram: float = 40.0
    latency_tensor: float = 30.0
    link_bound: float = 60.0


DEFAULTS = Thresholds()


def thresholds(table: Mapping[str, object]) -> Thresholds:
    """The thresholds of a config table; UsageError for what is no number of percent or no threshold."""
    known = {field.name for field in fields(Thresholds)}
    for name, value in table.items():
        if name not in known:
            raise UsageError(
                f"[metrics] {name}: there is no such threshold; there are {', '.join(sorted(known))}"
            )
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
            raise UsageError(f"[metrics] {name} = {value!r} is no number from 0 to 100")
    return Thresholds(**{name: float(value) for name, value in table.items()})  # type: ignore[arg-type]


def configured_thresholds() -> Thresholds:
    """The thresholds with what ``[metrics]`` of the config file changes. Raises UsageError."""
    found = config_table("metrics")
    try:
        return thresholds(found)
    except UsageError as error:
        raise UsageError(f"{config_path()}: {error}") from error


def hint(means: Mapping[str, float | None], limits: Thresholds = DEFAULTS) -> str | None:
    """The first hint that holds for the means of some metrics, by key; None: none, or too little is known."""
    tensor, active, issue = (means.get(key) for key in ("tensor_active", "sm_active", "sm_issue"))
    dram = _dram(means)
    links = [value for key in _LINKS if (value := means.get(key)) is not None]
    if tensor is not None and tensor >= limits.tensor_bound:
        return "tensor bound"
    if dram is not None and dram >= limits.bandwidth_bound:
        return "memory bandwidth bound"
    if active is not None and active < limits.does_not_fill:
        return "does not fill the GPU"
    waits = active is not None and issue is not None and dram is not None and tensor is not None
    if waits and _is_latency(active, issue, dram, tensor, limits):  # type: ignore[arg-type]
        return "latency bound"
    if links and max(links) >= limits.link_bound:
        return "link bound"
    return None


_LINKS = ("nvlink_rx", "nvlink_tx", "pcie_rx", "pcie_tx")
USED = ("tensor_active", "sm_active", "sm_issue", "dram_read", "dram_write", *_LINKS)
"""The keys that hints look at."""


def _is_latency(active: float, issue: float, dram: float, tensor: float, limits: Thresholds) -> bool:
    return (
        active >= limits.latency_sm_active
        and issue < limits.latency_sm_issue
        and dram < limits.latency_dram
        and tensor < limits.latency_tensor
    )


def _dram(means: Mapping[str, float | None]) -> float | None:
    """Reading and writing together; None where either is unknown."""
    read, write = means.get("dram_read"), means.get("dram_write")
    return None if read is None or write is None else read + write
