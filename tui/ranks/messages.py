"""Point-to-point messages: the k-th send of one rank to another is that one's k-th receive from it.

Who came first is told by clocks: a receiver waits for a late sender, and a sender that hands over directly
for a late receiver. A wait below what the clocks may be off by is unresolved, and unknown.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.ranks.alignment import Alignment, Mode
from tui.ranks.match import Matched
from tui.ranks.names import Operation
from tui.report.columns import Int64, Positions

_MOST = 4_000_000
"""Messages of all ranks that are held at once."""


class Messages(NamedTuple):
    """The sends or receives of one rank that have a partner."""

    rows: Positions
    """Positions in the rank's collectives."""
    wait_ns: Int64
    """What each waited for its partner."""


class _Side(NamedTuple):
    rank: Int64
    peer: Int64
    start: Int64
    end: Int64
    row: Int64


def find_messages(matched: Matched, alignment: Alignment) -> dict[int, Messages]:
    """Return by rank (position in ``Run.ranks``) the messages whose waits are known."""
    if alignment.mode not in (Mode.COLLECTIVES, Mode.CLOCK):
        return {}
    positions = {rank.number: at for at, rank in enumerate(matched.run.ranks) if rank.number is not None}
    sends = _side(matched, alignment, Operation.SEND, positions)
    receives = _side(matched, alignment, Operation.RECV, positions)
    if sends is None or receives is None:
        return {}
    one, other = _paired(sends, receives)
    pairs = list(
        zip(sends.rank[one].tolist(), sends.peer[one].tolist(), strict=True)
    )  # of (sender, receiver)
    known = {pair: alignment.uncertainty(*pair) for pair in set(pairs)}
    allowed = np.array([np.inf if known[pair] is None else known[pair] for pair in pairs], np.float64)
    early = receives.start[other] - sends.start[one]
    found: dict[int, list[tuple[Int64, Int64]]] = {}
    for side, at, late in ((sends, one, early), (receives, other, -early)):
        wait = np.clip(late, 0, side.end[at] - side.start[at])
        sure = (wait > 0) & (wait >= allowed)
        ranks, rows, waits = side.rank[at][sure], side.row[at][sure], wait[sure]
        for rank in np.unique(ranks).tolist():
            found.setdefault(rank, []).append((rows[ranks == rank], waits[ranks == rank]))
    return {
        rank: Messages(
            np.concatenate([rows for rows, _ in parts]).astype(np.intp),
            np.concatenate([waits for _, waits in parts]),
        )
        for rank, parts in found.items()
    }


def _side(
    matched: Matched, alignment: Alignment, operation: Operation, positions: dict[int, int]
) -> _Side | None:
    """All blocking sends, or receives, whose partner is recorded; None where there are none, or too many."""
    parts: list[_Side] = []
    total = 0
    for rank, of in enumerate(matched.run.ranks):
        rows = of.summary.collectives
        if rows.peer is None:
            continue
        names = matched.reader.names(rank)
        wanted = [name.operation is operation and name.blocking for name in matched.reader.book.names]
        which = np.flatnonzero(np.array([*wanted, False], bool)[names] & (rows.peer >= 0))
        total += len(which)
        if total > _MOST:
            return None
        peer = np.array([positions.get(number, -1) for number in rows.peer[which].tolist()], np.int64)
        which, peer = which[peer >= 0], peer[peer >= 0]
        start, end = (alignment.to_axis(rank, times[which]) for times in (rows.start, rows.end))
        parts.append(_Side(np.full(len(which), rank, np.int64), peer, start, end, which.astype(np.int64)))
    if not parts:
        return None
    return _Side(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _paired(sends: _Side, receives: _Side) -> tuple[Positions, Positions]:
    """Positions of sends and of their receives: of pairs of ranks that recorded as many of both, in order."""
    ranks = 1 + int(max(sends.rank.max(initial=0), sends.peer.max(initial=0), receives.rank.max(initial=0)))
    ranks = max(ranks, 1 + int(receives.peer.max(initial=0)))
    of_sends = sends.rank * ranks + sends.peer
    of_receives = receives.peer * ranks + receives.rank
    one, other = np.argsort(of_sends, kind="stable"), np.argsort(of_receives, kind="stable")
    pairs, sent = np.unique(of_sends, return_counts=True)
    others, received = np.unique(of_receives, return_counts=True)
    both, at, there = np.intersect1d(pairs, others, return_indices=True)
    same = both[sent[at] == received[there]]
    return one[np.isin(of_sends[one], same)], other[np.isin(of_receives[other], same)]
