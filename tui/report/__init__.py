"""An export on disk -> columns. Knows SQLite and nsys's schema; no analysis."""

from tui.report.columns import NULL
from tui.report.model import CallClass, OpKind, RangeStyle, Report
from tui.report.opening import has_changed, kept_report, open_report
from tui.report.progress import ImportCancelled, Progress
from tui.report.recognise import NeedsExport

__all__ = [
    "NULL",
    "CallClass",
    "ImportCancelled",
    "NeedsExport",
    "OpKind",
    "Progress",
    "RangeStyle",
    "Report",
    "has_changed",
    "kept_report",
    "open_report",
]
