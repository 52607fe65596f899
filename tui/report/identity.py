"""The identity of a file: what it contains, and whether it has changed since."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import NamedTuple

_BLOCK = 4096
_BLOCKS = 32
_WHOLE = 1 << 20
"""Files up to this size are hashed whole, larger ones at evenly spread blocks, both ends included."""


class Stamp(NamedTuple):
    """What `stat` says of a file; equal stamps mean that nothing wrote to it in between."""

    device: int
    inode: int
    size: int
    modified_ns: int

    @classmethod
    def of(cls, path: Path) -> Stamp:
        """Stamp a file, following symlinks. Raises OSError."""
        return cls.from_stat(path.stat())

    @classmethod
    def from_stat(cls, found: os.stat_result) -> Stamp:
        return cls(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def content_key(descriptor: int) -> str:
    """Name the content of an open file by its size, time of change and samples of its bytes."""
    info = os.fstat(descriptor)
    digest = hashlib.blake2b(f"{info.st_size} {info.st_mtime_ns} ".encode(), digest_size=16)
    if info.st_size <= _WHOLE:
        digest.update(os.pread(descriptor, _WHOLE, 0))
    else:
        for i in range(_BLOCKS):
            digest.update(os.pread(descriptor, _BLOCK, (info.st_size - _BLOCK) * i // (_BLOCKS - 1)))
    return digest.hexdigest()
