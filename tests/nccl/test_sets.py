"""Sets of reports know communicators and sizes from payloads, wherever the exports have them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.nccl.test_calls import COMM, KERNEL, MB
from tests.support.payloads import FORMS, Form, NcclExport
from tui.cli import main


def write_ranks(folder: Path, form: Form, ranks: int = 3) -> None:
    """Ranks that all-reduce five times 2 MiB; each is later than the one before it by 10 us."""
    for rank in range(ranks):
        pid = 1000 + rank
        export = NcclExport(folder / f"r{rank}.sqlite")
        export.form = form
        export.describe()
        export.process(pid, "train")
        export.call("ncclCommInitRank", 0, 10, "init", (COMM, ranks, rank, 0), pid=pid)
        for number in range(5):
            at = 1_000_000 + number * 1_000_000
            export.push_pop(f"step {number}", at - 50_000, at + 600_000, pid=pid)
            export.call("ncclAllReduce", at, at + 500, "reduce", (COMM, 2 * MB, 0), pid=pid)
            corr = export.runtime("cudaLaunchKernelExC_v11060", at + 100, at + 200, pid=pid)
            export.kernel(at + 1000 + 10_000 * rank, at + 500_000, pid=pid, corr=corr, name=KERNEL, stream=9)
        export.write()


@pytest.mark.parametrize("form", [*FORMS, "absent"])
def test_bytes_and_communicators(form: Form, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_ranks(tmp_path, form)
    assert main(["collectives", str(tmp_path), "-f", "json", "--no-cache"]) == 0
    document = json.loads(capsys.readouterr().out)
    (row,) = document["rows"]
    known = form != "absent"
    assert row["match"] == ("sequence" if known else "order")
    assert row["bytes"] == (2 * MB if known else None)
    assert (row["transfer_ns"], row["instances"]) == (479_000, 5)
    if known:
        assert row["algbw_gbps"] == pytest.approx(4.3782, abs=1e-4)
        assert row["busbw_gbps"] == pytest.approx(4.3782 * 4 / 3, abs=1e-3)
    else:
        assert row["algbw_gbps"] is None


def test_ranks_that_are_missing_are_expected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_ranks(tmp_path, "json")
    (tmp_path / "r1.sqlite").unlink()
    assert main(["collectives", str(tmp_path), "-f", "json", "--no-cache"]) == 0
    document = json.loads(capsys.readouterr().out)
    (communicator,), (row,) = document["communicators"], document["rows"]
    assert row["busbw_gbps"] == pytest.approx(4.3782 * 4 / 3, abs=1e-3)  # of three ranks, seen or not
    assert (communicator["communicator"], communicator["expected"]) == (hex(COMM), 3)
    assert len(communicator["ranks"]) == 2


@pytest.mark.parametrize("form", FORMS)
def test_ranks_by_nccl(form: Form, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_ranks(tmp_path, form)
    assert main(["ranks", str(tmp_path), "-f", "json", "--no-cache"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert "nccl" in json.dumps(document["ranks"])


def one(folder: Path, form: Form) -> Path:
    write_ranks(folder, form, ranks=1)
    return folder / "r0.sqlite"


def test_one_report_has_no_waits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = NcclExport(tmp_path / "x.sqlite")
    export.describe()
    export.call("ncclCommInitRank", 0, 10, "init", (COMM, 8, 0, 0))
    for at, (size, length) in enumerate(((2 * MB, 400), (2 * MB, 300), (MB, 200), (2 * MB, 500))):
        start = 10_000 + 1000 * at
        export.call("ncclAllReduce", start, start + 50, "reduce", (COMM, size, 0))
        corr = export.runtime("cudaLaunchKernelExC_v11060", start + 10, start + 20)
        export.kernel(start + 60, start + 60 + length, corr=corr, name=KERNEL, stream=9)
    start = 30_000
    export.call("ncclAllGather", start, start + 50, "plain", (COMM, 1000))
    corr = export.runtime("cudaLaunchKernelExC_v11060", start + 10, start + 20)
    export.kernel(start + 60, start + 160, corr=corr, name="ncclDevKernel_AllGather_RING_LL()", stream=9)
    assert main(["collectives", str(export.write()), "-f", "json", "--no-cache"]) == 0
    document = json.loads(capsys.readouterr().out)
    rows = {(row["operation"], row["bytes"]): row for row in document["rows"]}
    assert set(rows) == {("AllReduce", 2 * MB), ("AllReduce", MB), ("AllGather", 1000)}
    row = rows["AllReduce", 2 * MB]
    assert (row["instances"], row["operations"], row["total_ns"], row["of_ranks"]) == (3, 3, 1200, 8)
    assert (row["transfer_ns"], row["wait_ns"], row["algbw_gbps"]) == (None, None, None)
    assert (row["communicator"], row["includes_wait"]) == (hex(COMM), "yes")
    assert row["best_algbw_gbps"] == 6990.5  # 2,097,152 bytes in 300 ns
    assert row["best_busbw_gbps"] == 12233.0
    assert rows["AllGather", 1000]["best_algbw_gbps"] == 80.0  # 8 ranks hold 1000 bytes each, in 100 ns
    assert any(note.startswith("best: ") for note in document["notes"])


def test_sizes_that_were_left_out_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["collectives", str(one(tmp_path, "absent")), "--no-cache"]) == 0
    assert "--include-json=true" in capsys.readouterr().err
