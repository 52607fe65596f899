"""Names of metrics and units of values."""

from __future__ import annotations

import pytest

from tui.analysis.metrics.keys import field_kind, key_of, power_key
from tui.analysis.metrics.units import measure, worded


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("GR Active [Throughput %]", "gr_active"),
        ("GR Engine Active", "gr_active"),
        ("GPU Active [Throughput %]", "gr_active"),
        ("SM Active", "sm_active"),
        ("SMs Active [Throughput %]", "sm_active"),
        ("sms active [throughput %]", "sm_active"),
        ("SM Issue [Throughput %]", "sm_issue"),
        ("Tensor Active [Throughput %]", "tensor_active"),
        ("Tensor Pipe Throughput", "tensor_active"),
        ("Compute Warps in Flight [Throughput %]", "warps"),
        ("Compute Warps In Flight [Avg]", "warps"),
        ("Warps in Flight", "warps"),
        ("Pixel Warps in Flight [Throughput %]", None),
        ("Vertex/Tess/Geometry Warps in Flight [Throughput %]", None),
        ("Unallocated Warps in Active SMs [Throughput %]", "warps_idle_sm"),
        ("DRAM Read Bandwidth [Throughput %]", "dram_read"),
        ("DRAM Write Throughput", "dram_write"),
        ("VRAM Read Bandwidth [Throughput %]", "dram_read"),
        ("VRAM Write Bandwidth [Throughput %]", "dram_write"),
        ("PCIe RX Throughput [Throughput %]", "pcie_rx"),
        ("PCIe TX Throughput", "pcie_tx"),
        ("PCIe Read Throughput", "pcie_rx"),
        ("PCIe Read Requests to BAR1 [Requests]", None),
        ("NVLink RX Responses User Data [Throughput %]", "nvlink_rx"),
        ("NVLink TX Throughput", "nvlink_tx"),
        ("NVLink RX Requests User Data [Throughput %]", None),
        ("NVLink RX Responses Protocol Data [Throughput %]", None),
        ("Sync Copy Engine Active [Throughput %]", "copy_sync"),
        ("Async Copy Engine Active [Throughput %]", "copy_async"),
        ("GPC Clock Frequency [MHz]", "clock_gpc"),
        ("SYS Clock Frequency [MHz]", "clock_sys"),
        ("Draw Started", None),
        ("", None),
    ],
)
def test_keys(name: str, key: str | None) -> None:
    assert key_of(name) == key


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Power", "power"),
        ("Power [W]", "power"),
        ("GPU 0 Power", "power"),
        ("Power Limit", None),
        ("Power Usage", "power"),
        ("Temperature", "temperature"),
        ("GPU Temperature [C]", "temperature"),
        ("Memory Temperature", "memory_temperature"),
        ("Fan Speed", None),
    ],
)
def test_keys_of_power(name: str, key: str | None) -> None:
    assert power_key(name) == key


def test_what_fields_of_events_are() -> None:
    assert [field_kind(name) for name in ("SM Active", "Power", "rx_bytes", "index")] == [
        "gpu", "nvml", "network", None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("key", "bracket", "greatest", "median", "unit", "scale"),
    [
        ("sm_active", "Throughput %", 90, 50, "%", 1),
        ("sm_active", "", 90, 50, "%", 1),
        ("clock_gpc", "MHz", 2_526_795_000, 2.5e9, "Hz", 1),
        ("clock_gpc", "MHz", 1_980, 1_980, "Hz", 1e6),
        ("clock_gpc", "", 1_980, 1_980, "Hz", 1e6),
        ("clock_sys", "", 1_980_000_000, 1.9e9, "Hz", 1),
        (None, "GB/s", 31_000_000, 3e7, "bytes/s", 1),
        (None, "GB/s", 31, 30, "bytes/s", 1e9),
        ("power", "", 700, 500, "W", 1),
        ("power", "", 700_000, 500_000, "W", 1e-3),
        ("power", "mW", 900, 900, "W", 1e-3),
        ("temperature", "", 70, 60, "°C", 1),
        ("warps", "Avg", 40, 20, "Avg", 1),
        (None, "", 40, 20, "", 1),
    ],
)  # fmt: skip
def test_units(
    key: str | None, bracket: str, greatest: float, median: float, unit: str, scale: float
) -> None:
    assert measure(key, bracket, greatest, median)[:2] == (unit, scale)


@pytest.mark.parametrize(
    ("unit", "value", "words"),
    [
        ("%", 34.24, "34.2 %"), ("%", 0.01, "<0.1 %"), ("Hz", 2_526_795_000, "2,526.8 MHz"),
        ("bytes/s", 12.44e9, "12.4 GB/s"), ("bytes/s", 12, "12.0 B/s"), ("W", 300, "300.0 W"), ("", 7, "7.0"),
    ],
)  # fmt: skip
def test_values_in_words(unit: str, value: float, words: str) -> None:
    assert worded(unit, value) == words
