"""Which reports share a clock, and how the recorded times of each become times of one axis.

Times of a report are brought to UTC, or to its host's system clock where two reports of one boot have it. A
report without either can be placed by what it did together with others alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from tui.ranks import limits
from tui.ranks.rank_set import RankSet, Run


class Relation(Enum):
    """How the reports of a domain are related."""

    REPORT = "report"
    """One report: one session clock."""
    SYSTEM = "system clock"
    UTC = "utc"
    NONE = "none"
    """One report that recorded no UTC."""


@dataclass(frozen=True)
class Domain:
    """Reports whose clocks are related exactly."""

    members: tuple[int, ...]
    """Positions in ``RankSet.members``."""
    ranks: tuple[int, ...]
    """Positions in ``Run.ranks``."""
    host: str | None
    relation: Relation

    @property
    def placed(self) -> bool:
        """Whether its times are known in UTC."""
        return self.relation is not Relation.NONE


@dataclass(frozen=True)
class Clocks:
    """The domains of one run."""

    domains: tuple[Domain, ...]
    domain: tuple[int, ...]
    """By rank of the run: its domain."""
    base_ns: tuple[int, ...]
    """By rank of the run: what to add to its recorded times, in ns: UTC where it is known, else 0."""
    member: tuple[int, ...]
    """By rank of the run: its report."""
    notes: tuple[str, ...] = ()

    @property
    def all_placed(self) -> bool:
        """Whether all ranks have UTC."""
        return all(domain.placed for domain in self.domains)


@dataclass(frozen=True)
class _Clock:
    """What one report says of its clock; times of the report plus a base are that clock's."""

    member: int
    host: str | None
    hardware: str | None
    utc_base: int | None
    system_base: int | None

    def boot_of(self, other: _Clock) -> bool | None:
        """Whether both ran since one boot, by their system clocks; None: not recorded."""
        if self.system_base is None or other.system_base is None:
            return None
        if self.utc_base is None or other.utc_base is None:
            return None
        drift = (self.utc_base - other.utc_base) - (self.system_base - other.system_base)
        return abs(drift) <= limits.SAME_BOOT.value

    def same_host(self, other: _Clock) -> bool:
        if self.hardware or other.hardware:
            return self.hardware == other.hardware
        return self.host is not None and self.host == other.host


def find_clocks(rank_set: RankSet, run: Run) -> Clocks:
    """Group the reports of a run by clock."""
    members = sorted({rank.member for rank in run.ranks})
    found: list[tuple[Relation, list[_Clock]]] = []
    for clock in (_clock_of(rank_set, run, member) for member in members):
        for at, (relation, group) in enumerate(found):
            if relation is not Relation.NONE and _joins(clock, group):
                by_system = relation is not Relation.UTC and all(clock.boot_of(c) for c in group)
                found[at] = (Relation.SYSTEM if by_system else Relation.UTC, [*group, clock])
                break
        else:
            found.append((Relation.NONE if clock.utc_base is None else Relation.REPORT, [clock]))
    base: dict[int, int] = {}
    for relation, group in found:
        base |= _bases(relation, group)
    return _clocks(
        run, [(relation, [c.member for c in group], group[0].host) for relation, group in found], base
    )


def split_domains(clocks: Clocks, run: Run, which: Sequence[int], notes: Sequence[str]) -> Clocks:
    """Return the same clocks with each report of the domains ``which`` in a domain of its own."""
    parts: list[tuple[Relation, list[int], str | None]] = []
    for at, domain in enumerate(clocks.domains):
        if at in which:
            parts += [(Relation.REPORT, [member], domain.host) for member in domain.members]
        else:
            parts.append((domain.relation, list(domain.members), domain.host))
    base = {rank.member: ns for rank, ns in zip(run.ranks, clocks.base_ns, strict=True)}
    return _clocks(run, parts, base, (*clocks.notes, *notes))


def _clocks(
    run: Run,
    parts: Sequence[tuple[Relation, list[int], str | None]],
    base: dict[int, int],
    notes: tuple[str, ...] = (),
) -> Clocks:
    domain_of = {member: at for at, (_, members, _) in enumerate(parts) for member in members}
    of_rank = tuple(domain_of[rank.member] for rank in run.ranks)
    domains = tuple(
        Domain(tuple(members), tuple(r for r, d in enumerate(of_rank) if d == at), host, relation)
        for at, (relation, members, host) in enumerate(parts)
    )
    members = tuple(rank.member for rank in run.ranks)
    return Clocks(domains, of_rank, tuple(base[member] for member in members), members, notes)


def _joins(clock: _Clock, group: Sequence[_Clock]) -> bool:
    """Whether a report belongs to the domain of ``group``: one host, and no sign of a clock that was set."""
    return clock.utc_base is not None and all(
        clock.same_host(other) and clock.boot_of(other) is not False for other in group
    )


def _bases(relation: Relation, group: Sequence[_Clock]) -> dict[int, int]:
    first = group[0]
    if relation is Relation.SYSTEM:
        assert first.utc_base is not None and first.system_base is not None
        return {c.member: first.utc_base + (c.system_base or 0) - first.system_base for c in group}
    return {c.member: c.utc_base or 0 for c in group}


def _clock_of(rank_set: RankSet, run: Run, member: int) -> _Clock:
    summary = rank_set.members[member].summary
    assert summary is not None
    said = summary.identity
    shift = said.get("shift_ns") or 0
    utc, system = said.get("utc_ns"), said.get("system_ns")
    host = said.get("host") or next((r.host for r in run.ranks if r.member == member), None)
    return _Clock(
        member,
        host,
        said.get("hw_id"),
        None if utc is None else int(utc) - int(shift),
        None if system is None else int(system) - int(shift),
    )
