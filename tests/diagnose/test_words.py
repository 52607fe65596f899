"""What a diagnosis says: names spelt as recorded, plain English, and nothing quoted that would not run."""

from __future__ import annotations

import re
import shlex

import pytest

from fixtures import registry
from tests.support.real import ALL_EXPORTS, needs_real
from tui.analysis.diagnosis import diagnose
from tui.analysis.faults.evidence import share, share_of
from tui.analysis.index import Index
from tui.commands.lookup import COMMANDS, DEFAULT, parser_of
from tui.output.diagnosis_output import note_lines
from tui.report import open_report

NAMES = list(registry.scenarios())
QUOTED = re.compile(r"`(nsystui [^`]*)`")
CAPTURE = re.compile(r"nsys profile .*?(?=  \(|, then|;|$)")
VERSIONED = re.compile(r"\bcu[a-zA-Z]\w*_v\d+")
RECAPITALISED = re.compile(r"\bCuda[A-Z]\w*|\bcuda(?:stream|free|malloc|memcpy|device|launch)\w*")
"""Such as CudaFree at the beginning of a sentence, or cudafree."""
OPTIONS = {
    "--trace", "--sample", "--cpuctxsw", "--python-sampling", "--python-backtrace", "--cudabacktrace", "-o",
    "--trace-fork-before-exec", "--cuda-memory-usage", "--gpu-metrics-devices", "--cuda-graph-trace",
    "--capture-range", "--capture-range-end", "--pytorch",
}  # fmt: skip
"""The options of nsys profile that are asked for."""


def sentences(diagnosis):
    """Every text of a diagnosis that people read."""
    yield diagnosis.verdict.text
    yield from diagnosis.notes
    for item in diagnosis.not_assessable:
        yield from (item.reason, item.capture)
    for finding in diagnosis.findings:
        yield from (finding.title, finding.confirm)
        yield from (*finding.reasons, *finding.advice, *finding.also_possible)
        yield from (evidence.text for evidence in finding.evidence)


def check(diagnosis, report):
    for text in (*sentences(diagnosis), *note_lines(diagnosis, report, 100)):
        assert not VERSIONED.search(text), text
        assert not RECAPITALISED.search(text), text
        for command in QUOTED.findall(text):
            parses(command)
        for line in CAPTURE.findall(text):
            words = shlex.split(line)
            program = words.index("-o") + 2
            assert words[program:], line
            assert {word.partition("=")[0] for word in words[2:program] if word.startswith("-")} <= OPTIONS, (
                line
            )


def parses(command: str) -> None:
    """Whether our own parser takes a command; one without any argument only names it."""
    _, name, *words = shlex.split(command)
    assert name in COMMANDS or not words, command
    if words:
        parser_of(name if name in COMMANDS else DEFAULT).parse_args(words)


@pytest.mark.parametrize("name", NAMES)
def test_words_of_generated_captures(name, seen):
    check(seen(name).diagnosis, seen(name).report)


@needs_real
@pytest.mark.parametrize("path", ALL_EXPORTS, ids=lambda p: p.stem)
def test_words_of_real_exports(path):
    report = open_report(path, use_store=False)
    check(diagnose(Index(report)), report)


def test_a_sentence_that_begins_with_a_call_keeps_its_spelling(seen):
    case = seen("fault:hidden-sync")
    lines = list(note_lines(case.diagnosis, case.report, 100))
    assert any(line.startswith("1. cudaStreamSynchronize drains") for line in lines)
    healthy = seen("healthy")
    assert any(line.startswith("Healthy: ") for line in note_lines(healthy.diagnosis, healthy.report, 100))


def test_host_code_is_explained_where_it_first_stands(seen):
    """In the title of the idle time that nothing else explains."""
    case = seen("fault:gc-pauses")
    for finding in case.diagnosis.findings:
        if "host code" in finding.title:
            assert "host code (CPU time between traced calls)" in finding.title


def test_shares():
    assert (share(1, 2), share(1, 1), share(0, 1), share(0, 0)) == ("50 %", "100 %", "0 %", "?")
    assert (share(999, 1000), share(1, 1000)) == ("over 99 %", "under 1 %")
    assert (share_of(1, 2), share_of(3, 3), share_of(0, 3)) == ("50 % of", "all of", "none of")
