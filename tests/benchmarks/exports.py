"""The exports that are measured, generated once and kept."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

from fixtures.big import Size, build


@dataclass(frozen=True)
class Big:
    """An export of ``kernels`` kernels, as many API calls and half as many ranges."""

    name: str
    kernels: int


QUICK = Big("100k", 100_000)
MILLION = Big("1M", 1_000_000)
TWO = Big("2M", 2_000_000)
TWENTY = Big("20M", 20_000_000)


def export(big: Big, folder: Path) -> Path:
    """The path of the export; written where it is not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{big.name}.sqlite"
    if not path.exists():
        begun = time.perf_counter()
        half = path.with_suffix(".part")
        half.unlink(missing_ok=True)
        build(half, Size(kernels=big.kernels))
        half.rename(path)
        size = path.stat().st_size / 1e6
        print(f"wrote {path} ({size:.0f} MB, {time.perf_counter() - begun:.0f} s)", file=sys.stderr)
    return path


def warm(path: Path) -> int:
    """Read the file once, so that every contender finds it in the system's cache; its size."""
    size = 0
    with path.open("rb", buffering=0) as stream:
        while block := stream.read(1 << 20):
            size += len(block)
    return size
