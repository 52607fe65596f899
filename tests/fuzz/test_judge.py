"""The judge itself: it lets no fault through, and takes no answer for one."""

from __future__ import annotations

import pytest

from tests.fuzz import delimited, oracle
from tests.fuzz.answers import busy, sums
from tests.fuzz.judge import Outcome, complaints, contradictions
from tests.fuzz.oracle import Truth


@pytest.mark.parametrize(
    ("outcome", "fmt", "words"),
    [
        (Outcome(0, b"a line\n", b""), "text", []),
        (Outcome(0, b"a li", b""), "text", ["middle of a line"]),
        (Outcome(0, b"", b""), "text", ["middle of a line"]),
        (Outcome(0, b"\x1b[31m\n", b""), "text", ["'\\x1b'"]),
        (Outcome(0, "\u202ex\n".encode(), b""), "text", ["'\\u202e'"]),
        (Outcome(0, b"\xff\n", b""), "text", ["no UTF-8"]),
        (Outcome(0, b'{"a": 1}\n', b""), "json", []),
        (Outcome(0, b'{"a": NaN}\n', b""), "json", ["no JSON"]),
        (Outcome(0, b'{"a": 1\n', b""), "json", ["no JSON"]),
        (Outcome(0, b'a,b\r\n"x\r\n\r\ny","\x1b"\r\n\r\nc\r\n', b""), "csv", []),
        (Outcome(0, b"a,b\r\n1\r\n", b""), "csv", ["cells in one table"]),
        (Outcome(0, b'a\r\n"x\r\n', b""), "csv", ["no table of cells"]),
        (Outcome(0, b"a\r\n1", b""), "csv", ["middle of a line"]),
        (Outcome(2, b"", b"nsystui: x: damaged\n"), "text", []),
        (Outcome(3, b"", b"SKIPPED: x\nnsystui: nothing\n"), "text", []),
        (Outcome(3, b"", b"nsystui: 3 rows are doubtful\nnsystui: nothing\n"), "text", []),
        (Outcome(2, b"", b"nsystui: one\nnsystui: two\n"), "text", ["2 lines say why"]),
        (Outcome(2, b"", b""), "text", ["0 lines say why"]),
        (Outcome(2, b"partial\n", b"nsystui: x\n"), "text", ["on stdout"]),
        (Outcome(0, b"x\n", b"Warning: y\n"), "text", ["talk of another form"]),
        (Outcome(-9, b"", b""), "text", ["exit code -9", "0 lines say why"]),
        (Outcome(2, b"", b"nsystui: unexpected error: x\n"), "text", ["crashed"]),
        (Outcome(1, b"", b"Traceback\n"), "text", ["traceback", "exit code 1", "another form", "0 lines"]),
    ],
)
def test_complaints(outcome: Outcome, fmt: str, words: list[str]) -> None:
    found = complaints(outcome, fmt)
    assert len(found) == len(words)
    for complaint, word in zip(found, words, strict=True):
        assert word in complaint


def test_commands_must_agree_about_the_file() -> None:
    good, bad, other = (
        Outcome(0, b"x\n", b""),
        Outcome(2, b"", b"nsystui: a\n"),
        Outcome(2, b"", b"nsystui: b\n"),
    )
    assert contradictions({"x": good, "y": good}) == []
    assert contradictions({"x": bad, "y": bad}) == []
    assert "went through" in contradictions({"x": bad, "y": good})[0]
    assert "different reasons" in contradictions({"x": bad, "y": other})[0]


def test_csv_as_the_standard_has_it() -> None:
    assert delimited.tables('a,"b ""c"""\r\n,"\r\n\r\n"\r\n\r\nd\r\n') == [
        [["a", 'b "c"'], ["", "\r\n\r\n"]],
        [["d"]],
    ]


def test_union_and_countable_rows() -> None:
    assert oracle.union([(0, 100), (0, 100), (150, 200), (10, 20), (200, 201)]) == 151
    assert oracle.countable(0, 1)
    assert oracle.countable(-5, -5)
    assert not any(
        oracle.countable(start, end)
        for start, end in ((0, 0), (2, 1), (None, 1), (1, None), (b"1", 2), (0, 2**62 + 1))
    )


def test_wrong_figures_are_noticed() -> None:
    truth = Truth({"kernel": [(0, 10, "k")], "api": [(0, 4, "c"), (5, 9, "c")]}, {(1, 0)})
    columns = '["Total Time (ns)", "Instances"], "rows": [[10, 1]]'
    api = '{"name": "cuda_api_sum", "columns": ["Total Time (ns)", "Num Calls"], "rows": [[%d, 2]]}'
    for total, faults in ((8, 0), (9, 1)):
        out = f'{{"reports": [{{"name": "cuda_gpu_kern_sum", "columns": {columns}}}, {api % total}]}}\n'
        assert len(sums(Outcome(0, out.encode(), b""), truth)) == faults
    device = (
        '{"kernel_ns": %d, "copy_only_ns": 0, "other_ns": 0, "unknown_ns": 0, "busy_ns": %d, '
        '"idle_ns": 0, "window_ns": %d, "gaps": [], '
        '"short_gaps": {"idle_ns": 0}, "blame": []}'
    )
    for figures, faults in (((10, 10, 10), 0), ((11, 11, 11), 1), ((10, 10, 12), 1)):
        out = f'{{"devices": [{device % figures}]}}\n'
        assert len(busy(Outcome(0, out.encode(), b""), truth)) == faults
    assert busy(Outcome(3, b"", b"nsystui: none\n"), truth) == ["nothing there, though there are 1 ops"]
