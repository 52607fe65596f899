"""Which blocks of unified memory moved, and which of them went back and forth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats.extra import addresses, pids
from tui.analysis.stats.unified_memory import DEVICE_TO_HOST, HOST_TO_DEVICE
from tui.analysis.table import Column, Table, Unit
from tui.analysis.um.migrations import unified
from tui.report.columns import NULL, Int64
from tui.text.numbers import plural

BLOCK_BITS = 21
"""The driver keeps track of unified memory in blocks of 2 MiB."""
PING_PONG = 3
"""Changes of direction from which on a block goes back and forth."""


class Blocks(NamedTuple):
    """Blocks of memory that anything is known of, one value each."""

    process: Int64
    address: Int64
    to_device: Int64
    to_host: Int64
    """How many migrations."""
    size: Int64
    """Bytes moved, whatever the direction, where they are recorded."""
    turns: Int64
    """How often a migration went the other way than the one before it."""
    cpu_faults: Int64
    gpu_faults: Int64
    """NULL: not traced, or a number was not recorded."""


def blocks(index: Index, scope: Scope) -> Blocks:
    """The blocks of unified memory in scope."""
    found = unified(index, scope)
    copies = found.copies
    rows = found.moved[copies["virtualAddress"][found.moved] != NULL]
    cpu = found.cpu_rows[found.cpu["address"][found.cpu_rows] != NULL]
    gpu = found.gpu_rows[found.gpu["address"][found.gpu_rows] != NULL]
    parts = ((copies, rows, "virtualAddress"), (found.cpu, cpu, "address"), (found.gpu, gpu, "address"))
    process = np.concatenate([table["globalPid"][which] for table, which, _ in parts])
    place = np.concatenate([table[name][which] for table, which, name in parts])
    block = (place.view(np.uint64) >> np.uint64(BLOCK_BITS)).astype(np.int64)
    group, first = combined(process, block)
    moved, on_cpu, on_gpu = np.split(group, np.cumsum([len(rows), len(cpu)]))
    count = len(first)
    kind = copies["copyKind"][rows]
    size = np.zeros(count, np.int64)
    moving = found.sizes[rows]
    np.add.at(size, moved, np.where(moving == NULL, 0, moving))
    size[moved[moving == NULL]] = NULL
    faults = found.faults[gpu]
    on_gpu_faults = np.zeros(count, np.int64)
    np.add.at(on_gpu_faults, on_gpu, np.where(faults == NULL, 0, faults))
    on_gpu_faults[on_gpu[faults == NULL]] = NULL
    untraced = np.full(count, NULL, np.int64)
    return Blocks(
        process[first],
        (block[first].astype(np.uint64) << np.uint64(BLOCK_BITS)).view(np.int64),
        np.bincount(moved[kind == HOST_TO_DEVICE], minlength=count),
        np.bincount(moved[kind == DEVICE_TO_HOST], minlength=count),
        size,
        _turns(moved, kind, count),
        np.bincount(on_cpu, minlength=count) if found.cpu_traced else untraced,
        on_gpu_faults if found.gpu_traced else untraced,
    )


def _turns(block: Int64, kind: Int64, count: int) -> Int64:
    """How often each block's migrations, by start, change between to a device and to the host."""
    two_way = np.isin(kind, (HOST_TO_DEVICE, DEVICE_TO_HOST))
    block, kind = block[two_way], kind[two_way]
    order = np.argsort(block, kind="stable")
    block, kind = block[order], kind[order]
    turned = (block[1:] == block[:-1]) & (kind[1:] != kind[:-1])
    return np.bincount(block[1:][turned], minlength=count)


def address_table(index: Index, scope: Scope) -> Table:
    """One row a block of 2 MiB, those first that changed direction most often."""
    found = blocks(index, scope)
    pong = ["yes" if turns >= PING_PONG else "no" for turns in found.turns.tolist()]
    columns = (
        Column("Address", "address", Unit.TEXT, addresses(found.address)),
        Column("PID", "pid", Unit.ID, pids(found.process)),
        Column("To device", "to_device", Unit.COUNT, found.to_device),
        Column("To host", "to_host", Unit.COUNT, found.to_host),
        Column("Bytes (B)", "bytes", Unit.BYTES, found.size),
        Column("Turns", "alternations", Unit.COUNT, found.turns),
        Column("Ping-pong", "ping_pong", Unit.TEXT, pong),
        Column("CPU faults", "cpu_faults", Unit.COUNT, found.cpu_faults, rank=1),
        Column("GPU faults", "gpu_faults", Unit.COUNT, found.gpu_faults, rank=1),
    )
    order = np.lexsort((found.address, -found.size, -found.turns))
    table = Table("um:address", "Blocks of unified memory", columns, ping_pong_words(index, scope))
    return table.ordered(order)


def ping_pong_words(index: Index, scope: Scope) -> str | None:
    """How many blocks go back and forth; None where none do."""
    turns = blocks(index, scope).turns
    if not (number := int((turns >= PING_PONG).sum())):
        return None
    return f"{plural(number, 'block')} of 2 MiB went back and forth (most often {int(turns.max()):,} turns)"
