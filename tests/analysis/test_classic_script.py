"""`--busy kernels --blame midpoint` gives the figures of the classic idle-gap script.

The script, written anew here from its definition: merge each device's kernels, take the holes of at least
100 us between the first and the last, and blame each on the first CUDA call, in the order of the
file and on any thread, that is in progress at its middle.
"""

from __future__ import annotations

import itertools
import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.real import EXPORTS, needs_real
from tui.analysis.blame import BlameMethod
from tui.analysis.gaps import GapKind
from tui.analysis.idle import IdleChoices, idle_time
from tui.analysis.index import Busy, Index
from tui.analysis.unrecorded import unrecorded
from tui.analysis.window import make_scope
from tui.report import Report

NO_CALL = "(no CUDA call: host busy elsewhere)"
MIN_GAP = 100_000


def classic(path: Path) -> dict[int, tuple[int, int, dict[str, int]]]:
    """Per deviceId: (busy, own window, idle time by call); empty without a kernel table."""
    db = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    db.text_factory = lambda raw: raw.decode("utf-8", "replace")
    tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
    if "CUPTI_ACTIVITY_KIND_KERNEL" not in tables:
        return {}
    kernels = defaultdict(list)
    for device, start, end in db.execute('SELECT deviceId, start, "end" FROM CUPTI_ACTIVITY_KIND_KERNEL'):
        kernels[device].append((start, end))
    calls = db.execute(
        'SELECT r.start, r."end", s.value FROM CUPTI_ACTIVITY_KIND_RUNTIME r'
        " JOIN StringIds s ON s.id = r.nameId ORDER BY r.rowid"
    ).fetchall()
    db.close()
    found = {}
    for device, intervals in kernels.items():
        merged: list[list[int]] = []
        for start, end in sorted(intervals):
            if merged and start <= merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([start, end])
        blame: dict[str, int] = defaultdict(int)
        for (_, low), (high, _) in itertools.pairwise(merged):
            if high - low < MIN_GAP:
                continue
            during = [name for start, end, name in calls if 2 * start <= low + high <= 2 * end]
            blame[re.sub(r"(_v\d+|_ptsz|_ptds)+$", "", during[0]) if during else NO_CALL] += high - low
        found[device] = (sum(e - s for s, e in merged), merged[-1][1] - merged[0][0], dict(blame))
    return found


@needs_real
@pytest.mark.parametrize("path", EXPORTS, ids=lambda p: p.stem)
def test_every_real_export(path: Path, real_reports: Callable[[Path], Report]) -> None:
    report = real_reports(path)
    expected = classic(path)
    if not len(report.kernels):
        assert not expected
        return
    if len(report.graphs):
        pytest.skip("the script does not know whole graphs; they count as kernels here")
    index = Index(report)
    if len(unrecorded(index)):
        pytest.skip("the script calls idle what may be work that was not recorded")
    choices = IdleChoices(MIN_GAP, Busy.KERNELS, BlameMethod.MIDPOINT)
    idle = idle_time(index, make_scope(report), choices)
    found = {}
    for device in idle.devices:
        (number,) = {cuda_id for _, cuda_id in device.busy.device.owners}
        blame: dict[str, int] = defaultdict(int)
        for i in range(len(device.gaps)):
            if device.gaps.kind[i] != GapKind.INTERIOR:
                continue  # the script looks between a device's first and last kernel only
            (cause,) = device.rows.causes(i)
            blame[cause.call or NO_CALL] += cause.ns
        assert device.busy.span is not None
        start, end = device.busy.span
        found[number] = (device.busy.busy_ns, end - start, dict(blame))
    assert found == expected
