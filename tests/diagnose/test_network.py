"""Small messages, and links at their limit: what it takes to say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.variants.catalogue import find
from tests.support.payloads import NcclExport
from tui.analysis.diagnosis import Diagnosis, diagnose
from tui.analysis.index import Index
from tui.report import open_report

US, MS = 1_000, 1_000_000
KERNEL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL()"


def diagnosis(path: Path) -> Diagnosis:
    return diagnose(Index(open_report(path, use_store=False)))


def reduced(path: Path, count: int, size: int, form: str = "json", steps: int = 6) -> Diagnosis:
    """Steps of 10 ms of compute, then so many messages one after the other, 20 us each."""
    export = NcclExport(path / "x.sqlite")
    export.form = form  # type: ignore[assignment]
    export.describe()
    export.call("ncclCommInitRank", 0, 10, "init", (77, 8, 3, 0))
    at = MS
    for number in range(steps):
        begin = at
        corr = export.runtime("cudaLaunchKernel_v7000", at, at + 5 * US)
        export.kernel(at + 10 * US, at + 10 * MS, corr=corr, name="gemm")
        call, device = at + 10 * US, at + 10 * MS
        for _ in range(count):
            export.call("ncclAllReduce", call, call + 10 * US, "reduce", (77, size, 0))
            corr = export.runtime("cudaLaunchKernelExC_v11060", call + US, call + 5 * US)
            export.kernel(device, device + 20 * US, corr=corr, name=KERNEL, stream=9)
            call, device = call + 11 * US, device + 20 * US
        at = max(call, device) + 50 * US
        export.push_pop(f"step {number}", begin, at)
    return diagnosis(export.write())


def names(found: Diagnosis) -> list[str]:
    return [finding.fault for finding in found.findings if not finding.minor]


@pytest.mark.parametrize(
    ("count", "size", "first"),
    [
        (100, 262_143, "small-messages"),
        (99, 4096, "exposed-all-reduce"),
        (100, 262_144, "exposed-all-reduce"),
    ],
)
def test_how_small_and_how_many(count: int, size: int, first: str, tmp_path: Path) -> None:
    found = reduced(tmp_path, count, size)
    assert names(found)[0] == first
    if first == "small-messages":
        assert found.findings[0].cost_ns == 6 * 100 * 20 * US
        assert "600 messages in 6 steps, 100 a step; the median is 262,143 B" in found.findings[0].reasons


def test_sizes_that_were_left_out(tmp_path: Path) -> None:
    found = reduced(tmp_path, 120, 4096, "absent")
    assert names(found)[0] == "exposed-all-reduce"
    (unknown,) = [one for one in found.not_assessable if one.fault == "small-messages"]
    assert "--include-json=true" in unknown.capture


@pytest.mark.parametrize(
    ("name", "says"), [("network-bound-00", True), ("exposed-all-reduce-80-idle-link", False)]
)
def test_a_link_at_its_limit(name: str, says: bool, tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    find(name).build(path)
    assert ("network-bound" in names(diagnosis(path))) is says


def test_a_configured_speed_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "nsystui").mkdir()
    config = tmp_path / "nsystui" / "config.toml"
    path = tmp_path / "x.sqlite"
    find("network-bound-00").build(path)
    for speed, is_bound, confidence in (("800Gbit", False, None), ("200Gbit", True, "high")):
        config.write_text(f'[network]\nspeed = {{"mlx5_0" = "{speed}"}}\n')
        found = diagnosis(path)
        assert ("network-bound" in names(found)) is is_bound
        if is_bound:
            assert found.findings[0].confidence.value == confidence
