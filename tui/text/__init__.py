"""The one place that formats: safe names, widths in terminal cells, times and numbers in words."""

from tui.text.cells import cut, pad, width
from tui.text.safe import csv_cell, safe

__all__ = ["csv_cell", "cut", "pad", "safe", "width"]
