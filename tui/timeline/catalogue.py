"""Names and styles of slices, looked up one at a time: a frame asks only for what it shows."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.report.classify import base_api_name
from tui.report.columns import NULL, Int64
from tui.report.model import CallClass, OpKind, Report
from tui.text import safe
from tui.text.labels import label
from tui.timeline.palette import GROUND, nearest_256, visible
from tui.timeline.slices import SliceId

TINTS = 6
"""Shades of one hue that tell neighbouring names apart."""
COPY_STYLES = {
    1: "copy.h2d", 3: "copy.h2d", 11: "copy.h2d",
    2: "copy.d2h", 4: "copy.d2h", 12: "copy.d2h",
    5: "copy.d2d", 6: "copy.d2d", 7: "copy.d2d", 8: "copy.d2d", 13: "copy.d2d",
    9: "copy.h2h", 10: "copy.p2p",
}  # fmt: skip
COPY_WORDS = {
    "copy.h2d": "HtoD",
    "copy.d2h": "DtoH",
    "copy.d2d": "DtoD",
    "copy.h2h": "HtoH",
    "copy.p2p": "PtoP",
}
CALL_STYLES = {
    CallClass.SYNCHRONISATION: "api.sync",
    CallClass.MEMORY_MANAGEMENT: "api.memory",
    CallClass.BLOCKING_COPY: "api.copy",
    CallClass.LAUNCH: "api.launch",
    CallClass.OTHER: "api.other",
}
UNFINISHED = " (unfinished)"


def columns_of(report: Report, table: str) -> Any:
    """The columns of a table as :class:`SliceId` names it."""
    return report.others[table.partition(":")[2]] if table.startswith("other:") else getattr(report, table)


def times_of(report: Report, table: str) -> tuple[Int64, Int64]:
    """(start, end) columns of a table; marks end when they start."""
    columns = columns_of(report, table)
    return columns.start, columns.start if table == "marks" else columns.end


def tint(name: str) -> int:
    """A shade for a name: the same in every run and on every machine."""
    return zlib.crc32(name.encode("utf-8", "surrogatepass")) % TINTS


class Catalogue:
    """What the slices of one report are called and drawn like; remembers what it was asked."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._names: dict[int, str] = {}
        self._labels: dict[SliceId, tuple[str, str]] = {}
        self._tints: dict[int, int] = {}
        self._kernels: dict[int, str] = {}
        self._colours: dict[int, str] = {}

    def name(self, slice_id: SliceId) -> str:
        """The full name as recorded, not yet made safe for a screen."""
        if slice_id.table == "syncs":
            kind = int(self.report.syncs.kind[slice_id.index])
            return self.report.enums.get("sync_kind", {}).get(kind, f"synchronisation {kind}")
        return self._string(int(columns_of(self.report, slice_id.table).name[slice_id.index]))

    def labels(self, slice_id: SliceId) -> tuple[str, str]:
        """(full, short) names, safe for a screen; equal where there is nothing to shorten."""
        known = self._labels.get(slice_id)
        if known is None:
            if len(self._labels) > 65536:  # a long session over a large report must not hold it all
                self._labels.clear()
            known = self._labels[slice_id] = self._make_labels(slice_id)
        return known

    def style(self, slice_id: SliceId) -> str:
        """The slice's style name: its category, and a tint where the category has many names."""
        return self.styles(slice_id.table, np.array([slice_id.index]))[0]

    def styles(self, table: str, index: NDArray[np.intp]) -> list[str]:
        """The style names of many slices of a table."""
        report = self.report
        if table == "ops":
            kernels = self._kernels
            return [
                kernels.get(name) or self._kernel_style(name) if kind == OpKind.KERNEL else self._op_style(at)
                for kind, name, at in zip(
                    report.ops.kind[index].tolist(),
                    report.ops.name[index].tolist(),
                    index.tolist(),
                    strict=True,
                )
            ]
        if table == "calls":
            return [CALL_STYLES[call] for call in report.calls.call_class[index].tolist()]
        if table == "ranges":
            pairs = zip(report.ranges.color[index].tolist(), report.ranges.name[index].tolist(), strict=True)
            return [self._own_colour(color) or f"range.{self._tint(name)}" for color, name in pairs]
        if table == "marks":
            return [self._own_colour(color) or "mark" for color in report.marks.color[index].tolist()]
        return [{"os_calls": "os", "syncs": "sync"}.get(table, "other")] * len(index)

    def _string(self, name: int) -> str:
        if name < 0:
            return ""
        known = self._names.get(name)
        if known is None:
            known = self._names[name] = self.report.strings[name]
        return known

    def _tint(self, name: int) -> int:
        known = self._tints.get(name)
        if known is None:
            known = self._tints[name] = tint(self._string(name))
        return known

    def _make_labels(self, slice_id: SliceId) -> tuple[str, str]:
        table, index = slice_id
        full = safe(self.name(slice_id))
        short = full
        if table == "ops":
            kind = int(self.report.ops.kind[index])
            if kind == OpKind.KERNEL:
                name = int(self.report.kernels.short_name[int(self.report.ops.row[index])])
                short = safe(self._string(name)) or full
            elif kind == OpKind.MEMCPY:
                short = COPY_WORDS.get(self._op_style(index), full)
            elif kind == OpKind.MEMSET:
                short = "memset"
        elif table == "calls":
            full = short = base_api_name(full)
        elif table == "ranges":
            end = UNFINISHED if bool(self.report.ranges.unfinished[index]) else ""
            full, short = full + end, label(full) + end
        return full, short

    def _kernel_style(self, name: int) -> str:
        nccl = self._string(name).startswith("nccl")
        style = self._kernels[name] = "nccl" if nccl else f"kernel.{self._tint(name)}"
        return style

    def _op_style(self, index: int) -> str:
        """The style of a copy, memset or graph."""
        ops = self.report.ops
        kind = int(ops.kind[index])
        if kind == OpKind.MEMCPY:
            return COPY_STYLES.get(int(self.report.copies.copy_kind[int(ops.row[index])]), "copy.other")
        return "memset" if kind == OpKind.MEMSET else "graph"

    def _own_colour(self, argb: int) -> str:
        """The style of a colour that the application gave; empty where it gave none."""
        if argb == NULL or argb & 0xFFFFFFFF == 0:
            return ""
        known = self._colours.get(argb)
        if known is None:
            colour = visible((argb >> 16 & 255, argb >> 8 & 255, argb & 255), GROUND)
            known = self._colours[argb] = f"nvtx.{nearest_256(colour)}"
        return known
