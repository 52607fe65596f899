"""The options after a rule's name: what nsys does with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.stats.conftest import rows_of
from tests.support.export import DTOH, Export
from tui.analysis.index import Index
from tui.analysis.rules import RULES, choose
from tui.analysis.window import make_scope
from tui.analysis.work_window import recorded_window
from tui.cli import main
from tui.errors import NothingThere, UsageError
from tui.report import open_report


@pytest.fixture
def index(tmp_path: Path) -> Index:
    export = Export(tmp_path / "x.sqlite")
    for at, pid, tid in ((100, 100, 1), (300, 100, 2), (500, 200, 1), (700, 200, 3)):
        corr = export.runtime("cudaMemcpy_v3020", at, at + 5, pid=pid)
        export.memcpy(at + 10, at + 20, pid=pid, kind=DTOH, corr=corr)
        export.runtime("cudaDeviceSynchronize_v3020", at, at + 30, pid=pid, tid=tid)
    export.nvtx(59, 0, 250, "r")
    export.domain(5, "domain")
    export.nvtx(59, 400, 600, "of a domain", pid=200, domain=5)
    export.domain(5, "domain", pid=200)
    return Index(open_report(export.write(), use_store=False))


def starts(index: Index, text: str, **limits: Any) -> list[int]:
    """When what the rule shows starts."""
    report = index.report
    (chosen,) = choose([text])
    answer = chosen.answer(index, make_scope(report, default=recorded_window), limits, 50)
    if answer is None:
        return []
    table = answer.finding.table.head(answer.rows)
    place = [column.header for column in table.columns].index("Start (ns)")
    return sorted(row[place] for row in rows_of(table))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cuda_memcpy_sync", [110, 310, 510, 710]),
        ("cuda_memcpy_sync:rows=-1", [110, 310, 510, 710]),
        ("cuda_memcpy_sync:rows=2", [110, 310]),
        ("cuda_memcpy_sync:rows=1:rows=2", [110, 310]),
        ("cuda_memcpy_sync:start=120", [110, 310, 510, 710]),
        ("cuda_memcpy_sync:start=121", [310, 510, 710]),
        ("cuda_memcpy_sync:end=510", [110, 310]),
        ("cuda_memcpy_sync:end=511", [110, 310, 510]),
        ("cuda_memcpy_sync:start=320:end=511", [310, 510]),
        ("cuda_memcpy_sync:nvtx=r", [110]),
        ("cuda_memcpy_sync:nvtx=r:end=1us", [110, 310]),  # still those of its process
        ("cuda_memcpy_sync:nvtx=of a domain@domain", [510]),
        ("cuda_memcpy_sync:end=1:start=5", []),
        ("cuda_api_sync", [100, 300, 500, 700]),
        ("cuda_api_sync:process=200", [500, 700]),
        ("cuda_api_sync:process=0", [100, 300, 500, 700]),
        ("cuda_api_sync:thread=1", [100, 500]),
        ("cuda_api_sync:process=200:thread=1", [500]),
        ("cuda_api_sync:thread=9", []),
        ("gpu_gaps:gap=0", [120, 520]),
        ("gpu_gaps:gap=191ns", []),
        ("gpu_gaps:gap=189ns:start=600", []),
        ("gpu_time_util:chunks=1", [110, 510]),
        ("gpu_time_util:chunks=1:threshold=5", []),
    ],
)
def test_what_each_option_keeps(index: Index, text: str, expected: list[int]) -> None:
    assert starts(index, text) == expected


def test_an_option_counts_before_that_of_the_command(index: Index) -> None:
    assert starts(index, "gpu_gaps", gap_ns=0) == [120, 520]
    assert starts(index, "gpu_gaps:gap=1", gap_ns=0) == []  # milliseconds


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "cuda_memcpy_sync:process=1",
            "rule cuda_memcpy_sync has no option 'process=1'; it takes rows=, start=, end=, nvtx=",
        ),
        ("gpu_gaps:rows", "rule gpu_gaps has no option 'rows'; it takes rows=, start=, end=, nvtx=, gap="),
        ("gpu_gaps:rows=x", "rows=x of rule gpu_gaps: 'x' is no integer"),
        ("gpu_gaps:gap=0.5", "gap=0.5 of rule gpu_gaps: '0.5' is no integer"),
        ("gpu_time_util:chunks=0", "--chunks is at least 1"),
        ("gpu_time_util:start=soon", "'soon' is no time"),
    ],
)
def test_what_is_no_option(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        choose([text])
    assert str(caught.value).startswith(message)


def test_a_range_that_is_not_there(index: Index) -> None:
    for name in ("nope", "of a domain", "r/0"):
        with pytest.raises(NothingThere, match="no NVTX range"):
            starts(index, f"cuda_memcpy_sync:nvtx={name}")


def test_a_process_that_is_not_there(index: Index) -> None:
    with pytest.raises(UsageError, match="no process 300 in the report"):
        starts(index, "cuda_api_sync:process=300")


def test_every_rule_takes_the_common_options(index: Index) -> None:
    for name in RULES:
        (chosen,) = choose([f"{name}:rows=1:start=0:end=1s:nvtx=r"])
        assert chosen.rule.name == name


def test_the_command(index: Index, capsys: pytest.CaptureFixture[str]) -> None:
    path, rules = str(index.report.path), "cuda_api_sync:rows=1:start=120,gpu_gaps:gap=0"
    assert main(["analyze", path, "-r", rules, "-f", "json", "--no-cache"]) == 0
    waits, gaps = json.loads(capsys.readouterr().out)["rules"]
    assert (waits["found"], len(waits["rows"]), waits["window"]["start_ns"]) == (4, 1, 120)
    assert (gaps["found"], len(gaps["rows"])) == (2, 2)
    assert "window" not in gaps
    assert main(["help", "gpu_gaps"]) == 0
    assert "gap=MS" in capsys.readouterr().out
