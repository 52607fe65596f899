"""The filters of nsys: the rows are those that it keeps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.stats.conftest import rows_of
from tests.support.export import Export
from tui.analysis.choices import Choices
from tui.analysis.filters import nvtx_filter, time_filter
from tui.analysis.index import Index
from tui.analysis.rules import RULES
from tui.analysis.scope import Scope
from tui.analysis.stats import choose
from tui.analysis.window import make_scope
from tui.cli import main
from tui.errors import NothingThere, UsageError
from tui.report import open_report
from tui.text.times import parse_times

PUSH_POP, START_END = 59, 60


@pytest.fixture
def index(tmp_path: Path) -> Index:
    export = Export(tmp_path / "x.sqlite")
    for name, call, kernel in (
        ("a", (0, 5), (10, 20)),
        ("b", (100, 105), (110, 120)),
        ("c", (200, 205), (300, 310)),
        ("d", (300, 400), (350, 360)),
        ("e", (500, 505), (510, 520)),
    ):
        export.kernel(*kernel, name=name, corr=export.runtime("cudaLaunchKernel_v7000", *call))
    for name, start, end in (("read", 90, 100), ("write", 100, 110), ("zero", 200, 200)):
        export.osrt(name, start, end)
    export.nvtx(PUSH_POP, 100, 200, "r")
    export.nvtx(PUSH_POP, 199, 300, "inner")
    export.nvtx(PUSH_POP, 200, 300, "at its end")
    return Index(open_report(export.write(), use_store=False))


def names(index: Index, report: str, scope: Scope) -> str:
    """The last column of the report: its names, or those of the ops."""
    return " ".join(str(row[-1]) for row in rows_of(choose(report).table(index, scope)))


def filtered(index: Index, report: str, text: str) -> str:
    scope = make_scope(index.report)
    return names(index, report, replace(scope, window=time_filter(index.report, text)))


@pytest.mark.parametrize(
    ("text", "kernels", "calls", "launched"),
    [
        ("20/100", "a", 0, ""),  # a ends at 20; its call ended before; the call of b starts at 100
        ("20/101", "a", 1, ""),
        ("100/200", "b", 1, "b"),
        ("105/120", "b", 1, "b"),
        ("115/200", "b", 0, ""),
        ("/100", "a", 1, "a"),
        ("300/", "c d e", 2, "d e"),
        ("320/380", "d", 1, "d"),
        ("-5/100", "a", 1, "a"),
        ("1us/2us", "", 0, ""),
        ("/-1us", "", 0, ""),
    ],
)
def test_what_a_time_filter_keeps(index: Index, text: str, kernels: str, calls: int, launched: str) -> None:
    assert filtered(index, "cuda_gpu_trace", text) == kernels
    assert len(filtered(index, "cuda_api_trace", text).split()) == calls
    assert filtered(index, "cuda_kern_exec_trace", text) == launched
    assert set(filtered(index, "cuda_kern_exec_sum", text).split()) == set(launched.split())


def test_a_range_leaves_out_what_a_filter_keeps(index: Index) -> None:
    scope = make_scope(index.report, "20/101")
    assert names(index, "cuda_gpu_trace", scope) == ""
    assert names(index, "cuda_kern_exec_trace", make_scope(index.report, "115/200")) == "b"


def test_the_other_tables_are_filtered_the_same_way(index: Index) -> None:
    assert filtered(index, "osrt_sum", "100/200") == "read write"
    assert filtered(index, "nvtx_sum", "100/200") == ":inner :r"


def test_names_of_ranges_are_found_without_the_filter(index: Index) -> None:
    assert filtered(index, "cuda_gpu_trace:nvtx-name", "115/200") == "r/b"


def test_a_launch_outside_the_filter_is_in_no_range(index: Index) -> None:
    assert filtered(index, "nvtx_gpu_proj_trace", "100/200") == ":1"  # the stack of ids: r
    assert filtered(index, "nvtx_gpu_proj_trace", "115/200") == ""
    scope = replace(make_scope(index.report), window=time_filter(index.report, "115/400"))
    rows = rows_of(choose("nvtx_kern_sum").table(index, scope))
    assert [(row[0], row[3], row[-1]) for row in rows] == [
        ("", None, "b"),  # its call ended before the filter starts
        ("", 1, "d"),
        (":at its end", 1, "c"),
        (":inner", 1, "c"),
    ]


def test_use_is_that_of_the_ops_that_are_kept(index: Index) -> None:
    scope = replace(make_scope(index.report), window=time_filter(index.report, "305/400"))
    (row,) = rows_of(RULES["gpu_time_util"].compute(index, Choices(scope, limits={"chunks": 1})).table)
    assert row[1:4] == [33.3, 60, 300]  # c and d, whole


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5", "'5' is no filter such as"),
        ("/", "'/' is no filter such as"),
        ("200/100", "filter 200/100 ends before it starts"),
        ("a/b", "'a' is no time such as"),
        ("100ns /200", "'100ns ' is no time such as"),
        ("20/100/3", "'100/3' is no time such as"),
        ("1e99/", "'1e99' is beyond 64-bit nanoseconds"),
    ],
)
def test_what_is_no_time_filter(index: Index, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        time_filter(index.report, text)


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("1s2ms3us4ns", 1_002_003_004),
        ("2ns5us2", 5_004),
        ("100ns5ns", 105),
        ("1.5us", 1_500),
        ("-2msec", -2_000_000),
        ("1e3", 1_000),
        ("1.5e-3s", 1_500_000),
        ("1m", 60_000_000_000),
        ("1hour1min1sec1usec1nsec", 3_661_000_001_001),
        ("1.5ns", 1),
    ],
)
def test_times_as_nsys_takes_them(text: str, ns: int) -> None:
    assert parse_times(text) == ns


@pytest.fixture
def ranges(tmp_path: Path) -> Index:
    export = Export(tmp_path / "ranges.sqlite")
    for pid in (100, 200):
        export.kernel(20, 30, pid=pid, name=f"k{pid}")
    export.nvtx(PUSH_POP, 500, 600, "later")
    export.nvtx(PUSH_POP, 5, 40, "later", pid=200)
    export.nvtx(START_END, 0, 100, "start/end")
    export.nvtx(PUSH_POP, 0, 100, "same", pid=200)
    export.nvtx(PUSH_POP, 0, 100, "same")
    export.nvtx(PUSH_POP, 5, None, "open")
    export.domain(5, "domain")
    export.nvtx(PUSH_POP, 0, 100, "of a domain", domain=5)
    export.nvtx(PUSH_POP, 0, 100, "a@b")
    export.nvtx(PUSH_POP, 0, 100, "slash/0")
    export.mark("mark", 25)
    return Index(open_report(export.write(), use_store=False))


@pytest.mark.parametrize(
    ("text", "kernels"),
    [
        ("later", "k200"),  # the first by start; of its process only
        ("later/0", "k200"),
        ("later/1", ""),
        ("start/end", "k100"),
        ("same", "k200"),  # the first as recorded
        ("same/1", "k100"),
        ("of a domain@domain", "k100"),
        ("a@b", "k100"),
        ("slash/0/0", "k100"),
    ],
)
def test_what_a_range_filter_keeps(ranges: Index, text: str, kernels: str) -> None:
    assert names(ranges, "cuda_gpu_trace", nvtx_filter(ranges, make_scope(ranges.report), text)) == kernels


@pytest.mark.parametrize(
    "text", ["nope", "later/2", "of a domain", "later@domain", "slash/0", "open", "mark", "LATER"]
)
def test_what_is_no_range_to_filter_by(ranges: Index, text: str) -> None:
    with pytest.raises(NothingThere, match="no NVTX range"):
        nvtx_filter(ranges, make_scope(ranges.report), text)


def test_a_range_filter_and_chosen_processes(ranges: Index) -> None:
    assert (
        names(
            ranges, "cuda_gpu_trace", nvtx_filter(ranges, make_scope(ranges.report, processes=[100]), "same")
        )
        == ""
    )


def test_the_options(index: Index, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(index.report.path)

    def printed(*options: str) -> list[str]:
        assert main(["stats", path, "-r", "cuda_gpu_trace", "-f", "csv", "--no-cache", *options]) == 0
        return [line.rsplit(",", 1)[1] for line in capsys.readouterr().out.splitlines()[1:]]

    assert printed("--filter-time", "20/101") == ["a"]
    assert printed("--filter-time=-5/100") == ["a"]
    assert printed("--filter-nvtx", "r", "--filter-time", "20/101") == ["b"]
    assert main(["analyze", path, "--filter-time", "20/101", "--no-cache", "-r", "gpu_gaps"]) == 0
    assert "nothing found" in capsys.readouterr().out
    assert main(["stats", path, "--range", "0/1", "--filter-time", "0/1", "--no-cache"]) == 2
    assert "--range and the filters of nsys can't be asked for together" in capsys.readouterr().err
