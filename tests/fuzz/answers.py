"""Whether an answer is the right one: figures of the commands held against :mod:`.oracle`."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.fuzz import delimited
from tests.fuzz.judge import GOOD, NOTHING_THERE, UNREADABLE, Outcome, document
from tests.fuzz.oracle import DEVICE_WORK, Truth, union
from tests.support.csv_text import in_csv

SUMS = (
    ("cuda_gpu_kern_sum", ("kernel", "graph"), "Instances"),
    ("cuda_gpu_mem_time_sum", ("memcpy", "memset"), "Count"),
    ("cuda_api_sum", ("api",), "Num Calls"),
    ("osrt_sum", ("os",), "Num Calls"),
)
"""Reports whose totals are a plain sum over rows: the kinds, and the column that counts them."""


def wrong(outcomes: dict[str, Outcome], truth: Truth | None) -> list[str]:
    """What is not as it should be; ``truth`` None: SQLite can't read the tables, nothing may go through."""
    if truth is None:
        through = [name for name, o in outcomes.items() if o.code != UNREADABLE]
        return [f"SQLite can't read this, yet {', '.join(through)} went through"] if through else []
    if any(o.code == UNREADABLE for o in outcomes.values()):
        return []
    found = []
    for name, check in (("export", events), ("sums", sums), ("gaps", busy), ("info", facts)):
        if name in outcomes:
            found += [f"{name}: {what}" for what in check(outcomes[name], truth)]
    return found


def events(outcome: Outcome, truth: Truth) -> list[str]:
    """The export lists every event once, with its times and its name."""
    expected = truth.lasting()
    if outcome.code == NOTHING_THERE:
        many = expected.total() + truth.cut
        return [f"nothing there, though there are {many} events"] if many else []
    (table,) = delimited.tables(outcome.text())
    head, *rows = table
    start, duration, kind, name = (head.index(c) for c in ("start_ns", "duration_ns", "kind", "name"))
    open_starts = Counter(event[1] for event in expected.elements() if event[2] is None)
    got: Counter[tuple[str, int, int | None]] = Counter()
    names: dict[str, Counter[str]] = {}
    ranges = [(row[kind], int(row[start]), int(row[duration])) for row in rows]
    for row, (what, at, long) in zip(rows, ranges, strict=True):
        names.setdefault(what, Counter())[row[name]] += 1
        closed = expected[what, at, long] > got[what, at, long]
        if what == "range" and not closed and open_starts[at]:
            got[what, at, None] += 1
        else:
            got[what, at, long] += 1
    cut = Counter({event: n for event, n in (got - expected).items() if event[0] == "cpu"})
    if cut.total() == truth.cut:
        got -= cut
    found = differing(got, expected)
    for what in ("kernel", "api", "os", "range", "mark"):
        right = truth.named(what)
        if right is not None and not found:
            written = Counter(in_csv(name) for name in right.elements())
            found += differing(names.get(what, Counter()), written)
    return found


def differing(got: Counter[Any], expected: Counter[Any]) -> list[str]:
    """The first few entries that are missing or too many."""
    missing, extra = expected - got, got - expected
    if not missing and not extra:
        return []
    some = [f"{str(k)[:80]} x{n}" for k, n in list(missing.items())[:2]]
    more = [f"{str(k)[:80]} x{n}" for k, n in list(extra.items())[:2]]
    return [f"missing {missing.total()} ({', '.join(some)}), too many {extra.total()} ({', '.join(more)})"]


def sums(outcome: Outcome, truth: Truth) -> list[str]:
    """Counts and totals of the sums are those of the rows."""
    expected = {}
    for report, kinds, _ in SUMS:
        rows = truth.of(*kinds)
        if rows:
            expected[report] = (len(rows), sum(end - start for start, end, _ in rows))  # type: ignore[operator]
    if outcome.code == NOTHING_THERE:
        return [f"nothing there, though {', '.join(expected)} have rows"] if expected else []
    got = {}
    for report in document(outcome.text())["reports"]:
        count = next(c for name, _, c in SUMS if name == report["name"])
        at, total = report["columns"].index(count), report["columns"].index("Total Time (ns)")
        got[report["name"]] = (
            sum(row[at] for row in report["rows"]),
            sum(row[total] for row in report["rows"]),
        )
    got = {name: figures for name, figures in got.items() if figures != (0, 0) or name in expected}
    return [] if got == expected else [f"{got} is not {expected}"]


def busy(outcome: Outcome, truth: Truth) -> list[str]:
    """Shares add up; gaps add up to idle time; blame adds up to gaps; a lone device is busy for its union."""
    work = truth.of(*DEVICE_WORK)
    if outcome.code == NOTHING_THERE:
        return [f"nothing there, though there are {len(work)} ops"] if work else []
    found = []
    devices = document(outcome.text())["devices"]
    for d in devices:
        parts = ("kernel_ns", "copy_only_ns", "other_ns", "unknown_ns", "idle_ns")
        if sum(d[part] for part in parts) != d["window_ns"]:
            found.append("shares do not add up to the window")
        if d["kernel_ns"] + d["copy_only_ns"] != d["busy_ns"]:
            found.append("shares do not add up to busy")
        listed = sum(gap["duration_ns"] for gap in d["gaps"])
        if listed + d["short_gaps"]["idle_ns"] != d["idle_ns"]:
            found.append("gaps do not add up to idle time")
        if sum(total["idle_ns"] for total in d["blame"]) + d["short_gaps"]["idle_ns"] != d["idle_ns"]:
            found.append("blame does not add up to idle time")
        if any(sum(cause["ns"] for cause in gap["blame"]) != gap["duration_ns"] for gap in d["gaps"]):
            found.append("blame of a gap does not add up")
        if min(d[part] for part in (*parts, "window_ns")) < 0:
            found.append("negative time")
    if len(truth.devices) == 1:
        right = union([(start, end) for start, end, _ in work])  # type: ignore[misc]
        if [d["busy_ns"] for d in devices] != [right]:
            found.append(f"busy {[d['busy_ns'] for d in devices]} is not {right}")
    return found


def facts(outcome: Outcome, truth: Truth) -> list[str]:
    """Every op is on some device."""
    if outcome.code != GOOD:
        return [f"exit code {outcome.code}"]
    got = sum(device["ops"] for device in document(outcome.text())["devices"])
    expected = len(truth.of(*DEVICE_WORK))
    return [] if got == expected else [f"{got} ops on devices, {expected} in the file"]
