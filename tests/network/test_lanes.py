"""The lanes and the tab of networks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.network import MS, NetworkExport
from tui.analysis.index import Index
from tui.cli import main
from tui.report import open_report
from tui.timeline.extra.network_lanes import load_network, network_lanes
from tui.timeline.series import Density, Level, Pair, Series


@pytest.fixture
def export(tmp_path: Path) -> NetworkExport:
    found = NetworkExport(tmp_path / "x.sqlite")
    found.metrics()
    found.adapters("mlx5_0", "mlx5_1")
    found.kernel(0, 100 * MS)
    return found


def lines_of(export: NetworkExport) -> tuple[Series, ...]:
    report = open_report(export.write(), use_store=False)
    (lane,) = network_lanes(report)
    assert (lane.device, lane.thread, lane.title) == (-1, -1, "network")
    return load_network(Index(report))


def test_one_line_a_port(export: NetworkExport) -> None:
    export.samples(0, 100, 200, 0, 400)
    export.samples(1, 10, 20, 30, 50)
    export.samples(3, 0, 5, 0, 0)
    export.samples(2, 7, 7, 7, 7, device=901, port=2)
    export.samples(0, 0, 0, 0, 0, device=901)  # 0 throughout: no line
    pair, waits, packets = lines_of(export)
    assert isinstance(pair, Pair)
    assert (pair.title, pair.upper.top, pair.lower.top) == ("mlx5_0", 400_000.0, 400_000.0)
    cells = pair.upper.values.over(np.array([0, 40, 80, 100]) * MS)
    np.testing.assert_allclose(cells.mean, [150_000, 200_000, np.nan])
    np.testing.assert_allclose(cells.high, [200_000, 400_000, np.nan])
    assert isinstance(waits, Level)
    assert (waits.title, waits.style, waits.words(5000)) == ("mlx5_0 waits", "series.7", "5.00 k ticks/s")
    assert isinstance(packets, Level)
    assert packets.title == "mlx5_1/2 IB: Packets sent"


def test_one_direction_alone(export: NetworkExport) -> None:
    export.samples(0, 100, 200)
    (sent,) = lines_of(export)
    assert isinstance(sent, Level)
    assert (sent.title, sent.style, sent.words(150_000)) == ("mlx5_0 sent", "series.4", "150 kB/s")


def test_the_scale_is_the_configured_speed(
    export: NetworkExport, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "nsystui").mkdir()
    config = tmp_path / "nsystui" / "config.toml"
    config.write_text('[network]\nspeed = {"mlx5_0" = "80Mbit"}\n')
    export.samples(0, 100, 200)
    (sent,) = lines_of(export)
    assert isinstance(sent, Level)
    assert sent.top == 10_000_000.0
    config.write_text("[network]\nspeed = 5\n")
    (sent,) = lines_of(export)
    assert isinstance(sent, Level)
    assert sent.top == 200_000.0


def test_congestion(export: NetworkExport) -> None:
    for at in (5, 6, 50):
        export.row("NET_IB_SWITCH_CONGESTION_EVENT", start=at * MS, globalId=77, congestionType=1)
    export.row("NET_IB_DEVICE_INFO", networkId=1, guid=77, name="leaf-3", des="", lid=1)
    (line,) = lines_of(export)
    assert isinstance(line, Density)
    assert line.title == "leaf-3 congestion"
    assert line.counts.over(np.array([0, 6, 10, 100]) * MS).tolist() == [1, 1, 1]


def test_no_lane_without_samples(export: NetworkExport) -> None:
    assert list(network_lanes(open_report(export.write(), use_store=False))) == []


def test_names_are_safe(tmp_path: Path) -> None:
    export = NetworkExport(tmp_path / "x.sqlite")
    export.metrics()
    export.adapters("\x1b[31mred\n")
    export.samples(0, 100, 200)
    (sent,) = load_network(Index(open_report(export.write(), use_store=False)))
    assert "\x1b" not in sent.title
    assert not any("\x1b" in word or "\n" in word for pair in sent.details for word in pair)


def test_the_picture_and_the_tab(export: NetworkExport, capsys: pytest.CaptureFixture[str]) -> None:
    export.samples(0, 100, 200, 0, 400, 400, every=20 * MS)
    path = str(export.write())
    for ascii_only in ([], ["--ascii"]):
        command = ["view", path, "--tab", "network", "--size", "170x40", "--no-cache", *ascii_only]
        assert main(command) == 0
        out = capsys.readouterr().out
        assert "mlx5_0 sent" in out
        assert "Ports in" in out
        assert "400 kB/s" in out
