"""Where the rows of the ranks view's tables lead to: a rank, and a stretch of time on the axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tui.browse.page import Finder, Instances
from tui.browse.ranks.scene import Scene
from tui.ranks.judged import Judged, JudgedRun, RankRow

MUCH = 100
"""How many rows at the top, and at the end, a table of very many ranks has."""
TOO_MANY = 4096
"""Above so many rows a table has only its ends."""


def first_of(judged: Judged, run: JudgedRun) -> int:
    """The position in the scene of a run's first rank."""
    before = judged.runs[: next(at for at, other in enumerate(judged.runs) if other is run)]
    return sum(len(other.rows) for other in before)


def ranks_of(scene: Scene, judged: Judged, rows: Sequence[tuple[JudgedRun, RankRow | int]]) -> list[int]:
    """The position in the scene of each row's rank; -1 for a missing one."""
    places = {id(facts.rank): at for at, facts in enumerate(scene.ranks)}
    return [-1 if isinstance(row, int) else places.get(id(row.rank), -1) for _, row in rows]


def ends(rows: Sequence[tuple[JudgedRun, RankRow | int]]) -> list[tuple[JudgedRun, RankRow | int]]:
    """All rows; of very many the first and the last ones."""
    return [*rows[:MUCH], *rows[-MUCH:]] if len(rows) > TOO_MANY else list(rows)


def rank_finder(scene: Scene, ranks: Sequence[int]) -> Finder:
    """Lead to the rank of a row; the time stays."""

    def find(row: int) -> Instances | None:
        at = ranks[row] if row < len(ranks) else -1
        return None if at < 0 else spans([0], [0], [at], [f"{scene.ranks[at].title}"])

    return find


def spans(start: Sequence[int], end: Sequence[int], ranks: Sequence[int], words: Sequence[str]) -> Instances:
    """Stretches of time on the axis, each on the lane of a rank. A start of 0 with an end of 0: any time."""
    begin = np.array(start, np.int64)
    return Instances(
        "span", np.arange(len(begin), dtype=np.int64), begin, np.array(end, np.int64), devices=tuple(ranks),
        words=tuple(words),
    )  # fmt: skip
