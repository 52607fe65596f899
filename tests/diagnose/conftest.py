"""Generated captures and their diagnoses, each made once for the whole run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from fixtures.registry import find
from fixtures.truth import Truth
from tui.analysis.diagnosis import Diagnosis, diagnose
from tui.analysis.index import Index
from tui.report import open_report
from tui.report.model import Report


class Seen(NamedTuple):
    """A generated capture with what it is known to hold and what was found in it."""

    path: Path
    truth: Truth
    report: Report
    diagnosis: Diagnosis

    def found(self, fault: str):
        """The finding of one fault."""
        return next(f for f in self.diagnosis.findings if f.fault == fault)


@pytest.fixture(scope="session")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Seen]:
    """A function from a scenario's name to its capture and diagnosis."""
    folder = tmp_path_factory.mktemp("diagnosed")
    known: dict[str, Seen] = {}

    def look(name: str) -> Seen:
        if name not in known:
            path = folder / f"{name.replace(':', '-')}.sqlite"
            truth = find(name).build(path)
            report = open_report(path, use_store=False)
            known[name] = Seen(path, truth, report, diagnose(Index(report)))
        return known[name]

    return look
