"""NVTX: ranges that nest, cross, coincide, stay open; domains, marks and the rest."""

from __future__ import annotations

from tests.nsys.oracle.draft import Draft

NAMES = ("step", "forward", "backward", "optimizer", "aten::mm, seq = 5, op_id = 7", "load")
DOMAINS = ("NCCL", "PyTorch", "a:b", "")
PUSH_POP, START_END, MARK, CATEGORY, THREAD, CREATE, DESTROY = 59, 60, 34, 33, 39, 75, 76
TABLE_PUSH_POP, TABLE_START_END = 70, 71


def add(draft: Draft) -> None:
    """Ranges on some threads."""
    named = {
        (process.global_pid, domain): draft.chance(0.7) for process in draft.processes for domain in (1, 2)
    }
    for (process_id, domain), created in named.items():
        if created:
            row = {
                "eventType": CREATE,
                "domainId": domain,
                "globalTid": process_id | process_id >> 24 & 0xFFFFFF,
            }
            draft.add("NVTX_EVENTS", start=draft.first, text=draft.pick(*DOMAINS), **row)
    for process in draft.processes:
        for thread in process.threads:
            if draft.chance(0.7):
                _nest(draft, thread, 0, 60, 0)
            for _ in draft.some(2) if draft.chance(0.3) else ():
                _range(draft, PUSH_POP, thread, *draft.span(longest=30))  # may cross
            for _ in draft.some(4) if draft.chance(0.5) else ():
                _range(draft, START_END, thread, *draft.span(longest=40))
    for _ in draft.some(3):
        kind = draft.pick(MARK, MARK, CATEGORY, THREAD, DESTROY)
        _event(draft, kind, draft.thread(), draft.moment(0, 80), None)
    if draft.chance(0.1):
        for _ in draft.some(3):
            kind = draft.pick(TABLE_PUSH_POP, TABLE_START_END)
            _range(draft, kind, draft.thread(), *draft.span())


def _nest(draft: Draft, thread: int, low: int, high: int, depth: int) -> None:
    """Ranges side by side between `low` and `high`, and such ranges in them."""
    at = low
    for _ in range(draft.rng.randint(0, 3 if depth < 4 else 0)):
        start = at if draft.chance(0.2) else draft.rng.randint(at, high)
        end = high if draft.chance(0.2) else draft.rng.randint(start, high)
        _range(draft, PUSH_POP, thread, draft.first + draft.unit * start, draft.first + draft.unit * end)
        _nest(draft, thread, start, end, depth + 1)
        at = end


def _range(draft: Draft, kind: int, thread: int, start: int, end: int) -> None:
    _event(draft, kind, thread, start, None if draft.chance(0.05) else end)


def _event(draft: Draft, kind: int, thread: int, start: int, end: int | None) -> None:
    name = draft.name(*NAMES)
    form = draft.pick("text", "text", "textId", "textId", "both", "none" if draft.chance(0.2) else "text")
    other = None
    if kind in (START_END, TABLE_START_END) and draft.chance(0.3):
        ending = draft.thread()
        other = ending if ending != thread else None  # as in captures: NULL is the thread that began it
    draft.add(
        "NVTX_EVENTS",
        start=start,
        end=end,
        eventType=kind,
        rangeId=draft.number() if kind == START_END else None,
        text=name if form in ("text", "both") else None,
        textId=draft.string(name if form == "textId" else "of the table")
        if form in ("textId", "both")
        else None,
        globalTid=thread,
        endGlobalTid=other,
        domainId=draft.pick(0, 0, 0, 0, 1, 1, 2, None if draft.chance(0.1) else 0),
        color=draft.pick(None, 0xFF00FF00),
        category=draft.pick(None, 1),
        int64Value=draft.pick(None, 5),
    )
