"""MPI by communicator, UCX by operation: time, bytes and the life of requests."""

from __future__ import annotations

import json
import random
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from fixtures.trace import global_id
from tests.support.export import Export
from tests.support.real import real_export
from tui.analysis.stats.ucx import request_ends
from tui.cli import main
from tui.report import open_report
from tui.report.columns import NULL
from tui.report.extra.tables import UCX_PROGRESS, UCX_SUBMIT

TID = global_id(100, 1)


def answer(path: Path, report: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    assert main(["stats", str(path), "-r", report, "-f", "json", "--no-cache"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["reports"]
    return [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]


@pytest.fixture
def export(tmp_path: Path) -> Export:
    made = Export(tmp_path / "x.sqlite")
    made.kernel(0, 10)
    return made


def test_mpi_by_communicator(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    for start, end, handle, size, received in (
        (0, 10, 0xA0, 100, 50), (20, 40, 0xA0, 200, 150), (50, 80, 0xB0, None, None), (90, None, 0xB0, 7, 7),
    ):  # fmt: skip
        export.row(
            "MPI_COLLECTIVES_EVENTS", start=start, end=end, globalTid=TID, textId="MPI_Allreduce",
            commHandle=handle, size=size, recvSize=received,
        )  # fmt: skip
    export.row("MPI_P2P_EVENTS", start=0, end=5, globalTid=TID, textId="MPI_Send", commHandle=0xA0, size=8)
    export.row("MPI_P2P_EVENTS", start=6, end=7, globalTid=TID, textId="MPI_Send", commHandle=0xA0, size=None)
    export.row("MPI_P2P_EVENTS", start=8, end=9, globalTid=TID, textId="MPI_Irecv", commHandle=0xA0, size=16)
    export.row("MPI_OTHER_EVENTS", start=0, end=2, globalTid=TID, textId="MPI_Init")
    export.row("MPI_COMMUNICATORS", rank=0, commHandle=0xA0, size=4, members=None)
    found = answer(export.write(), "mpi_comm_sum", capsys)
    keys = ("Event", "Communicator", "Ranks", "Count", "Total Time (ns)", "Sent (bytes)", "Received (bytes)")
    assert sorted(tuple(row[key] for key in keys) for row in found if row["Event"] != "MPI_Send") == [
        ("MPI_Allreduce", "0xA0", 4, 2, 30, 300, 200),
        ("MPI_Allreduce", "0xB0", None, 1, 30, None, None),
        ("MPI_Init", None, None, 1, 2, None, None),
        ("MPI_Irecv", "0xA0", 4, 1, 1, None, 16),
    ]
    (send,) = [row for row in found if row["Event"] == "MPI_Send"]
    assert (send["Count"], send["Sent (bytes)"]) == (2, None)  # of one call the bytes are not known


def test_recorded_collectives_by_sql(capsys: pytest.CaptureFixture[str]) -> None:
    path = real_export("ranks-mpi-2023.4/healthy-rank0")
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        expected = db.execute(
            "SELECT count(*), sum(e.end - start), sum(e.size), sum(recvSize), c.size "
            "FROM MPI_COLLECTIVES_EVENTS e JOIN StringIds s ON s.id = textId "
            "JOIN MPI_COMMUNICATORS c USING (commHandle) "
            "WHERE value = 'MPI_Allreduce'"
        ).fetchone()
    assert expected == (40, 137_310_822, 128_000_000, 128_000_000, 4)
    (row,) = [r for r in answer(path, "mpi_comm_sum", capsys) if r["Event"] == "MPI_Allreduce"]
    keys = ("Count", "Total Time (ns)", "Sent (bytes)", "Received (bytes)", "Ranks")
    assert tuple(row[key] for key in keys) == expected


def test_lives_of_requests(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    """On buffer 1: 0-5 ends at 30, 10-12 at 50. On buffer 2 with tag 9: never. A progress of nothing."""
    for kind, start, end, buffer, tag, size in (
        ("SUBMIT", 0, 5, 1, 7, 100), ("SUBMIT", 10, 12, 1, 7, 60), ("SUBMIT", 20, 21, 2, 9, 5),
        ("PROGRESS", 25, 30, 1, 7, 100), ("PROGRESS", 45, 50, 1, 7, 60), ("PROGRESS", 60, 61, 2, 8, 1),
    ):  # fmt: skip
        export.row(
            f"UCP_{kind}_EVENTS", start=start, end=end, globalTid=TID, textId=f"ucp_{kind.lower()}",
            bufferAddr=buffer, packedSize=size, peerWorkerUid=3, tag=tag,
        )  # fmt: skip
    found = answer(export.write(), "ucx_sum", capsys)
    progress, submit = sorted(found, key=lambda row: row["Name"])
    keys = ("Count", "Total Time (ns)", "Bytes", "Requests", "Ended", "Avg Life (ns)")
    assert [submit[key] for key in keys] == [3, 8, 165, 3, 2, 35]
    assert [progress[key] for key in keys] == [3, 11, 161, 0, 0, None]


def test_nothing_there(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    for report in ("mpi_comm_sum", "ucx_sum"):
        assert main(["stats", str(export.write()), "-r", report, "--no-cache"]) == 3
        assert "does not contain" in capsys.readouterr().err


def test_ends_of_requests_by_brute_force(tmp_path: Path) -> None:
    """Each progress ends the oldest open request of its key; what is left stays open."""
    rng = random.Random(3)
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 10)
    story = []
    for number in range(300):
        kind, buffer, tag = rng.choice(("SUBMIT", "PROGRESS")), rng.randrange(3), rng.randrange(2)
        story.append((kind, buffer, tag, 10 * number))
        export.row(
            f"UCP_{kind}_EVENTS", start=10 * number, end=10 * number + 5, globalTid=TID, textId="x",
            bufferAddr=buffer, packedSize=1, peerWorkerUid=3, tag=tag,
        )  # fmt: skip
    waiting: dict[tuple[int, int], list[int]] = {}
    expected: dict[int, int] = {}
    for kind, buffer, tag, start in story:
        if kind == "SUBMIT":
            waiting.setdefault((buffer, tag), []).append(start)
        elif waiting.get((buffer, tag)):
            expected[waiting[buffer, tag].pop(0)] = start + 5
    report = open_report(export.write(), use_store=False)
    submits, progress = report.extra_rows(UCX_SUBMIT), report.extra_rows(UCX_PROGRESS)
    ends = request_ends(submits, progress).tolist()
    found = {start: end for start, end in zip(submits["start"].tolist(), ends, strict=True) if end != NULL}
    assert found == expected
