"""GPU metrics: what opening costs for them, reading them at first use, and frames of their lanes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from fixtures.big_metrics import NAMES, add_metrics
from tests.benchmarks.exports import QUICK, export, warm
from tests.benchmarks.process import best
from tests.benchmarks.table import Row, megabytes, seconds

DEVICES = 4
SAMPLES = 191_176
"""Of each of 17 metrics of each of 4 devices: 13 million rows."""


def metric_rows(folder: Path, repeats: int, *, quick: bool) -> Iterator[Row]:
    """All rows. ``quick``: a tenth of the samples."""
    samples = SAMPLES // 10 if quick else SAMPLES
    rows = samples * DEVICES * len(NAMES)
    plain = export(QUICK, folder)
    path = folder / f"metrics-{samples}.sqlite"
    if not path.exists():
        half = path.with_suffix(".part")
        shutil.copy(plain, half)
        add_metrics(half, samples, DEVICES)
        half.rename(path)
    warm(path)
    cache, other = str(folder / "store-metrics"), str(folder / "store-plain")
    name = f"{rows / 1e6:.1f} M metric rows"
    scan, _ = best("metric_scan", repeats, path=str(path))
    without, _ = best("metric_open", repeats, path=str(plain), cache=other)
    opened, _ = best("metric_open", repeats, path=str(path), cache=cache)
    yield Row(
        f"warm open with {name}, metrics not asked for",
        f"{seconds(opened['warm'])} = {opened['warm'] / without['warm']:.2f} x",
        f"without the table {seconds(without['warm'])}; cold {seconds(opened['cold'])} "
        f"against {seconds(without['cold'])}",
        "<= 1.1 x",
        opened["warm"] <= 1.1 * without["warm"] + 1e-3,
    )
    found, peak = best("metric_import", repeats, path=str(path), cache=cache)
    ratio = found["first"] / scan["seconds"]
    yield Row(
        f"first metric lane, {name}",
        f"{seconds(found['first'])} = {ratio:.1f} x",
        f"SQLite's sums of its columns {seconds(scan['seconds'])}; from the store {seconds(found['again'])}",
        "<= 4 x SQLite, <= 10 s",
        ratio <= 4 and found["first"] <= 10,
    )
    yield Row(
        f"store of {name}",
        megabytes(found["kept"]),
        f"memory while reading {megabytes(peak.anonymous)} own",
        "<= 200 MB",
        found["kept"] <= 200e6,
    )
    frame, _ = best("metric_frame", repeats, path=str(path), cache=cache)
    worst = max(frame.values())
    yield Row(
        f"cells of 40 metric lanes x 160, {name}",
        ", ".join(f"{scale} {seconds(value)}" for scale, value in frame.items()),
        "",
        "<= 10 ms",
        worst <= 0.010,
    )
