"""Several reports: an adapter belongs to its host, and is shown once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fixtures.ranks_exports import RankTrace
from tests.support.network import METRICS, MS
from tui.cli import main


def write_rank(folder: Path, rank: int, host: str | None, samples: int, nic: str = "mlx5_0") -> None:
    trace = RankTrace(folder / f"r{rank}.sqlite")
    pid = 100 + rank
    trace.process(pid, "train")
    trace.device()
    trace.variable("RANK", rank)
    if host is not None:
        trace.host(host)
    for at in range(6):
        trace.kernel(at * 20 * MS, at * 20 * MS + MS, pid=pid)
    for at, (name, unit) in enumerate(METRICS):
        trace.row(
            "TARGET_INFO_NETWORK_METRICS",
            metricsListId=3, metricsIdx=at, name=name, description="", unit=unit,
        )  # fmt: skip
    about = {"stateName": "", "nicId": 0, "deviceId": 1, "vendorId": 1, "linkLayer": 1}
    trace.row("TARGET_INFO_NIC_INFO", GUID=7 if nic == "mlx5_0" else 8, name=nic, **about)
    trace.row("NIC_ID_MAP", nicId=0, globalId=900)
    for at in range(samples):
        trace.row(
            "NET_NIC_METRIC",
            start=at * MS, end=(at + 1) * MS, globalId=900, portId=1, metricsListId=3, metricsIdx=0,
            value=1000 * (rank + 1),
        )  # fmt: skip
    trace.write()


def test_each_adapter_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_rank(tmp_path, 0, "a", 10)
    write_rank(tmp_path, 1, "a", 20)
    write_rank(tmp_path, 2, "b", 5)
    assert main(["network", str(tmp_path), "-f", "json", "--no-cache"]) == 0
    document = json.loads(capsys.readouterr().out)
    found = [(part["host"], part["rank"], part["rows"][0]["bytes"]) for part in document["reports"]]
    assert found == [("a", 1, 40_000), ("b", 2, 15_000)]
    assert any("shown from r1.sqlite, which has more samples" in note for note in document["notes"])
    assert main(["network", str(tmp_path), "--no-cache", "-f", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_adapters_of_one_host_that_differ(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_rank(tmp_path, 0, "a", 10)
    write_rank(tmp_path, 1, "a", 20, "mlx5_1")
    assert main(["network", str(tmp_path), "-f", "json", "--no-cache"]) == 0
    assert len(json.loads(capsys.readouterr().out)["reports"]) == 2


def test_hosts_that_are_not_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_rank(tmp_path, 0, None, 10)
    write_rank(tmp_path, 1, None, 20)
    assert main(["network", str(tmp_path), "-f", "json", "--no-cache"]) == 0
    assert len(json.loads(capsys.readouterr().out)["reports"]) == 2
