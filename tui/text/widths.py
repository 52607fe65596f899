"""The widths of a table's columns where it must fit into so many cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class ColumnNeed(NamedTuple):
    """What a column needs: ``cells`` for its widest value; a name can be shown in fewer."""

    cells: int
    is_name: bool
    rank: int = 0
    """The highest rank is left out first."""


def fit_widths(
    needs: Sequence[ColumnNeed],
    room: int,
    *,
    gap: int = 2,
    wanted: int = 12,
    least: int = 1,
    keep_unranked: bool = False,
) -> list[int]:
    """Return the columns' widths in ``room`` cells, ``gap`` cells apart; 0 for one that is left out.

    Columns are left out until every name can have ``wanted`` cells: one by one, the highest rank first,
    then from the right, never the first column, and the last figure after all names but that; with
    ``keep_unranked`` all of the highest rank at once, and none of rank 0. Then the widest name gives way,
    cell by cell, but none below ``least``.
    """
    shown = list(range(len(needs)))

    def excess(name: int) -> int:
        sizes = (min(needs[i].cells, name) if needs[i].is_name else needs[i].cells for i in shown)
        return sum(sizes) + gap * (len(shown) - 1) - room

    while excess(wanted) > 0 and (out := _next_left_out(needs, shown, keep_unranked)):
        shown = [i for i in shown if i not in out]
    most = max(room, least)
    widths = [0] * len(needs)
    for i in shown:
        widths[i] = min(needs[i].cells, most) if needs[i].is_name else needs[i].cells
    over = excess(most)
    while over > 0 and (able := [i for i in shown if needs[i].is_name and widths[i] > least]):
        widths[max(able, key=widths.__getitem__)] -= 1
        over -= 1
    return widths


def _next_left_out(needs: Sequence[ColumnNeed], shown: Sequence[int], keep_unranked: bool) -> list[int]:
    """Return the columns to leave out next; none where the rest must stay."""
    if not keep_unranked:
        figures = [i for i in shown if not needs[i].is_name]
        able = [i for i in shown[1:] if figures != [i] or needs[i].rank] or shown[1:]
        return [max(able, key=lambda i: (needs[i].rank, i))] if able else []
    highest = max((needs[i].rank for i in shown), default=0)
    found = [i for i in shown if needs[i].rank == highest]
    return found if highest and len(found) < len(shown) else []
