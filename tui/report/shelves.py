"""Where something that was derived from a report may be kept, without opening the report."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from tui.report.store.folder import Store, StoreShelf, default_folder, temporary_folder


def shelves_of(key: str, cache_dir: Path | None = None) -> tuple[StoreShelf, ...]:
    """The shelves of the report whose content ``key`` names: in the store, and where that can't be used."""
    folders = dict.fromkeys((cache_dir or default_folder(), temporary_folder()))
    return tuple(StoreShelf(Store(folder), key) for folder in folders)


def prune_store(cache_dir: Path | None = None) -> None:
    """Bring the store down to its limit, least recently used first; what is derived to last goes last."""
    with suppress(OSError):
        Store(cache_dir or default_folder()).prune()
