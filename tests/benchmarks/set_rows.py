"""Sets of reports: how long a cold and a warm one take, in how much memory, and what processes gain."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.process import best, run
from tests.benchmarks.sets import copies, summarised
from tests.benchmarks.table import Row, megabytes, seconds

RANKS = 1000
SMALL, LARGE = 14_000, 500_000
"""Kernels of reports of 2 MB and of 72 MB."""


def set_rows(folder: Path, repeats: int, *, quick: bool) -> Iterator[Row]:
    """All rows. ``quick``: a tenth of the ranks."""
    yield from _cold(folder, repeats, quick=quick)
    ranks = RANKS // 10 if quick else RANKS
    yield from _warm(folder, repeats, ranks)
    yield from _memory(folder, ranks)


def _cold(folder: Path, repeats: int, *, quick: bool) -> Iterator[Row]:
    cache, cores = folder / "set-store", len(os.sched_getaffinity(0))

    def cold(place: Path, reports: int, jobs: int | None) -> float:
        found, _ = best("set_cold", repeats, folder=str(place), cache=str(cache), count=reports, jobs=jobs)
        return float(found["seconds"])

    count = 16 if quick else 64
    small = folder / "set-small"
    size = copies(small, count, SMALL)[0].stat().st_size
    one, nine = cold(small, 1, 1), cold(small, 9, 1)
    yield Row(
        f"9 reports of {size / 1e6:.1f} MB, cold, one process",
        seconds(nine),
        f"one report {seconds(one)}",
        "<= 9 x one + 0.5 s",
        nine <= 9 * one + 0.5,
    )
    many = cold(small, count, cores)
    each = many * cores / count
    yield Row(
        f"{count} of them, cold, {cores} processes",
        f"{seconds(many)}: {seconds(each)} of a core each",
        f"1,000 on 16 cores at that rate: {seconds(1000 * each / 16)}",
        "<= 20 s for these",
        1000 * each / 16 <= 20,
    )
    kernels = 20_000 if quick else LARGE
    large = folder / f"set-{kernels}"
    size = copies(large, 8, kernels)[0].stat().st_size
    alone, pooled = cold(large, 8, 1), cold(large, 8, cores)
    gain = alone / pooled
    yield Row(
        f"8 reports of {size / 1e6:.0f} MB, cold, {cores} processes",
        f"{gain:.2f} x as fast as one",
        f"one process {seconds(alone)}; starting the workers counts",
        "3 x on 4 cores",
        gain >= 3 if cores == 4 and not quick else None,
    )


def _warm(folder: Path, repeats: int, ranks: int) -> Iterator[Row]:
    cache = folder / f"set-store-{ranks}"
    place = folder / f"set-warm-{ranks}"
    summarised(place, cache, ranks, 40, 2000)
    found, peak = best("set_warm", repeats, folder=str(place), cache=str(cache), count=ranks)
    yield Row(
        f"{ranks:,} reports of 40 steps and 2,000 collectives, warm: opened",
        f"{seconds(found['open'])}, {seconds(found['open_cpu'])} of the processor",
        "and looked at: their headers, no steps",
        "<= 1 s of the processor",
        found["open_cpu"] <= 1 if ranks == RANKS else None,
    )
    yield Row(
        "all their tables",
        f"{seconds(found['judge'])}, {seconds(found['judge_cpu'])} of the processor",
        f"{megabytes(peak.anonymous)} own; all collectives read once: {seconds(found['pass'])}",
        "<= 4 s of the processor",
        found["judge_cpu"] <= 4 if ranks == RANKS else None,
    )
    yield Row("open files", str(found["files"]), "", "<= 64", found["files"] <= 64)


def _memory(folder: Path, ranks: int) -> Iterator[Row]:
    cache, place = folder / f"set-store-{ranks}-long", folder / f"set-long-{ranks}"
    summarised(place, cache, ranks, 1000, 20_000)
    found, peak = run("set_warm", folder=str(place), cache=str(cache), count=ranks)
    yield Row(
        f"memory, {ranks:,} ranks of 1,000 steps and 20,000 collectives",
        f"{megabytes(peak.anonymous)} own, {megabytes(peak.resident)} resident",
        f"opened in {seconds(found['open'])}, judged in {seconds(found['judge'])}",
        "<= 500 MB own",
        peak.anonymous <= 500 * 10**6,
    )
