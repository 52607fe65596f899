"""`nsystui info`: every table of an export has a word, and what was not captured says what would."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.export import Export
from tests.support.real import real_export
from tui.analysis.kinds import KINDS, SUBJECTS, word_of
from tui.cli import main
from tui.report.table_names import _NAMES


def info(path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    assert main(["info", str(path), "--no-cache", "-f", "json", *options]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_no_table_of_the_schema_without_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    path = real_export("cpu-2023.4/all-tables")
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        names = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert len(names) == 179
    found = info(path, capsys)
    assert {table["name"] for table in found["tables"]} == names
    assert [table["name"] for table in found["tables"] if not table["gives"]] == []
    assert main(["info", str(path), "--no-cache", "--all"]) == 0
    text = capsys.readouterr().out
    assert [name for name in names if name not in text] == []


LATER = (
    "SOC_METRICS", "SYSCALL", "SYSCALL_CALLCHAINS", "OSRT_FILE_ACCESS_EVENTS", "OSRT_FILE_ACCESS_DESCRIPTORS",
    "DIAGNOSTIC_EVENT", "CUDA_GPU_MEMORY_POOL_EVENTS", "NVTX_PAYLOAD_ENUMS", "NET_IB_PORT_INFO",
    "GENERIC_EVENT_DATA", "FECS_EVENTS", "CUPTI_ACTIVITY_KIND_OVERHEAD", "ENUM_CUPTI_OVERHEAD_TYPE",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "CUDA_GRAPH_NODE_EVENTS", "TARGET_INFO_NIC_INFO",
)  # fmt: skip


@pytest.mark.parametrize("table", [*LATER, *_NAMES])
def test_tables_of_all_releases(table: str) -> None:
    assert word_of(table)


def test_a_table_that_nobody_knows() -> None:
    assert word_of("MY_OWN_EVENTS") is None


def test_every_kind_has_tables_of_its_own() -> None:
    count = Counter(table for kind in KINDS for table in kind.tables)
    assert [table for table, n in count.items() if n > 1] == []
    assert len({kind.name for kind in KINDS}) == len(KINDS)
    assert all(kind.option and kind.gives for kind in KINDS)
    assert all(subject.kinds for subject in SUBJECTS)


def test_not_captured_is_not_captured_without_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 10)
    export.empty("MPI_OTHER_EVENTS", "OSRT_API")
    export.mpi("MPI_Allreduce", 0, 10)
    export.sql("CREATE TABLE CUDNN_EVENTS (start INT, end INT, eventClass INT, globalTid INT, nameId INT)")
    path = export.write()
    found = {row["data"]: (row["state"], row["rows"], row["gives"]) for row in info(path, capsys)["captured"]}
    assert found["MPI calls"] == (
        "captured",
        1,
        "MPI lanes, gaps; stats -r mpi_event_sum,mpi_comm_sum; ranks",
    )
    assert found["OS calls"] == ("captured, no rows", 0, "captured, no rows")
    assert found["cuDNN calls"] == ("captured, no rows", 0, "captured, no rows")
    assert found["UCX calls"] == ("not captured", None, "not captured; nsys profile --trace=ucx adds it")
    assert main(["info", str(path), "--no-cache"]) == 0
    text = capsys.readouterr().out
    assert "UCX" not in text
    assert "more kinds of data were not captured (--all lists them)" in text
    assert main(["info", str(path), "--no-cache", "--all"]) == 0
    assert "not captured; nsys profile --trace=ucx adds it" in capsys.readouterr().out
