"""NVTX ranges as a tree by path, against the export read range by range."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from tests.support.export import Export
from tui.analysis.flame import RangeTree, range_tree
from tui.analysis.index import Index
from tui.analysis.window import make_scope
from tui.cli import main
from tui.report import open_report
from tui.report.columns import NULL
from tui.report.model import RangeStyle, Report


def made(path: Path, window: str | None = None) -> RangeTree:
    report = open_report(path, use_store=False)
    index = Index(report)
    return range_tree(index, make_scope(report, window, index=index))


def rows(tree: RangeTree) -> dict[str, tuple[int, int, int, int]]:
    """Path -> (count, host, GPU, idle)."""
    columns = (tree.count, tree.host, tree.gpu, tree.idle)
    return {">".join(tree.path(n)): tuple(int(c[n]) for c in columns) for n in range(len(tree))}  # type: ignore[misc]


def steps(path: Path) -> Path:
    """Two steps of 100 ns; in each `fwd` launches a kernel of 40 ns that runs 20 to 60 ns in, `opt` none."""
    export = Export(path)
    for n, at in enumerate((0, 100)):
        export.push_pop(f"step {n}", at, at + 90)
        export.push_pop("fwd", at + 5, at + 30)
        export.push_pop("opt", at + 40, at + 50)
        export.launch((at + 10, at + 12), (at + 20, at + 60), name="gemm")
    export.launch((195, 197), (200, 205), name="after")
    return export.write()


def test_by_hand(tmp_path: Path) -> None:
    tree = made(steps(tmp_path / "steps.sqlite"))
    assert rows(tree) == {
        "step": (2, 180, 80, 100),  # of 90 ns, 40 busy
        "step>fwd": (2, 50, 80, 30),  # from 5 to 30, busy from 20 on
        "step>opt": (2, 20, 0, 0),
    }
    assert (tree.outside_ops, tree.outside_gpu, tree.unlaunched) == (1, 5, 0)
    assert tree.own_host.tolist() == [110, 50, 20]
    assert tree.own_gpu.tolist() == [0, 80, 0]
    assert [tree.labels[n] for n in tree.order("host").tolist()] == ["step", "fwd", "opt"]


def test_of_a_window_the_part_inside_it_counts_and_what_is_launched_there(tmp_path: Path) -> None:
    path = steps(tmp_path / "steps.sqlite")
    assert rows(made(path, "11/110")) == {
        "step": (2, 89, 0, 39 + 10),  # 79 of the first, 10 of the second; launched at 10 and 110: neither
        "step>fwd": (2, 19 + 5, 0, 9 + 5),
        "step>opt": (1, 10, 0, 0),
    }
    assert rows(made(path, "100/111"))["step>fwd"] == (1, 6, 40, 6)


def brute(report: Report) -> dict[str, list[int]]:
    """Path -> [count, host, own GPU time] by walking parents, op by op."""
    ranges, calls, ops = report.ranges, report.calls, report.ops
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])

    def path(row: int) -> str:
        own = str(report.strings[int(ranges.name[row])])
        above = int(ranges.parent[row])
        pushed = ranges.style[row] == RangeStyle.PUSH_POP
        return own if above < 0 or not pushed else f"{path(above)}>{own}"

    for row in range(len(ranges)):
        kind = "" if ranges.style[row] == RangeStyle.PUSH_POP else "free "
        entry = found[kind + path(row)]
        entry[0] += 1
        entry[1] += int(ranges.end[row] - ranges.start[row])
    for op in range(len(ops)):
        call = int(ops.launch[op])
        if call < 0:
            continue
        around = [
            row
            for row in range(len(ranges))
            if ranges.style[row] == RangeStyle.PUSH_POP
            and ranges.thread[row] == calls.thread[call]
            and ranges.start[row] <= calls.start[call]
            and calls.end[call] <= ranges.end[row]
        ]
        if around:
            inner = max(around, key=lambda row: int(ranges.level[row]))
            found[path(inner)][2] += int(ops.end[op] - ops.start[op])
    return found


@pytest.mark.parametrize("seed", range(5))
def test_random_nests_are_those_of_brute_force(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    export = Export(tmp_path / "random.sqlite")
    export.kernel(-10, -5, name="first")  # the window: all of it
    export.kernel(2000, 2001, name="last")

    def nest(low: int, high: int, depth: int, tid: int) -> None:
        at = low
        while at < high - 6 and depth < 4:
            end = int(rng.integers(at + 3, high))
            export.push_pop("abc"[int(rng.integers(3))], at, end, tid=tid)
            nest(at + 1, end - 1, depth + 1, tid)
            at = end + int(rng.integers(1, 6))

    for tid in (1, 2):
        nest(0, 300, 0, tid)
        export.start_end("z", 10 * tid, 100 * tid, tid=tid)
    for _ in range(30):
        start, device = int(rng.integers(0, 290)), int(rng.integers(300, 900))
        call = (start, start + int(rng.integers(0, 4)))
        export.launch(call, (device, device + int(rng.integers(0, 30))), tid=int(rng.integers(1, 3)))
    report = open_report(export.write(), use_store=False)
    index = Index(report)
    tree = range_tree(index, make_scope(report, "/", index=index))
    seen: dict[str, list[int]] = {}
    for node in range(len(tree)):
        free = report.ranges.style[tree.of_node(node)[0]] != RangeStyle.PUSH_POP
        name = ("free " if free else "") + ">".join(tree.path(node))
        assert name not in seen
        seen[name] = [int(tree.count[node]), int(tree.host[node]), int(tree.own_gpu[node])]
    assert seen == dict(brute(report))
    for node in range(len(tree)):
        below = tree.children(node)
        assert tree.gpu[node] == tree.own_gpu[node] + tree.gpu[below].sum()
        assert tree.host[node] == tree.own_host[node] + tree.host[below].sum()
    launched = int((report.ops.end - report.ops.start)[report.ops.launch >= 0].sum())
    assert int(tree.gpu[tree.roots].sum()) + tree.outside_gpu == launched
    assert tree.unlaunched == 2


def test_a_process_without_a_device_has_no_idle_time(tmp_path: Path) -> None:
    export = Export(tmp_path / "two.sqlite")
    export.push_pop("loader", 0, 50, pid=200, tid=9)
    export.push_pop("train", 0, 50)
    export.launch((1, 2), (10, 20), name="k")
    found = rows(made(export.write(), "/"))
    assert found["loader"] == (1, 50, 0, NULL)
    assert found["train"] == (1, 50, 10, 40)


# -- the command ------------------------------------------------------------------------------------------


def run(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["flame", *map(str, words), "--no-cache"]) == 0
    return capsys.readouterr().out


def test_rows_and_their_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = steps(tmp_path / "steps.sqlite")
    lines = run(capsys, path, "-f", "csv").splitlines()
    assert lines == [
        "Path,Depth,%,Count,Host (ns),Host self (ns),GPU (ns),GPU self (ns),Ops,Idle (ns)",
        "step,0,100.0,2,180,110,80,0,2,100",
        "step > fwd,1,27.78,2,50,50,80,80,2,30",
        "step > opt,1,11.11,2,20,20,0,0,0,0",
    ]
    document = json.loads(run(capsys, path, "-f", "json", "--by", "gpu", "--depth", "1"))
    assert document["by"] == "gpu"
    assert document["coverage"]["total_ns"] == 80
    assert [(row["path"], row["pct"], row["idle_ns"]) for row in document["rows"]] == [("step", 100.0, 100)]
    assert document["notes"] == ["1 op (5 ns) launched outside of any range"]
    table = run(capsys, path, "--min", "20")
    assert "  fwd" in table
    assert "opt" not in table


def test_folded_stacks_add_up_whatever_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = steps(tmp_path / "steps.sqlite")
    assert run(capsys, path, "--folded").splitlines() == ["step 110", "step;fwd 50", "step;opt 20"]
    assert run(capsys, path, "--folded", "--by", "gpu").splitlines() == ["step;fwd 80"]
    assert run(capsys, path, "--folded", "--min", "20").splitlines() == ["step 130", "step;fwd 50"]
    assert run(capsys, path, "--folded", "--depth", "1").splitlines() == ["step 180"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--depth", "0"), 2, "--depth 0 shows nothing: 1 is the outermost level"),
        (("--min", "101"), 2, "--min 101 is no share from 0 to 100"),
        (("--folded", "-f", "csv"), 2, "--folded is a format of its own: it goes without --format"),
        (("--range", "300/400"), 3, "no NVTX ranges in 300/400"),
    ],
)
def test_what_it_refuses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], code: int, message: str
) -> None:
    path = steps(tmp_path / "steps.sqlite")
    if code == 3:
        export = Export(tmp_path / "more.sqlite")
        export.push_pop("a", 0, 10)
        export.osrt("read", 0, 500)
        path = export.write()
    assert main(["flame", str(path), *words, "--no-cache"]) == code
    assert message in capsys.readouterr().err


def test_without_ranges_or_work_it_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = Export(tmp_path / "bare.sqlite")
    bare.kernel(0, 10)
    assert main(["flame", str(bare.write()), "--no-cache"]) == 3
    assert "no NVTX ranges recorded (nsys profile --trace=nvtx)" in capsys.readouterr().err
    host = Export(tmp_path / "host.sqlite")
    host.push_pop("a", 0, 10)
    path = host.write()
    assert main(["flame", str(path), "--by", "gpu", "--no-cache"]) == 3
    assert "launched recorded device work" in capsys.readouterr().err
    assert run(capsys, path, "-f", "csv").splitlines()[1] == "a,0,100.0,1,10,10,,,,"
