"""What looks like one fault and is another: loops in a few lines, their costs counted by hand."""

from __future__ import annotations

import pytest

from tests.diagnose.test_faults import Steps, opened, told
from tui.analysis.diagnosis import diagnose
from fixtures.faults.loop import MS, US


# --- MPI ---


@pytest.mark.parametrize(
    ("call", "table"),
    [
        ("MPI_Allreduce", "MPI_COLLECTIVES_EVENTS"),
        ("MPI_Recv", "MPI_P2P_EVENTS"),
        ("MPI_Waitall", "MPI_START_WAIT_EVENTS"),
        ("MPI_Win_fence", "MPI_OTHER_EVENTS"),
    ],
)
@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("syncs", [True, False])
def test_waiting_for_other_ranks_is_mpis(tmp_path, call, table, ranges, syncs):
    """Each 50 ms: 30 ms of kernel, then 15 ms in MPI with a poll inside, then the next kernel."""
    loop = Steps(tmp_path / "x.sqlite")
    for step in range(loop.count):
        at = loop.start(step)
        if ranges:
            loop.ranged("timestep", step, 0, 49 * MS)
        loop.kernel(at + 10 * US, at + 20 * US, at + 30 * MS)
        if syncs:
            loop.export.runtime("cudaDeviceSynchronize_v3020", at + 40 * US, at + 30 * MS + 5 * US)
        loop.export.mpi(call, at + 30 * MS + 10 * US, at + 45 * MS, table=table)
        loop.export.osrt("poll", at + 31 * MS, at + 44 * MS)
        loop.kernel(at + 45 * MS + 10 * US, at + 45 * MS + 20 * US, at + 50 * MS)
    findings = told(loop.write())
    assert next(iter(findings)) == "mpi-wait"
    finding = findings["mpi-wait"]
    assert call in finding.title
    assert finding.cost_ns == 10 * (15 * MS - 10 * US)
    assert not {"input-starvation", "gc-pauses", "hidden-sync"} & set(findings)


def test_mpi_beside_queued_work_costs_nothing(tmp_path):
    loop = Steps(tmp_path / "x.sqlite")
    for step in range(loop.count):
        at = loop.start(step)
        loop.export.mpi("MPI_Allreduce", at + 1 * MS, at + 45 * MS)
        loop.kernel(at + 46 * MS, at + 50 * MS, at + 100 * MS)
    assert "mpi-wait" not in told(loop.write())
