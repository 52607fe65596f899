"""Fields of plugins that sample networks and storage are metrics of the machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.export import Export
from tui.analysis.metrics.plugins import plugin_kind
from tui.cli import main


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("tx_bytes", "network"), ("rx_pkts", "network"), ("rdma_read_bytes", "network"),
        ("rx_drops", "network"),
        ("eth0 RX [MiB/s]", "network"), ("Read Throughput", "storage"), ("nvme0n1 write bytes", "storage"),
        ("PCIe RX Throughput", None), ("NVLink TX Responses User Data [Throughput %]", None),
        ("DRAM Read Bandwidth", None), ("L2 read bytes", None), ("index", None),
        ("transaction", None), ("", None),
    ],
)  # fmt: skip
def test_by_name(name: str, kind: str | None) -> None:
    assert plugin_kind(name) == kind


def test_they_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 600)
    for at in range(6):
        data = json.dumps({"tx_bytes": 100 * at, "rx_bytes": 7, "port": "eth0"})
        export.row("GENERIC_EVENTS", rawTimestamp=0, timestamp=100 + 100 * at, typeId=5 << 32, data=data)
        data = json.dumps({"password": "hunter2", "n": at})
        export.row("GENERIC_EVENTS", rawTimestamp=0, timestamp=100 + 100 * at, typeId=6 << 32, data=data)
    assert main(["metrics", str(export.write()), "-f", "json", "--no-cache"]) == 0
    out = capsys.readouterr().out
    rows = json.loads(out)["rows"]
    assert [(row["source"], row["metric"], row["max"]) for row in rows] == [
        ("network", "tx_bytes", 500.0), ("network", "rx_bytes", 7.0),
    ]  # fmt: skip
    assert "hunter2" not in out
