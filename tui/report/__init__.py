"""An export on disk -> columns. Knows SQLite and nsys's schema; no analysis."""

from tui.report.model import NULL, CallClass, OpKind, RangeStyle, Report
from tui.report.opening import open_report
from tui.report.progress import ImportCancelled, Progress

__all__ = [
    "NULL",
    "CallClass",
    "ImportCancelled",
    "OpKind",
    "Progress",
    "RangeStyle",
    "Report",
    "open_report",
]
