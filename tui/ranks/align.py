"""The ranks of a run on one axis: by collectives, clocks, steps or first work, or as they were recorded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tui.errors import NothingThere
from tui.ranks import limits
from tui.ranks.alignment import Alignment, DomainClock, Mode, unaligned
from tui.ranks.anchors import Anchors, find_anchors
from tui.ranks.clocks import Clocks, Relation, find_clocks, split_domains
from tui.ranks.match import Matched
from tui.ranks.offsets import Estimate, estimate
from tui.ranks.rank_set import RankSet, Run
from tui.ranks.step_keys import step_keys
from tui.text.times import show_duration


def align(
    run: Run,
    clocks: Clocks,
    matched: Matched,
    mode: Mode = Mode.AUTO,
    *,
    anchor_step: int | None = None,
    clock_uncertainty_ns: float | None = None,
) -> Alignment:
    """Bring the ranks of a run to one axis, whose 0 is where the first of them begins.

    ``anchor_step``: the key of the step that begins at 0 by steps (default: the first common one).
    ``clock_uncertainty_ns``: how far clocks of hosts may be off that nothing else relates.
    """
    prior = limits.CLOCK_PRIOR.value if clock_uncertainty_ns is None else clock_uncertainty_ns
    anchors = find_anchors(matched, clocks)
    found = _estimate(anchors, clocks)
    split = _to_split(anchors, clocks)
    if split:
        notes = [_split_note(clocks, at) for at in split]
        clocks = split_domains(clocks, run, split, notes)
        found = _estimate(anchors, clocks)
    chosen = _choose(run, clocks, found) if mode is Mode.AUTO else mode
    if chosen is Mode.NONE:
        return replace(unaligned(clocks), domains=_measured(found, prior, clocks, Mode.NONE))
    if chosen in (Mode.COLLECTIVES, Mode.CLOCK):
        return _by_clocks(run, clocks, found, chosen, prior)
    return _by_moments(run, clocks, found, chosen, prior, anchor_step)


def side_by_side(run: Run, alignment: Alignment, *, anchor_step: int | None = None) -> Alignment:
    """Move a run's axis so that its first step begins at 0: runs are compared by steps, never by clocks."""
    firsts = _step_starts(run, alignment.clocks, anchor_step)
    moments = [
        int(alignment.to_axis(rank, np.array([at], np.int64))[0])
        for rank, at in enumerate(firsts)
        if at is not None
    ]
    return moved(alignment, -min(moments)) if moments else alignment


def moved(alignment: Alignment, by_ns: int) -> Alignment:
    """Return the same axis with another 0."""
    return replace(
        alignment,
        rank_offset_ns=tuple(offset + by_ns for offset in alignment.rank_offset_ns),
        origin_ns=alignment.origin_ns - by_ns,
    )


def aligned(rank_set: RankSet, run: Run, matched: Matched, mode: Mode = Mode.AUTO) -> Alignment:
    """:func:`align` by what the reports say of their clocks."""
    return align(run, find_clocks(rank_set, run), matched, mode)


def _estimate(anchors: Anchors, clocks: Clocks) -> Estimate:
    return estimate(anchors, clocks.domain, [len(domain.ranks) for domain in clocks.domains])


def _to_split(anchors: Anchors, clocks: Clocks) -> list[int]:
    """Domains through UTC whose reports are too far apart to be of one clock."""
    split = []
    for at, domain in enumerate(clocks.domains):
        if domain.relation is not Relation.UTC:
            continue
        # Each report against the first, over anchors that both saw; medians need no more than that.
        columns = [[r for r in domain.ranks if clocks.member[r] == member] for member in domain.members]
        ahead = [_ahead(anchors, columns[0], mine) for mine in columns[1:]]
        if any(off is not None and abs(off) > limits.DOMAIN_SPLIT.value for off in ahead):
            split.append(at)
    return split


def _ahead(anchors: Anchors, some: list[int], others: list[int]) -> float | None:
    both = anchors.there[:, some].any(axis=1) & anchors.there[:, others].any(axis=1)
    if not both.any():
        return None
    one = np.where(anchors.there[:, some], anchors.end[:, some], 0).max(axis=1)[both]
    two = np.where(anchors.there[:, others], anchors.end[:, others], 0).max(axis=1)[both]
    return float(np.median(two - one))


def _split_note(clocks: Clocks, at: int) -> str:
    host = clocks.domains[at].host or "one host"
    limit = show_duration(int(limits.DOMAIN_SPLIT.value))
    return f"the clocks of {host}'s reports differ by more than {limit}: each is aligned by itself"


def _choose(run: Run, clocks: Clocks, found: Estimate) -> Mode:
    few = limits.FEW_ANCHORS.value
    enough = (found.anchors >= limits.ENOUGH_ANCHORS.value) | (
        (found.anchors >= few) & (found.spread <= 1.4826 * limits.FEW_SPREAD.value)
    )
    if (enough & ~found.refused).all():
        return Mode.COLLECTIVES
    if (clocks.all_placed or len(clocks.domains) == 1) and not captured_apart(run, clocks):
        return Mode.CLOCK
    return Mode.STEPS if any(at is not None for at in _step_starts(run, clocks, None)) else Mode.START


def captured_apart(run: Run, clocks: Clocks) -> bool:
    """Whether reports were captured one after the other: between two of them lies more time than all of them
    hold, so that an axis by clocks would be mostly empty.
    """
    if len(set(clocks.member)) < 2:
        return False
    windows = np.array([rank.summary.window for rank in run.ranks], np.int64)
    windows += np.array(clocks.base_ns, np.int64)[:, None]
    start, end = windows[np.argsort(windows[:, 0], kind="stable")].T
    reached = np.maximum.accumulate(end)
    holes = np.maximum(start[1:] - reached[:-1], 0)
    return bool(holes.max(initial=0) > reached[-1] - start[0] - holes.sum())


def _measured(found: Estimate, prior: float, clocks: Clocks, mode: Mode) -> tuple[DomainClock, ...]:
    """What is known of each domain's clock; offsets only where they are used."""
    domains = []
    for at, domain in enumerate(clocks.domains):
        spread = None if np.isnan(found.spread[at]) else float(found.spread[at])
        trusted = spread is not None and not found.refused[at]
        measured = trusted and mode is Mode.COLLECTIVES
        resolved = not (found.was_set[at] or not found.usable[at] or found.refused[at])
        uncertain: float | None = None
        if measured and spread is not None:
            uncertain = max(spread, limits.CLOCK_FLOOR.value)
        elif mode in (Mode.CLOCK, Mode.COLLECTIVES) and (domain.placed or len(clocks.domains) == 1):
            uncertain = prior
        domains.append(
            DomainClock(
                offset_ns=int(found.offset[at]) if measured else 0,
                spread_ns=spread,
                uncertainty_ns=uncertain,
                drift_ppm=float(found.drift[at]) * 1e6 if measured else 0.0,
                drift_from_ns=int(found.drift_from[at]),
                anchors=int(found.anchors[at]),
                dropped=int(found.dropped[at]),
                violations=int(found.violations[at]),
                island=int(found.island[at]),
                measured=measured,
                resolved=resolved,
            )
        )
    return tuple(domains)


def _by_clocks(run: Run, clocks: Clocks, found: Estimate, mode: Mode, prior: float) -> Alignment:
    domains = _measured(found, prior, clocks, mode)
    offsets = tuple(
        clocks.base_ns[rank] + domains[clocks.domain[rank]].offset_ns for rank in range(len(run.ranks))
    )
    notes = [*clocks.notes, *_notes(clocks, domains, found, mode)]
    axis = Alignment(mode, clocks, domains, offsets, tuple(notes), prior)
    firsts = [
        int(axis.to_axis(at, np.array([rank.summary.window[0]], np.int64))[0])
        for at, rank in enumerate(run.ranks)
    ]
    return moved(axis, -min(firsts)) if firsts else axis


def _notes(clocks: Clocks, domains: tuple[DomainClock, ...], found: Estimate, mode: Mode) -> list[str]:
    notes = []
    for at, (domain, clock) in enumerate(zip(clocks.domains, domains, strict=True)):
        name = domain.host or f"report {domain.members[0] + 1}"
        if mode is Mode.COLLECTIVES:
            if clock.measured and domain.placed and abs(clock.offset_ns) > limits.CLOCK_PRIOR.value:
                word = "ahead" if clock.offset_ns < 0 else "behind"
                notes.append(f"the clock of {name} is {show_duration(abs(clock.offset_ns))} {word}")
            if not clock.measured:
                notes.append(f"no collectives relate {name} to the others: its arrivals are unresolved")
        if found.was_set[at]:
            notes.append(f"the clock of {name} was set during the capture: its arrivals are unresolved")
        if not found.usable[at]:
            notes.append(f"the clock of {name} runs too fast or too slow to be used")
        if clock.dropped:
            notes.append(f"{clock.dropped} anchors of {name} are impossible at any offset and left out")
    if mode is Mode.COLLECTIVES and len({clock.island for clock in domains}) > 1:
        notes.append("groups of ranks that share no collective are related by their clocks alone")
    return notes


def _by_moments(
    run: Run, clocks: Clocks, found: Estimate, mode: Mode, prior: float, anchor_step: int | None
) -> Alignment:
    """Put one moment of each rank at 0: the start of a step, or its first work."""
    steps = _step_starts(run, clocks, anchor_step) if mode is Mode.STEPS else [None] * len(run.ranks)
    offsets, lacking = [], 0
    for rank, at in zip(run.ranks, steps, strict=True):
        lacking += at is None
        offsets.append(-(rank.summary.window[0] if at is None else at))
    if anchor_step is not None and mode is Mode.STEPS and lacking == len(run.ranks):
        raise NothingThere(f"--anchor-step {anchor_step}: no rank has this step")
    notes = list(clocks.notes)
    if clocks.all_placed and captured_apart(run, clocks):
        notes.append("the reports were captured at different times: the axis is no clock's")
    if mode is Mode.STEPS and lacking:
        notes.append(f"{lacking} ranks without the common step begin with their first work")
    return Alignment(mode, clocks, _measured(found, prior, clocks, mode), tuple(offsets), tuple(notes), prior)


def _step_starts(run: Run, clocks: Clocks, anchor_step: int | None) -> list[int | None]:
    """By rank: when the first step that all have (or ``anchor_step``) begins, as recorded."""
    keys = step_keys(run, clocks)
    having = [found for found in keys if found is not None]
    common = having[0] if having else np.zeros(0, np.int64)
    for some in having[1:]:
        common = np.intersect1d(common, some, assume_unique=True)
    if anchor_step is not None:
        common = np.array([anchor_step], np.int64)
    if not len(common):
        return [None] * len(run.ranks)
    starts: list[int | None] = []
    for rank, mine in zip(run.ranks, keys, strict=True):
        there = [] if mine is None else np.flatnonzero(mine == common[0]).tolist()
        starts.append(int(rank.summary.steps.start[there[0]]) if there else None)
    return starts
