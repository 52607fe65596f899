"""Which reports share a clock."""

from __future__ import annotations

import numpy as np
import pytest

from fixtures.ranks_sim import ALL_REDUCE
from fixtures.ranks_summaries import RankRows, rank_set_from
from tui.ranks.clocks import Clocks, Relation, find_clocks

S = 10**9


def clocks_of(*said: dict[str, object], reports: list[int] | None = None) -> Clocks:
    rows = []
    for rank, values in enumerate(said):
        host = values.pop("host", None)
        row = RankRows(rank, host, np.array([10]), np.array([20]), [ALL_REDUCE], [7], **values)  # type: ignore[arg-type]
        rows.append(row)
    ranks = rank_set_from(rows, reports)
    return find_clocks(ranks, ranks.runs[0])


def groups(clocks: Clocks) -> list[tuple[Relation, tuple[int, ...]]]:
    return [(domain.relation, domain.ranks) for domain in clocks.domains]


def test_normalised_times_land_on_the_same_axis() -> None:
    """A started at 1000 s and recorded 2 s; B recorded the same moment as 1002 s, its shift is 1000 s."""
    clocks = clocks_of(
        {"host": "a", "utc_ns": 1_000 * S}, {"host": "b", "utc_ns": 1_000 * S, "shift_ns": 1_000 * S}
    )
    assert [2 * S + clocks.base_ns[0], 1_002 * S + clocks.base_ns[1]] == [1_002 * S, 1_002 * S]


def test_one_report_is_one_domain() -> None:
    assert groups(clocks_of({}, {}, reports=[0, 0])) == [(Relation.NONE, (0, 1))]
    found = clocks_of({"utc_ns": S}, {"utc_ns": S}, reports=[0, 0])
    assert groups(found) == [(Relation.REPORT, (0, 1))]


def test_system_clocks_of_one_boot() -> None:
    """UTC says 5.3 s between the starts, the system clock 5 s: the system clock counts."""
    clocks = clocks_of(
        {"host": "a", "utc_ns": 1_000 * S, "system_ns": 50 * S},
        {"host": "a", "utc_ns": 1_000 * S + 5_300_000_000, "system_ns": 55 * S},
    )
    assert groups(clocks) == [(Relation.SYSTEM, (0, 1))]
    assert clocks.base_ns == (1_000 * S, 1_005 * S)


def test_a_system_clock_that_was_restarted_relates_nothing() -> None:
    clocks = clocks_of(
        {"host": "a", "utc_ns": 1_000 * S, "system_ns": 50 * S},
        {"host": "a", "utc_ns": 1_005 * S, "system_ns": 3 * S},
    )
    assert groups(clocks) == [(Relation.REPORT, (0,)), (Relation.REPORT, (1,))]


def test_one_host_through_utc() -> None:
    clocks = clocks_of(
        {"host": "a", "utc_ns": 1_000 * S}, {"host": "b", "utc_ns": S}, {"host": "a", "utc_ns": 1_001 * S}
    )
    assert groups(clocks) == [(Relation.UTC, (0, 2)), (Relation.REPORT, (1,))]


@pytest.mark.parametrize("known", [{"utc_ns": S}, {"host": "a"}])
def test_unknown_hosts_and_clocks_are_alone(known: dict[str, object]) -> None:
    clocks = clocks_of(dict(known), dict(known))
    assert len(clocks.domains) == 2
    assert clocks.all_placed is ("utc_ns" in known)
