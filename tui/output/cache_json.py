"""What is kept of opened reports, as JSON and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from tui.analysis.table import Column, Table, Unit
from tui.report.store.entries import Entry
from tui.report.store.folder import Store

COLUMNS = (("Last used", "used", Unit.TEXT), ("Bytes", "bytes", Unit.BYTES), ("Report", "report", Unit.TEXT))


def cache_document(store: Store, entries: Sequence[Entry], limit: int, *, cleared: bool) -> dict[str, Any]:
    """The store's folder, its limit and its ``entries``, as what is stored or was ``cleared``."""
    rows = [_entry_object(entry) for entry in entries]
    return {
        "folder": str(store.folder),
        "limit_bytes": limit,
        "total_bytes": sum(row["bytes"] for row in rows),
        "cleared" if cleared else "stored": rows,
    }


def _entry_object(entry: Entry) -> dict[str, Any]:
    used = datetime.fromtimestamp(entry.used_ns / 1e9, timezone.utc)
    return {"used": used.strftime("%Y-%m-%d %H:%M:%SZ"), "bytes": entry.size, "report": entry.source()}


def cache_table(document: Mapping[str, Any]) -> Table:
    """What is stored, a row a report."""
    rows, total, limit = document["stored"], document["total_bytes"], document["limit_bytes"]
    columns = tuple(Column(header, key, unit, [row[key] for row in rows]) for header, key, unit in COLUMNS)
    note = f"{total:,} of at most {limit:,} bytes in {document['folder']}"
    return Table("stored", "Opened reports that are kept", columns, note)
