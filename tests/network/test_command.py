"""``nsystui network``: figures worked out by hand, for each form that releases have."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.support.network import MS, NetworkExport, NicForm
from tui.analysis.network.speeds import parse_speed
from tui.cli import main
from tui.errors import UsageError


@pytest.fixture
def export(tmp_path: Path) -> NetworkExport:
    found = NetworkExport(tmp_path / "x.sqlite")
    found.metrics()
    return found


def answer(export: NetworkExport, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    assert main(["network", str(export.write()), "-f", "json", "--no-cache", "--range", "/", *options]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("form", get_args(NicForm))
def test_the_worked_example(form: NicForm, export: NetworkExport, capsys: pytest.CaptureFixture[str]) -> None:
    """12,500 bytes/ms over 20 ms are 250,000 bytes, 12.5 MB/s, 0.1 Gbit/s."""
    export.adapters("mlx5_0", "mlx5_1", form=form)
    export.sample(0, 20 * MS, 0, 12_500)
    (row,) = answer(export, capsys)["rows"]
    assert row == {
        "device": "mlx5_0", "port": "1", "direction": "sent", "metric": "IB: Bytes sent", "bytes": 250_000,
        "mean": 12_500_000.0, "p95": None, "max": 12_500_000.0, "unit": "bytes/s", "busy_pct": None,
        "used_pct": None, "samples": 1, "coverage_pct": 100.0,
    }  # fmt: skip


def test_figures_of_a_window(export: NetworkExport, capsys: pytest.CaptureFixture[str]) -> None:
    export.adapters("mlx5_0")
    export.samples(0, 100, 0, 300, 0, 1, 500)
    export.samples(3, 0, 0, 7, 0, 0, 9)
    rows = answer(export, capsys, "--range", "10ms/120ms")["rows"]
    sent, waits = rows
    # 10 ms of 100, 20 of 0, 20 of 300, 20 of 0, 20 of 1, 20 of 500 bytes/ms
    assert (sent["bytes"], sent["samples"], sent["coverage_pct"]) == (1000 + 6000 + 20 + 10_000, 6, 100.0)
    assert sent["mean"] == pytest.approx(17_020 / 0.110)
    assert (sent["p95"], sent["max"]) == (500_000.0, 500_000.0)
    assert sent["busy_pct"] == 45.45  # 50 of 110 ms exceed 5 bytes/ms
    assert (waits["metric"], waits["bytes"], waits["unit"], waits["max"]) == (
        "IB: Send waits", None, "ticks/s", 9000.0,
    )  # fmt: skip


def test_what_no_sample_covers_is_unknown(export: NetworkExport, capsys: pytest.CaptureFixture[str]) -> None:
    export.adapters("mlx5_0")
    export.sample(0, 10 * MS, 0, 100)
    export.sample(30 * MS, 40 * MS, 0, 300)
    export.sample(40 * MS, 50 * MS, 0, None)
    (row,) = answer(export, capsys, "--range", "0/40ms")["rows"]
    assert (row["bytes"], row["mean"], row["samples"], row["coverage_pct"]) == (4000, 200_000.0, 2, 50.0)


def test_bytes_are_those_of_plain_sql(export: NetworkExport, capsys: pytest.CaptureFixture[str]) -> None:
    export.adapters("a", "b")
    for device in (900, 901):
        export.samples(0, *range(device % 7, 200, 3), device=device, every=3_333_333)
        export.samples(1, *range(90, 20, -1), device=device, port=2)
    found = {
        (row["device"], row["port"], row["direction"]): row["bytes"] for row in answer(export, capsys)["rows"]
    }
    with sqlite3.connect(export.path) as db:
        rows = db.execute(
            "SELECT globalId, portId, metricsIdx, sum(value * (end - start)) FROM NET_NIC_METRIC "
            "GROUP BY 1, 2, 3"
        ).fetchall()
    assert found == {
        ("ab"[device - 900], str(port), ("sent", "received")[metric]): round(total / 1e6)
        for device, port, metric, total in rows
    }


def test_devices_and_metrics_without_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = NetworkExport(tmp_path / "x.sqlite", "2022")
    export.sample(0, 20 * MS, 0, 5, device=-1, port=None)
    (row,) = answer(export, capsys)["rows"]
    assert (row["device"], row["port"], row["metric"], row["unit"], row["bytes"]) == (
        "NIC ffffffffffffffff", None, "metric 3/0", "", None,
    )  # fmt: skip
    assert row["mean"] == 5.0


@pytest.mark.parametrize(
    ("column", "device", "metric"),
    [("globalId", "NIC ?", "IB: Bytes sent"), ("metricsListId", "mlx5_0", "metric ?/0"),
     ("metricsIdx", "mlx5_0", "metric 3/?"), ("portId", "mlx5_0", "IB: Bytes sent")],
)  # fmt: skip
def test_ids_that_no_column_tells(
    column: str, device: str, metric: str, export: NetworkExport, capsys: pytest.CaptureFixture[str]
) -> None:
    export.adapters("mlx5_0")
    export.samples(0, 100)
    export.omit("NET_NIC_METRIC", column)
    (row,) = answer(export, capsys)["rows"]
    assert (row["device"], row["metric"], row["samples"]) == (device, metric, 1)


def test_a_negative_rate_is_unknown(export: NetworkExport, capsys: pytest.CaptureFixture[str]) -> None:
    export.adapters("mlx5_0")
    export.samples(0, 100, -7, 100, -(1 << 62))
    export.samples(6, -3, -3, -3, -3)  # a temperature may be below zero
    found = answer(export, capsys, "--range", "0/80ms")
    sent, degrees = found["rows"]
    assert (sent["bytes"], sent["mean"], sent["samples"], sent["coverage_pct"]) == (4000, 100_000.0, 2, 50.0)
    assert (degrees["mean"], degrees["samples"]) == (-3.0, 4)
    assert "2 samples with a negative rate left out: their time is unknown" in found["notes"]


def test_switches(export: NetworkExport, capsys: pytest.CaptureFixture[str]) -> None:
    export.sample(0, 20 * MS, 0, 5, device=77, port=4, table="NET_IB_SWITCH_METRIC")
    export.row("NET_IB_DEVICE_INFO", networkId=1, guid=77, name="leaf-3", des="", lid=1)
    export.row("NET_IB_DEVICE_PORT_INFO", guid=77, portNumber=4, portLabel="4/1", portLid=2)
    (row,) = answer(export, capsys)["rows"]
    assert (row["device"], row["port"], row["bytes"]) == ("leaf-3", "4/1", 100)


def test_a_setting_that_is_none(
    export: NetworkExport, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    config = tmp_path / "nsystui" / "config.toml"
    config.parent.mkdir()
    config.write_text('[network]\nspede = {"mlx5_0" = "1Gbit"}\n')
    export.adapters("mlx5_0")
    export.samples(0, 10)
    assert main(["network", str(export.write()), "--no-cache"]) == 2
    said = capsys.readouterr().err
    assert said == f"nsystui: {config}: [network] spede: there is no such setting; there is speed\n"


def test_by_step(export: NetworkExport, capsys: pytest.CaptureFixture[str]) -> None:
    export.adapters("mlx5_0")
    export.samples(0, 10, 20, 30, 40, 50, 60)
    for number in range(3):
        export.push_pop(f"step {number}", number * 40 * MS, (number + 1) * 40 * MS - 10 * MS)
        export.runtime("cudaLaunchKernel", number * 40 * MS, number * 40 * MS + 5, corr=number)
        export.kernel(number * 40 * MS, number * 40 * MS + 9, corr=number)
    rows = answer(export, capsys, "--by", "step")["rows"]
    assert [(row["step"], row["bytes"]) for row in rows] == [(1, 400), (2, 1000), (3, 1600)]


def test_speeds_of_the_config_file(
    export: NetworkExport, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    config = tmp_path / "nsystui" / "config.toml"
    config.parent.mkdir()
    config.write_text('[network]\nspeed = {"mlx5_*" = "1Gbit"}\n')
    export.adapters("mlx5_0", "eth0")
    export.sample(0, 20 * MS, 0, 12_500)
    export.sample(0, 20 * MS, 0, 12_500, device=901)
    assert [row["used_pct"] for row in answer(export, capsys)["rows"]] == [None, 10.0]
    config.write_text('[network]\nspeed = {"mlx5_0" = "fast"}\n')
    assert main(["network", str(export.path), "--no-cache"]) == 2
    assert "'fast' is no speed" in capsys.readouterr().err
    config.write_text("[network]\nspeed = 4\n")
    assert main(["network", str(export.path), "--no-cache"]) == 2


@pytest.mark.parametrize(
    ("text", "speed"),
    [("400Gbit", 50e9), ("400G", 50e9), ("25 Gbit/s", 25e9 / 8), ("50GB/s", 50e9), ("100Mbps", 12.5e6)],
)
def test_speed(text: str, speed: float) -> None:
    assert parse_speed(text) == speed


@pytest.mark.parametrize("text", ["", "fast", "0G", "-1G", "4 X"])
def test_no_speed(text: str) -> None:
    with pytest.raises(UsageError):
        parse_speed(text)


def test_nothing_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = NetworkExport(tmp_path / "x.sqlite")
    export.kernel(0, 10)
    assert main(["network", str(export.write()), "--no-cache"]) == 3
    assert "--nic-metrics" in capsys.readouterr().err
    export.empty("NET_NIC_METRIC")
    assert main(["network", str(export.write()), "--no-cache"]) == 3
    assert "captured, no rows" in capsys.readouterr().err


def test_words(export: NetworkExport, capsys: pytest.CaptureFixture[str]) -> None:
    export.adapters("mlx5_0")
    export.samples(0, *[12_500] * 6)
    assert main(["network", str(export.write()), "--no-cache", "--range", "/", "--wide"]) == 0
    out = capsys.readouterr().out
    assert "12.5 MB/s" in out
    assert "1.50 MB" in out
    assert "not from files" in out
