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


@pytest.mark.parametrize("form", FORMS)
def test_ranks_by_nccl(form: Form, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_ranks(tmp_path, form)
    assert main(["ranks", str(tmp_path), "-f", "json", "--no-cache"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert "nccl" in json.dumps(document["ranks"])
