"""The ground: names made safe for a screen, their width in cells, times and numbers in words."""

from tui.text.safe import csv_cell, cut, pad, safe, squeeze, width, wrapped

__all__ = ["csv_cell", "cut", "pad", "safe", "squeeze", "width", "wrapped"]
