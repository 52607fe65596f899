"""The sum reports again, the slow and obvious way: plain Python over SQLite rows.

Shares no code with the product. Rows come out as lists in the columns' order.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

Row = dict[str, Any]
PROCESS = 0xFFFFFFFFFF000000
RANGES = (59, 60, 70, 71)
WIDE = Context(prec=120, rounding=ROUND_HALF_UP)


def half_up(value: Fraction, digits: int) -> float:
    """The nearest double, its exact value rounded half away from zero (``value`` is never negative here)."""
    unit = Decimal(1).scaleb(-digits)
    return float(Decimal(float(value)).quantize(unit, ROUND_HALF_UP, WIDE))


def in_megabytes(size: Fraction) -> float:
    """Bytes as decimal megabytes with three decimals, the way that printf writes the nearest double."""
    return float(f"{float(size / 10**6):.3f}")


def deviation(values: list[int], per: int, digits: int) -> float:
    n = len(values)
    if n == 1:
        return 0.0
    mean = Fraction(sum(values), n)
    variance = sum((v - mean) ** 2 for v in values) / (n - 1) / per**2
    root = WIDE.sqrt(WIDE.divide(Decimal(variance.numerator), Decimal(variance.denominator)))
    return float(root.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def median(values: list[int]) -> Fraction:
    ordered = sorted(values)
    n = len(ordered)
    return Fraction(ordered[(n - 1) // 2] + ordered[n // 2], 2)


class Brute:
    """One export, read row by row."""

    def __init__(self, path: Path) -> None:
        self.db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        self.db.row_factory = sqlite3.Row
        self.db.text_factory = lambda raw: raw.decode("utf-8", "replace")
        self.tables = {r[0] for r in self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        self.strings = {r["id"]: r["value"] for r in self.rows("StringIds")}

    def rows(self, table: str) -> Iterator[Row]:
        """All rows of a table as dictionaries; rows with impossible times are left out."""
        if table not in self.tables:
            return
        for row in self.db.execute(f'SELECT rowid AS "rowid!", * FROM "{table}"'):  # noqa: S608
            found = dict(row)
            start, end = found.get("start"), found.get("end")
            if end is not None and start is not None and (end < start or start == end == 0):
                continue
            yield found

    def name(self, row: Row, *columns: str) -> str:
        for column in columns:
            if row.get(column) in self.strings:
                return self.strings[row[column]]
        raise AssertionError(f"no name in {row}")

    # --- events as (name, duration) ---

    def kernel_name(self, row: Row, form: str = "") -> str:
        first = {"base": "shortName", "mangled": "mangledName"}.get(form, "demangledName")
        return self.name(row, first, "demangledName", "shortName")

    def kernels(self, form: str = "") -> Iterator[tuple[str, Row]]:
        for row in self.rows("CUPTI_ACTIVITY_KIND_KERNEL"):
            yield self.kernel_name(row, form), row
        for row in self.rows("CUPTI_ACTIVITY_KIND_GRAPH_TRACE"):
            yield f"[CUDA graph {row['graphId']}]", row

    def copies(self) -> Iterator[tuple[str, Row]]:
        words = {r["id"]: r["label"] for r in self.rows("ENUM_CUDA_MEMCPY_OPER")} or {
            1: "Host-to-Device", 2: "Device-to-Host", 8: "Device-to-Device", 11: "Unified Host-to-Device",
            12: "Unified Device-to-Host",
        }  # fmt: skip
        for row in self.rows("CUPTI_ACTIVITY_KIND_MEMCPY"):
            yield f"[CUDA memcpy {words[row['copyKind']]}]", row
        for row in self.rows("CUPTI_ACTIVITY_KIND_MEMSET"):
            yield "[CUDA memset]", row

    def calls(self) -> Iterator[tuple[str, Row]]:
        for table in ("CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER"):
            for row in self.rows(table):
                if row.get("eventClass") != 67:
                    name = self.name(row, "nameId")
                    yield name[:-6] if name[-6:].startswith("_v") else name, row

    def ranges(self, last: tuple[int, ...] = ()) -> Iterator[tuple[str, str, Row]]:
        """(printed name, style, row); an open range ends with the latest timestamp of the types ``last``."""
        rows = [r for r in self.rows("NVTX_EVENTS") if not last or r["eventType"] in last]
        moments = [r["start"] for r in rows] + [r["end"] for r in rows if r["end"] is not None]
        domains = {}
        for row in self.rows("NVTX_EVENTS"):
            if row["eventType"] == 75:
                text = row["text"] if row["text"] is not None else self.strings.get(row.get("textId"))
                domains[row["domainId"], row["globalTid"] & PROCESS] = text
        for row in rows:
            if row["eventType"] not in RANGES:
                continue
            if row["end"] is None:
                row = {**row, "end": max(moments)}
            domain = ""
            if row.get("domainId"):
                domain = (
                    domains.get((row["domainId"], row["globalTid"] & PROCESS)) or f"domain {row['domainId']}"
                )
            text = row["text"] if row["text"] is not None else self.strings.get(row.get("textId"), "")
            yield f"{domain}:{text}", "StartEnd" if row["eventType"] in (60, 71) else "PushPop", row

    # --- reports ---

    def report(self, name: str) -> list[list[Any]]:
        report, _, form = name.partition(":")
        method: Callable[..., list[list[Any]]] = getattr(self, report)
        return method(form) if form else method()

    def cuda_gpu_kern_sum(self, form: str = "") -> list[list[Any]]:
        return std9(((name,), r) for name, r in self.kernels(form))

    def cuda_gpu_kern_gb_sum(self, form: str = "") -> list[list[Any]]:
        def shape(row: Row, what: str) -> str | None:
            if f"{what}X" not in row:
                return None
            return "{:4d} {:4d} {:4d}".format(*(row[f"{what}{axis}"] for axis in "XYZ"))

        def numbers(count: int, names: tuple[Any, ...]) -> Any:
            return count, names[2], *([int(n) for n in (shape or "").split()] for shape in names[:2])

        events = ((((shape(r, "grid"), shape(r, "block"), name)), r) for name, r in self.kernels(form))
        return std9(events, tie=numbers)

    def cuda_gpu_mem_time_sum(self) -> list[list[Any]]:
        return std9((((name,), r) for name, r in self.copies()), tie=by_name)

    def cuda_gpu_mem_size_sum(self) -> list[list[Any]]:
        groups: dict[str, list[int]] = defaultdict(list)
        for name, row in self.copies():
            groups[name].append(row["bytes"])
        found = []
        for name, sizes in groups.items():
            whole = Fraction(sum(sizes))
            figures = (whole / len(sizes), median(sizes), Fraction(min(sizes)), Fraction(max(sizes)))
            shown = [in_megabytes(whole), len(sizes), *map(in_megabytes, figures)]
            shown += [deviation(sizes, 10**6, 3), name]
            found.append((-sum(sizes), name, shown))
        return [row[-1] for row in sorted(found)]

    def cuda_gpu_sum(self, form: str = "") -> list[list[Any]]:
        return std9(self.device_work(form), tie=by_name)

    def cuda_api_gpu_sum(self, form: str = "") -> list[list[Any]]:
        calls = ((("CUDA_API", name), row) for name, row in self.calls())
        return std9([*self.device_work(form), *calls], tie=by_name)

    def device_work(self, form: str) -> Iterator[tuple[tuple[str, str], Row]]:
        for name, row in self.kernels(form):
            yield ("CUDA_GRAPH" if "demangledName" not in row else "CUDA_KERNEL", name), row
        for name, row in self.copies():
            yield ("MEMORY_OPER", name), row

    def cuda_api_sum(self) -> list[list[Any]]:
        """A row a recorded name; equal totals stand in the order of the string table."""
        found = std9(
            (((r["nameId"], name), r) for name, r in self.calls()), tie=lambda count, names: names[0]
        )
        return [[*row[:-2], row[-1]] for row in found]

    def osrt_sum(self) -> list[list[Any]]:
        rows = [r for r in self.rows("OSRT_API") if r["eventClass"] in (27, None)]
        named = ((r["nameId"], self.name(r, "nameId")) for r in rows)
        found = std9(zip(named, rows, strict=True), tie=lambda count, names: names[0])
        return [[*row[:-2], row[-1]] for row in found]

    def nvtx_sum(self) -> list[list[Any]]:
        return std9((((style, name), r) for name, style, r in self.ranges()), tie=by_name)

    def nvtx_pushpop_sum(self) -> list[list[Any]]:
        return std9((((name,), r) for name, style, r in self.ranges() if style == "PushPop"), tie=by_name)

    def nvtx_startend_sum(self) -> list[list[Any]]:
        return std9((((name,), r) for name, style, r in self.ranges() if style == "StartEnd"), tie=by_name)

    # --- joins ---

    def launches(self) -> dict[tuple[int | None, int], Row]:
        """(process, correlationId) -> the call; files of one process may leave the process out."""
        found: dict[tuple[int | None, int], list[Row]] = defaultdict(list)
        for name, row in self.calls():
            found[row["globalTid"] & PROCESS, row["correlationId"]].append({**row, "api": name})
        used = {row["correlationId"] for _, row in [*self.kernels(), *self.copies()]}
        assert not [rows for rows in found.values() if len(rows) > 1 and rows[0]["correlationId"] in used]
        return {key: rows[0] for key, rows in found.items()}

    def launched(self, ops: Iterable[tuple[str, Row]]) -> Iterator[tuple[str, Row, Row | None]]:
        launches = self.launches()
        processes = {pid for pid, _ in launches}
        only = processes.pop() if len(processes) == 1 else None
        for name, row in ops:
            yield name, row, launches.get((row.get("globalPid") or only, row["correlationId"]))

    def cuda_kern_exec_sum(self, form: str = "") -> list[list[Any]]:
        groups: dict[Any, list[tuple[Row, Row]]] = defaultdict(list)
        for name, op, call in self.launched(self.kernels(form)):
            if call is not None and "demangledName" in op:
                tid = call["globalTid"]
                groups[tid >> 24 & 0xFFFFFF, tid & 0xFFFFFF, op["deviceId"], call["api"], name].append(
                    (op, call)
                )
        found = []
        for (pid, tid, device, api, kernel), pairs in groups.items():
            total = [max(c["end"], k["end"]) - c["start"] for k, c in pairs]
            called = [c["end"] - c["start"] for k, c in pairs]
            queued = [k["start"] - c["end"] for k, c in pairs if k["start"] >= c["end"]]
            ran = [k["end"] - k["start"] for k, c in pairs]
            row = [pid, tid, device, len(pairs), len(queued)]
            for values in (total, called, queued, ran):
                row += five(values) if values else [None, None, None, None, 0.0]
            found.append((-row[5], pid, tid, device, api, kernel, [*row, api, kernel]))
        return [row[-1] for row in sorted(found, key=lambda f: f[:-1])]

    def around(self, calls: list[Row]) -> list[list[tuple[str, str, Row]]]:
        """For each call the ranges of its thread that contain it; ranges ended elsewhere left out."""
        by_thread: dict[int, list[tuple[str, str, Row]]] = defaultdict(list)
        for name, style, row in self.ranges(RANGES):
            if row.get("endGlobalTid") in (None, row["globalTid"]):
                by_thread[row["globalTid"]].append((name, style, row))
        for owned in by_thread.values():
            owned.sort(key=lambda r: r[2]["start"])
        found: list[list[tuple[str, str, Row]]] = [[] for _ in calls]
        waiting = dict.fromkeys(by_thread, 0)
        active: dict[int, list[tuple[str, str, Row]]] = defaultdict(list)
        for i in sorted(range(len(calls)), key=lambda i: calls[i]["start"]):
            call = calls[i]
            tid = call["globalTid"]
            owned = by_thread.get(tid, [])
            while waiting.get(tid, 0) < len(owned) and owned[waiting[tid]][2]["start"] <= call["start"]:
                active[tid].append(owned[waiting[tid]])
                waiting[tid] += 1
            active[tid] = [r for r in active[tid] if r[2]["end"] >= call["start"]]
            found[i] = [r for r in active[tid] if r[2]["end"] >= call["end"]]
        return found

    def nvtx_gpu_proj_sum(self) -> list[list[Any]]:
        pairs = [
            (op, call) for _, op, call in self.launched([*self.kernels(), *self.copies()]) if call is not None
        ]
        owners: dict[int, list[tuple[Row, Row]]] = defaultdict(list)
        ranges: dict[int, tuple[str, str, Row]] = {}
        for (op, call), around in zip(pairs, self.around([c for _, c in pairs]), strict=True):
            for item in around:
                ranges[item[2]["rowid!"]] = item
                owners[item[2]["rowid!"]].append((op, call))
        groups: dict[tuple[str, str], list[Any]] = defaultdict(list)
        for rowid, owned in owners.items():
            name, style, row = ranges[rowid]
            extent = max(o["end"] for o, _ in owned) - min(o["start"] for o, _ in owned)
            launches = {c["correlationId"] for _, c in owned}
            groups[name, style].append((extent, row["end"] - row["start"], len(launches)))
        found = []
        for (name, style), items in groups.items():
            extents = [i[0] for i in items]
            row = [name, style, sum(extents), sum(i[1] for i in items), len(items), *five(extents)]
            row += [sum(i[2] for i in items), half_up(Fraction(sum(i[2] for i in items), len(items)), 1)]
            found.append((-sum(extents), name, style, row))
        return [row[-1] for row in sorted(found, key=lambda f: f[:-1])]

    def nvtx_kern_sum(self, form: str = "") -> list[list[Any]]:
        ops = list(self.launched(self.kernels(form)))
        calls = [call for _, _, call in ops if call is not None]
        around = iter(self.around(calls))
        groups: dict[Any, list[tuple[int | None, int, tuple[bool, int]]]] = defaultdict(list)
        pids = {row["globalTid"] >> 24 & 0xFFFFFF for _, row in self.calls()}
        for name, op, call in ops:
            length = op["end"] - op["start"]
            kernel = ("demangledName" in op, op["rowid!"])
            if call is None:
                pid = op["globalPid"] >> 24 & 0xFFFFFF if op.get("globalPid") else next(iter(pids))
                groups["", pid, None, "", name].append((None, length, kernel))
                continue
            tid = call["globalTid"]
            held = next(around) or [("", "", {"rowid!": None})]
            for label, style, row in held:
                groups[label, tid >> 24 & 0xFFFFFF, tid & 0xFFFFFF, style, name].append(
                    (row["rowid!"], length, kernel)
                )
        found = []
        for (label, pid, tid, style, name), items in groups.items():
            lengths = [length for _, length, _ in items]
            instances = len({i for i, _, _ in items if i is not None})
            kernels = len({kernel for _, _, kernel in items})
            row = [label, style, pid, tid, instances, kernels, sum(lengths), *five(lengths), name]
            key = (label, pid, -1 if tid is None else tid, -sum(lengths), style, name)
            found.append((key, row))
        return [row for _, row in sorted(found, key=lambda f: f[0])]


def by_name(count: int, names: tuple[Any, ...]) -> Any:
    """Groups of equal totals by name (the last), then by what is before it, whatever their count."""
    return names[::-1]


def five(values: list[int]) -> list[Any]:
    """Average to deviation."""
    return [
        half_up(Fraction(sum(values), len(values)), 1), half_up(median(values), 1), min(values), max(values),
        deviation(values, 1, 1),
    ]  # fmt: skip


def std9(
    events: Iterable[tuple[tuple[Any, ...], Row]], tie: Callable[[int, tuple[Any, ...]], Any] | None = None
) -> list[list[Any]]:
    """Time (%) to StdDev and the names, by total descending, count ascending, names ascending."""
    groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for names, row in events:
        groups[names].append(row["end"] - row["start"])
    whole = sum(map(sum, groups.values()))
    found = []
    for names, lengths in groups.items():
        share = half_up(Fraction(100 * sum(lengths), whole), 1) if whole else None
        average, middle, low, high, spread = five(lengths)
        row = [share, sum(lengths), len(lengths), average, middle, low, high, spread, *names]
        key = tie(len(lengths), names) if tie else (len(lengths), *(n or "" for n in reversed(names)))
        found.append((-sum(lengths), key, row))
    return [row for _, _, row in sorted(found, key=lambda f: f[:2])]
