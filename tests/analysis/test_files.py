"""Files: which were read, how fast, which a call read, and which a gap waited for."""

from __future__ import annotations

import json
import random
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.support.export import Export
from tests.support.real import real_export
from tui.analysis.files.accesses import file_accesses
from tui.analysis.files.of_calls import words_of_call
from tui.analysis.index import Index
from tui.cli import main
from tui.errors import ReportError
from tui.report import open_report

MS = 1_000_000


@pytest.fixture
def export(tmp_path: Path) -> Export:
    """A gap 1-5 ms in which the launching thread reads 2 MB for 3 ms, then 1 kB of another for 0.5 ms."""
    made = Export(tmp_path / "x.sqlite", "2026.2")
    made.launch((0, 100), (0, 1 * MS))
    made.launch((5 * MS - 1000, 5 * MS), (5 * MS, 6 * MS))
    made.file(0, "/data/shard_17.tar", opened=10)
    made.file(1, "/data/index.json", opened=20)
    made.file_access(0, 10, 20, call="open64", kind=1)
    for number, start, end, size in ((0, 1 * MS, 4 * MS, 2_000_000), (1, 4 * MS, 4 * MS + 500_000, 1000)):
        made.osrt("read", start, end)
        made.file_access(number, start, end, size)
    made.file_access(0, 7 * MS, 8 * MS, 500_000, call="pwrite64", kind=4)
    return made


def rows(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> list[dict[str, Any]]:
    assert main(["files", str(path), "--no-cache", "-f", "json", *words]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["rows"]
    return found


def test_one_row_a_file(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    shard, index = rows(capsys, export.write())
    assert shard == {
        "path": "/data/shard_17.tar",
        "reads": 1,
        "bytes": 2_000_000,
        "ns": 3 * MS,
        "rate_mbps": 666.7,
        "opens": 1,
        "writes": 1,
        "bytes_written": 500_000,
        "write_ns": 1 * MS,
        "others": 0,
        "rate": 666_666_666,
    }
    assert [index[key] for key in ("path", "reads", "bytes", "ns", "rate")] == [
        "/data/index.json", 1, 1000, 500_000, 2_000_000,
    ]  # fmt: skip


def test_a_window_and_a_process(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    path = export.write()
    assert [r["path"] for r in rows(capsys, path, "--range", "4100us/4200us")] == ["/data/index.json"]
    assert main(["files", str(path), "--no-cache", "--range", "4800us/4900us"]) == 3
    assert "no file was accessed" in capsys.readouterr().err


def test_what_is_not_known_is_not_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bytes of one read are NULL: the sum is unknown. A number that no file has is unnamed."""
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 10)
    export.osrt("read", 0, 5)
    export.file(5, "/a")
    export.file_access(5, 0, 5, 10)
    export.file_access(5, 6, 6, None)  # type: ignore[arg-type]
    export.file_access(9, 7, 7, 3)
    export.file_access(9, 9, 8, 3)
    found = rows(capsys, export.write())
    assert [(r["path"], r["reads"], r["bytes"], r["ns"], r["rate"]) for r in found] == [
        ("/a", 2, None, 5, None),
        (None, 1, 3, 0, None),
    ]
    assert main(["files", str(export.path), "--no-cache", "-f", "csv"]) == 0
    assert (
        "of 1 call the file is not known; 1 rows whose times can't be true are left out"
        in capsys.readouterr().err
    )


def test_names_tell_where_the_export_does_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 10)
    export.file(1, "/a")
    for start, name in enumerate(("open", "pread64", "fread", "write", "fstat", "close")):
        export.file_access(1, 10 * start, 10 * start + 5, 100, call=name, kind=0)
    (row,) = rows(capsys, export.write())
    assert [row[key] for key in ("opens", "reads", "writes", "others", "bytes")] == [1, 2, 1, 2, 200]


def test_numbers_that_are_used_again_and_processes_that_share_a_thread_number(tmp_path: Path) -> None:
    """File 1 is /a from 0 on and /b from 100 on, in process 200; both processes have a thread 7."""
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 10)
    for pid in (100, 200):
        export.osrt("read", 0, 5, pid=pid, tid=7)
    export.file(1, "/b", opened=100, pid=200)
    export.file(1, "/a", opened=0, pid=100)
    export.file_access(1, 50, 60, tid=7)
    export.file_access(1, 150, 160, tid=7)
    export.file_access(1, 170, 180, tid=99)
    index = Index(open_report(export.write(), use_store=False))
    found = file_accesses(index)
    assert [found.paths[file] for file in found.file] == ["/a", "/b", "/b"]
    threads = index.report.threads
    assert [threads[t].pid if t >= 0 else None for t in found.thread.tolist()] == [100, 200, None]


def test_no_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 10)
    assert main(["files", str(export.write()), "--no-cache"]) == 3
    assert (
        "file accesses: not captured; nsys profile --trace=osrt --osrt-file-access=true"
        in capsys.readouterr().err
    )
    export.empty("OSRT_FILE_ACCESS_EVENTS")
    assert main(["files", str(export.write()), "--no-cache"]) == 3
    assert "file accesses: captured, no rows" in capsys.readouterr().err
    assert main(["files", str(export.path), "--top", "-1"]) == 2


def test_the_file_of_a_call(export: Export) -> None:
    index = Index(open_report(export.write(), use_store=False))
    assert words_of_call(index, 0) == ["/data/shard_17.tar · read, 2,000,000 B  (2.000 MB), 666.7 MB/s"]
    assert words_of_call(index, 1) == ["/data/index.json · read, 1,000 B, 2.0 MB/s"]


def test_what_a_gap_waited_for(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(export.write())
    assert main(["gaps", path, "--no-cache", "-f", "json", "--min-gap", "100us"]) == 0
    (gap,) = json.loads(capsys.readouterr().out)["devices"][0]["gaps"]
    assert gap["files"] == [
        {"path": "/data/shard_17.tar", "bytes": 2_000_000, "ns": 3 * MS, "rate_gbps": 0.667},
        {"path": "/data/index.json", "bytes": 1000, "ns": 500_000, "rate_gbps": 0.002},
    ]
    assert main(["gaps", path, "--no-cache", "--wide"]) == 0
    assert "read 2.0 MB of shard_17.tar at 0.7 GB/s" in capsys.readouterr().out


def test_reads_across_the_edges_of_gaps_by_brute_force(tmp_path: Path) -> None:
    """300 reads of 3 files by 2 threads; each stretch's nanoseconds one by one."""
    from tui.analysis.files.reads_in import reads_by_stretch

    rng = random.Random(7)
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 10)
    for tid in (1, 2):
        export.osrt("read", 0, 1, tid=tid)
    for number in range(3):
        export.file(number, f"/f{number}")
    story = []
    for _ in range(120):
        start = rng.randrange(2000)
        one = (
            rng.randrange(3),
            start,
            start + rng.randrange(1, 60),
            10 * rng.randrange(50),
            rng.choice((1, 2)),
        )
        story.append(one)
        export.file_access(*one[:4], tid=one[4])
    index = Index(open_report(export.write(), use_store=False))
    by_tid = {t.tid: t.index for t in index.report.threads}
    import numpy as np

    stretches = [(s := rng.randrange(2000), s + rng.randrange(1, 200), rng.choice((1, 2))) for _ in range(60)]
    found = reads_by_stretch(
        index,
        np.array([s for s, _, _ in stretches]),
        np.array([e for _, e, _ in stretches]),
        np.array([by_tid[t] for _, _, t in stretches]),
    )
    for (low, high, tid), reads in zip(stretches, found, strict=True):
        expected: dict[str, list[int]] = {}
        for number, start, end, size, who in story:
            inside = min(high, end) - max(low, start)
            if who == tid and inside > 0:
                sums = expected.setdefault(f"/f{number}", [0, 0])
                sums[0] += size * inside // (end - start)
                sums[1] += inside
        assert {r.path: [r.bytes, r.ns] for r in reads} == expected
        assert [r.ns for r in reads] == sorted((r.ns for r in reads), reverse=True)


def faults(capsys: pytest.CaptureFixture[str], path: Path) -> dict[str, Any]:
    assert main(["diagnose", str(path), "--no-cache", "-f", "json"]) == 0
    return {f["fault"]: f for f in json.loads(capsys.readouterr().out)["findings"]}


def test_a_slow_file_is_a_finding(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    """3.5 of 6 ms are lost to the two files."""
    found = faults(capsys, export.write())["slow-input-file"]
    assert found["title"] == "the device waits for reads of shard_17.tar and 1 other file"
    assert found["cost_ns"] == 3_500_000


def test_reads_beside_the_device_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same reads by another thread, and by the same while the device works."""
    export = Export(tmp_path / "x.sqlite")
    export.launch((0, 100), (0, 1 * MS))
    export.launch((5 * MS - 1000, 5 * MS), (5 * MS, 9 * MS))
    export.file(0, "/data/shard_17.tar")
    for start, tid in ((1 * MS, 2), (6 * MS, 1)):
        export.osrt("read", start, start + 3 * MS, tid=tid)
        export.file_access(0, start, start + 3 * MS, 2_000_000, tid=tid)
    assert "slow-input-file" not in faults(capsys, export.write())


@pytest.mark.parametrize("name", ["osrt-2026.1", "graph-mode-2025.5"])
def test_recorded_accesses_are_those_of_os_calls(name: str) -> None:
    """Every access is a call of OSRT_API of the same thread and time: by SQL and here."""
    path = real_export(name)
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        (expected,) = db.execute(
            "SELECT count(*) FROM OSRT_FILE_ACCESS_EVENTS e JOIN OSRT_API o ON o.start = e.startedAt "
            "AND o.end = e.endedAt AND o.globalTid & 0xFFFFFF = e.threadId"
        ).fetchone()
    index = Index(open_report(path, use_store=False))
    calls = index.report.os_calls
    told = [call for call in range(len(calls)) if words_of_call(index, call)]
    assert len(told) == expected == {"osrt-2026.1": 7, "graph-mode-2025.5": 48}[name]
    assert {index.report.strings[int(calls.name[call])] for call in told} <= {"open", "open64"}


def test_gaps_do_without_files_that_can_not_be_read(
    export: Export, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged part of the export: what only adds to the answer is said to be unknown."""

    def fail(index: Index) -> None:
        raise ReportError(f"{index.report.path}: damaged")

    path = str(export.write())
    monkeypatch.setattr("tui.analysis.files.accesses.file_accesses", fail)
    assert main(["gaps", path, "--no-cache", "-f", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert "files" not in document["devices"][0]["gaps"][0]
    assert "files that were accessed: not known: damaged" in document["notes"]


def test_gaps_on_the_timeline_name_the_file(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["view", str(export.write()), "--no-cache", "--size", "160x12", "--range", "1ms/5ms"]
    assert main(command) == 0
    assert "read 2.0 MB of shard_17.tar at 0.7 GB/s" in capsys.readouterr().out


@pytest.mark.parametrize("damaged", [(1 << 62) + 1, -7])
def test_sizes_beyond_every_machine_are_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], damaged: int
) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 500)
    export.file(1, "/data/a")
    for at in range(9):
        export.file_access(1, 10 + 20 * at, 20 + 20 * at, damaged)
    assert main(["files", str(export.write()), "-f", "json", "--no-cache"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["reads"], row["bytes"], row["rate"]) == (9, None, None)
