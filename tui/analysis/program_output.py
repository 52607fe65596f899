"""What the programs of a capture printed, line by line."""

from __future__ import annotations

from tui.analysis.captured import lacking
from tui.analysis.kinds.diagnostics import STREAMS
from tui.analysis.table import Column, Table, Unit
from tui.report.columns import NULL
from tui.report.extra.tables import PROGRAM_OUTPUT
from tui.report.importing.global_ids import pid_of
from tui.report.model import Report

NOTE = "as the program printed it: it may hold secrets, and no other command shows it"


def output_table(report: Report) -> Table:
    """One row a line of output: process, file, number of the line, text.

    Kept nowhere. Raises ReportError as `Report.extra_rows` does.
    """
    rows = report.extra_rows(PROGRAM_OUTPUT, keep=False)
    pids: list[int | None] = []
    files: list[str | None] = []
    numbers: list[int] = []
    lines: list[str] = []
    for owner, name, content in zip(
        rows["globalPid"].tolist(), rows["filenameId"].tolist(), rows["contentId"].tolist(), strict=True
    ):
        for number, line in enumerate(rows.strings[content].splitlines() if content >= 0 else (), 1):
            pids.append(None if owner == NULL else pid_of(owner))
            files.append(rows.strings[name] if name >= 0 else None)
            numbers.append(number)
            lines.append(line)
    columns = (
        Column("PID", "pid", Unit.ID, pids),
        Column("File", "file", Unit.TEXT, files),
        Column("Line", "line", Unit.ID, numbers),
        Column("Text", "text", Unit.TEXT, lines, blank=""),
    )
    return Table("streams", "Output of the program", columns, NOTE)


def no_output(report: Report) -> str:
    """The error text where there is none."""
    return lacking(report, STREAMS)
