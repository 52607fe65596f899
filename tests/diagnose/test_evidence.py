"""Every figure can be had again: its command, run as it stands, prints the value."""

from __future__ import annotations

import json
import shlex

import pytest

from fixtures import registry
from tests.support.real import EXPORTS, needs_real
from tui.analysis.diagnosis import diagnose
from tui.analysis.index import Index
from tui.cli import main
from tui.errors import NothingThere
from tui.report import open_report

NAMES = ["finetune", "resnet", "ddp", "decode-eager", *(f"fault:{f}" for f in registry.FAULTS)]


def numbers(value):
    """Every number in a JSON document, and the numbers that are in texts as a whole."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from numbers(item)
    elif isinstance(value, list):
        yield len(value)
        for item in value:
            yield from numbers(item)


def printed_by(command: str, capsys, cache) -> set:
    """The numbers that a ``nsystui`` command prints as JSON."""
    words = shlex.split(command)
    assert words[0] == "nsystui"
    assert main([*words[1:], "-f", "json", "--cache-dir", str(cache)]) == 0, command
    return set(numbers(json.loads(capsys.readouterr().out)))


def check(diagnosis, capsys, cache):
    known: dict[str, set] = {}
    for finding in diagnosis.findings:
        assert finding.evidence, finding.fault
        for evidence in finding.evidence:
            assert evidence.start_ns <= evidence.end_ns
            if evidence.command not in known:
                known[evidence.command] = printed_by(evidence.command, capsys, cache)
            if evidence.value is not None:
                assert evidence.value in known[evidence.command], (finding.fault, evidence)
                assert evidence.unit


@pytest.mark.parametrize("name", NAMES)
def test_command_prints_the_value(name, seen, capsys, tmp_path):
    check(seen(name).diagnosis, capsys, tmp_path)


@needs_real
@pytest.mark.parametrize("path", EXPORTS, ids=lambda p: p.stem)
def test_command_prints_the_value_on_real_exports(path, capsys, tmp_path):
    try:
        diagnosis = diagnose(Index(open_report(path, cache_dir=tmp_path)))
    except NothingThere:
        pytest.skip("it holds no events")
    check(diagnosis, capsys, tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_places_lie_on_the_timeline(name, seen):
    case = seen(name)
    first, last = case.report.span
    for finding in case.diagnosis.findings:
        for evidence in finding.evidence:
            assert first <= evidence.start_ns <= evidence.end_ns <= last
