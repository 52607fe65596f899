"""The Diagnosis tab, and the sums of other tabs: whole sentences, what was checked, the one instance."""

from __future__ import annotations

import pytest

from tests.diagnose.test_dominant import copied, kernels
from tests.diagnose.test_uneven import MS, US, Host
from tui.cli import main


@pytest.fixture
def pane(capsys, tmp_path):
    """A function: report, tab -> the side pane's words, in one line."""

    def look(path, tab, size="100x150"):
        words = [
            "view",
            str(path),
            "--tab",
            tab,
            "--size",
            size,
            "--ascii",
            "--cache-dir",
            str(tmp_path / "c"),
        ]
        assert main(words) == 0
        lines = capsys.readouterr().out.splitlines()
        return " ".join(" ".join(line.rpartition("|")[2] for line in lines[2:-1]).split())

    return look


def test_a_finding_is_told_in_whole_sentences(tmp_path, pane):
    host = Host(tmp_path / "x.sqlite")
    for step in range(20):
        host.step(pause=8 * MS if step in (4, 6, 14) else 0)
    said = pane(host.export.write(), "diagnosis")
    assert "3 of 19 steps take 28.005 ms, the others 20.000 ms: the GPU idles longer in them" in said
    assert "What it rests on, and can't show" in said
    assert "20 steps of 'train_step': a stall rarer than one in 20 is not excluded" in said
    assert "GPU 0: compute 94.3 %, exposed communication 0.0 %, copies alone 0.0 %, idle 5.7 %" in said


def test_a_second_finding_is_told_too(tmp_path, pane):
    host = Host(tmp_path / "x.sqlite")
    for step in range(20):
        host.step(pause=8 * MS if step in (4, 6, 13, 18) else 2 * MS)
    said = pane(host.export.write(), "diagnosis")
    assert "4 of 19 steps take 28.005 ms, the others 22.005 ms: the GPU idles longer in them" in said


def test_what_is_fine_is_no_finding(seen, pane):
    said = pane(seen("healthy").path, "diagnosis")
    assert "nothing found" in said
    assert "Checked, and fine cuda_api_sync: the only wait for the device is the final drain" in said


def test_pieces_that_nothing_explains(tmp_path, pane):
    """Of 19.555 ms a step 550 us communicate alone and 505 us are idle: each below its limit."""
    host = Host(tmp_path / "x.sqlite")
    kernels = (("gemm", 10 * MS), ("ncclDevKernel_AllReduce_Sum", 550 * US), ("relu", 8_500 * US))
    for _ in range(30):
        host.step(kernels, pause=500 * US, call=None)
    said = pane(host.export.write(), "diagnosis")
    assert "nothing in the catalogue explains 2.8 % exposed communication and 2.6 % idle" in said
    assert "1. GPU 0 communicates for 550.000 us and computes nothing" in said


def test_the_kernels_tab_names_the_one_launch(tmp_path, pane):
    kernels(tmp_path / "x.sqlite")
    said = pane(tmp_path / "x.sqlite", "kernels")
    assert "warm: the first of 50, at 0.000 006 000 s, takes 1.600 s (100.0%)" in said
    assert "warm: the first of 50 launches" in pane(tmp_path / "x.sqlite", "diagnosis")


def test_the_copies_tab_names_the_one_copy(tmp_path, pane):
    copied(tmp_path / "x.sqlite", 200 * MS)
    said = pane(tmp_path / "x.sqlite", "copies")
    assert said.count("one instance is most of a sum: ") == 2
    assert "Host-to-Device: one of 50, at" in said


def test_the_blame_tab_names_the_one_gap(tmp_path, pane):
    """One wait of 60 ms and nine of 200 us, all in host code: the wait is 97 % of the sum."""
    host = Host(tmp_path / "x.sqlite")
    for step in range(10):
        host.step(pause=60 * MS if step == 4 else 200 * US, call=None, label="work")
    said = pane(host.export.write(), "blame")
    assert "one instance is most of a sum: host code under 'work': one of 10, at" in said
    assert "takes 60.000 ms (97.1%); the other 9 take 200.000 us (median), 1.800 ms in all" in said
