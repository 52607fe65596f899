"""Stacks beside the report's columns: made of the rows of a backtrace table once, then read as they are."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import astuple
from typing import Any

import numpy as np

from tui.analysis.cpu.frames import Frames
from tui.analysis.cpu.stacks import Stacks, StackTree, stacks_of
from tui.report.columns import Array, DerivedColumns
from tui.report.data import Strings
from tui.report.extra.extra_table import ExtraTable
from tui.report.model import Report

_MEANING = 1
"""Goes up whenever stacks or the names of frames are made in another way."""
_MASKS = ("unresolved", "python", "library", "user_python")

Put = Callable[[str, Array], None]


def stacks_in(report: Report, table: ExtraTable) -> Stacks:
    """The stacks of a table of backtraces; none where the report has no such table.

    Raises ReportError where the file is damaged, or has changed since it was opened.
    """
    shelf = report.shelf
    if shelf is None or table.source not in report.has:
        return stacks_of(report.extra_rows(table, keep=False))
    name = f"stacks-{table.source.lower()}"
    version = zlib.crc32(repr((_MEANING, astuple(table))).encode())
    made: list[Stacks] = []

    def derive(put: Put) -> dict[str, Any]:
        made.append(stacks_of(report.extra_rows(table, keep=False)))
        _save(made[0], put)
        return {}

    kept = shelf.find(name, version) or shelf.keep(name, version, derive, lambda: False)
    if kept is not None:
        return _loaded(kept)
    return made[0] if made else stacks_of(report.extra_rows(table, keep=False))


def _save(stacks: Stacks, put: Put) -> None:
    frames = stacks.tree.frames
    put("ids", stacks.ids)
    put("address_only", stacks.address_only.view(np.uint8))
    for name, positions in (
        ("node", stacks.node),
        ("leaf", stacks.leaf),
        ("tree.frame", stacks.tree.frame),
        ("tree.parent", stacks.tree.parent),
    ):
        put(name, positions.astype(np.int32))
    for name in ("name", "module"):
        texts = [text.encode("utf-8", "replace") for text in getattr(frames, name)]
        put(f"{name}.blob", np.frombuffer(b"".join(texts), np.uint8))
        put(f"{name}.offsets", np.cumsum([0, *map(len, texts)], dtype=np.int64))
    put("kind", frames.kind)
    for name in _MASKS:
        put(name, getattr(frames, name).view(np.uint8))


def _loaded(kept: DerivedColumns) -> Stacks:
    names, modules = (
        list(Strings(kept.get(f"{name}.blob"), kept.get(f"{name}.offsets"))) for name in ("name", "module")
    )
    masks = {name: kept.get(name) != 0 for name in _MASKS}
    frames = Frames(names, modules, kept.get("kind"), **masks)
    frame, parent, node, leaf = (
        kept.get(name).astype(np.intp) for name in ("tree.frame", "tree.parent", "node", "leaf")
    )
    return Stacks(
        kept.get("ids"), node, leaf, kept.get("address_only") != 0, StackTree(frame, parent, frames)
    )
