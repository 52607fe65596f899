"""Each export through every command: a whole answer, or one line that says why there is none.

Each gets one format of each command, so that all of them are met; with ``--corpus-all`` every one.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.corpus.conftest import Command, Some
from tests.fuzz import answers, delimited, oracle
from tests.fuzz.judge import GOOD, NOTHING_THERE, complaints
from tests.fuzz.runner import ALWAYS, SOMETIMES, known_commands
from tui.analysis.rules import RULES
from tui.analysis.stats import REPORTS

FORMATS = ("table", "csv", "tsv", "json")
TEXTS = {"table": "text", "svg": "text"}
WALKED = {
    "info": FORMATS,
    "gaps": FORMATS,
    "steps": FORMATS,
    "samples": FORMATS,
    "threads": FORMATS,
    "files": FORMATS,
    "memory": FORMATS,
    "um": FORMATS,
    "network": FORMATS,
    "classes": FORMATS,
    "flame": FORMATS,
    "metrics": FORMATS,
    "analyze": FORMATS,
    "diagnose": FORMATS,
    "export": FORMATS,
    "view": ("text", "svg"),
    "ranks": FORMATS,
    "pace": FORMATS,
    "collectives": FORMATS,
}
"""Command -> its formats; ``stats`` and those that compare have tests of their own."""
COMPARING = {"compare", "baseline", "check"}


def test_every_command_is_walked() -> None:
    assert set(known_commands()) - {"explore", "demo", "cache", "help", "stats"} <= set(WALKED) | COMPARING


@pytest.mark.parametrize("name", [name for name in WALKED if name in known_commands()])
def test_every_command(report: Path, command: Command, some: Some, name: str) -> None:
    codes = set()
    for fmt in some(WALKED[name], report.stem + name):
        found = command(name, report, "-f", fmt)
        assert found.code in (GOOD, NOTHING_THERE)
        assert complaints(found, TEXTS.get(fmt, fmt)) == []
        codes.add(found.code)
    assert len(codes) == 1
    assert oracle.truth(report).events or codes == {NOTHING_THERE} or name in ("info", "view")


def test_compared_with_itself(report: Path, command: Command, some: Some, tmp_path: Path) -> None:
    """No metric of a report differs from its own, and a baseline of it holds."""
    for fmt in some(FORMATS, report.stem + "compare"):
        found = command("compare", report, report, "-f", fmt)
        assert complaints(found, TEXTS.get(fmt, fmt)) == []
    document = command("compare", report, report, "-f", "json")
    kept = tmp_path / "base.json"
    made = command("baseline", report, "-o", kept)
    assert document.code == made.code
    if made.code == NOTHING_THERE:
        return
    metrics = json.loads(document.out)["metrics"]
    assert metrics
    assert {m["delta"] for m in metrics} <= {0, None}
    assert {m["verdict"] for m in metrics} <= {"same", "inconclusive"}
    for fmt in some((*FORMATS, "junit"), report.stem + "check"):
        held = command("check", report, "--baseline", kept, "-f", fmt)
        assert held.code == GOOD
        assert fmt == "junit" or complaints(held, TEXTS.get(fmt, fmt)) == []


def test_every_report_of_stats(report: Path, command: Command, some: Some) -> None:
    for fmt in some(FORMATS, report.stem):
        found = command("stats", report, "-r", "all", "-f", fmt)
        assert complaints(found, TEXTS.get(fmt, fmt)) == []
        if found.code == NOTHING_THERE:
            assert not oracle.truth(report).events.keys() - {"cpu"}
            continue
        skipped = sum(line.startswith(b"SKIPPED: ") for line in found.err.splitlines())
        if fmt == "json":
            reports = json.loads(found.out)["reports"]
            assert len(reports) == len(REPORTS) - skipped
            for one in reports:
                assert one["rows"]
                assert {len(row) for row in one["rows"]} == {len(one["columns"])}
        if fmt == "csv":
            assert len(delimited.tables(found.text())) == len(REPORTS) - skipped


def test_every_rule(report: Path, command: Command) -> None:
    for rule in RULES:
        found = command("analyze", report, "-r", rule, "-f", "csv")
        assert complaints(found, "csv") == []


def test_the_overview(report: Path, command: Command) -> None:
    found = command(report)
    # What the profiler did to the program is no event of its own, but something to look at.
    with closing(sqlite3.connect(f"file:{report}?mode=ro&immutable=1", uri=True)) as db:
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
        overhead = "PROFILER_OVERHEAD" in tables and db.execute("SELECT 1 FROM PROFILER_OVERHEAD").fetchone()
    assert found.code == (GOOD if oracle.truth(report).events or overhead else NOTHING_THERE)
    assert complaints(found, "text") == []


def test_figures_are_those_of_plain_arithmetic(report: Path, command: Command) -> None:
    asked = {**ALWAYS, "uncached": SOMETIMES["uncached"]}
    every = {name: command(a[0], report, *a[1:]) for name, (a, _) in asked.items()}
    assert answers.wrong(every, oracle.truth(report)) == []
    assert every["uncached"].out == every["export"].out
