"""NCCL's calls and the kernels that they launch, worked out by hand, in each form of payload."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.payloads import FORMS, Form, NcclExport
from tests.support.real import real_export
from tui.analysis.index import Index
from tui.analysis.nccl.calls import nccl_calls
from tui.analysis.nccl.kernels import Carried, carried
from tui.analysis.payloads.reading import payloads
from tui.report import open_report
from tui.report.columns import NULL

MB = 1 << 20
COMM = 123_456_789
KERNEL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def kernel(export: NcclExport, call: int, start: int, name: str = KERNEL, **where: int) -> None:
    """A kernel that a launch at ``call`` made."""
    corr = export.runtime("cudaLaunchKernelExC_v11060", call, call + 1, **where)
    export.kernel(start, start + 10, corr=corr, name=name, pid=where.get("pid", 100))


def of(export: NcclExport) -> tuple[Index, Carried]:
    index = Index(open_report(export.write(), use_store=False))
    return index, carried(index, np.flatnonzero(index.communicates))


def made(path: Path, form: Form = "json") -> NcclExport:
    export = NcclExport(path / "x.sqlite")
    export.form = form
    export.describe()
    return export


@pytest.mark.parametrize("form", FORMS)
def test_single_calls(form: Form, tmp_path: Path) -> None:
    export = made(tmp_path, form)
    export.call("ncclCommInitRank", 0, 10, "init", (COMM, 8, 3, 0))
    export.call("ncclAllReduce", 20, 30, "reduce", (COMM, 2 * MB, 0))
    kernel(export, 25, 100)
    export.call("ncclAllGather", 40, 50, "plain", (COMM, MB))
    kernel(export, 45, 120, "ncclDevKernel_AllGather_RING_LL()")
    kernel(export, 60, 140)
    index, found = of(export)
    calls = nccl_calls(index)
    assert [calls.operations[o] if o >= 0 else "" for o in calls.operation.tolist()] == [
        "",
        "allreduce",
        "allgather",
    ]
    assert found.size.tolist() == [2 * MB, MB, NULL]
    assert found.communicator.tolist() == [COMM, COMM, NULL]
    assert found.ranks.tolist() == [8, 8, NULL]
    assert found.operations.tolist() == [1, 1, NULL]


def test_a_group_is_one_kernel_of_many_operations(tmp_path: Path) -> None:
    export = made(tmp_path)
    export.call("ncclGroupStart", 10, 11)
    for at, size in enumerate((100, 200, 300)):
        export.call("ncclAllReduce", 20 + 2 * at, 21 + 2 * at, "reduce", (COMM, size, 0))
    export.call("ncclGroupEnd", 40, 50)
    kernel(export, 45, 100)
    export.call("ncclSend", 60, 61, "peer", (COMM, 7, 1))  # between groups
    export.call("ncclGroupStart", 62, 63)
    export.call("ncclGroupStart", 64, 65)
    export.call("ncclSend", 66, 67, "peer", (COMM, 10, 1))
    export.call("ncclGroupEnd", 68, 69)
    export.call("ncclRecv", 70, 71, "peer", (COMM, 20, 2))
    export.call("ncclGroupEnd", 72, 80)
    kernel(export, 75, 200, "ncclDevKernel_SendRecv()")
    _, found = of(export)
    assert found.operations.tolist() == [3, 2]
    assert found.size.tolist() == [600, 30]
    assert found.communicator.tolist() == [COMM, COMM]


def test_what_nobody_can_tell(tmp_path: Path) -> None:
    export = made(tmp_path)
    export.call("ncclGroupEnd", 0, 5)  # its start was before the capture
    kernel(export, 2, 100)
    export.call("ncclGroupStart", 10, 11)
    export.call("ncclAllReduce", 12, 13, "reduce", (COMM, 100, 0))
    export.call("ncclAllGather", 14, 15, "plain", (COMM, 200))
    export.call("ncclGroupEnd", 16, 20)
    kernel(export, 18, 120)
    export.call("ncclGroupStart", 30, 31)
    export.call("ncclAllReduce", 32, 33, "reduce", (COMM, 100, 0))
    export.call("ncclAllReduce", 34, 35, "reduce", (COMM + 1, 100, 0))
    export.call("ncclGroupEnd", 36, 40)
    kernel(export, 37, 140)
    kernel(export, 39, 160)  # two kernels of one call
    export.call("ncclGroupStart", 50, 51)
    export.call("ncclAllReduce", 52, 53, "reduce", (COMM, 100, 0))
    export.push_pop("ncclAllReduce", 54, 55, domainId=1)  # without a payload
    export.call("ncclGroupEnd", 56, 60)
    kernel(export, 57, 180)
    _, found = of(export)
    assert found.size.tolist() == [NULL] * 5
    assert found.operations.tolist() == [NULL, 2, NULL, NULL, 2]
    assert found.communicator.tolist() == [NULL, COMM, NULL, NULL, NULL]


def test_early_versions_without_ids(tmp_path: Path) -> None:
    export = made(tmp_path)
    export.call("ncclCommInitRank", 0, 5, "old init", (1, 4, 0))
    export.call("ncclAllReduce", 10, 15, "old size", (64,))
    kernel(export, 12, 100)
    for number in range(2):  # two communicators of another process: nobody knows which is meant
        export.call("ncclCommInitRank", number, 5, "old init", (1, 4, 0), pid=200)
    export.call("ncclAllReduce", 10, 15, "old size", (64,), pid=200)
    kernel(export, 12, 120, pid=200)
    _, found = of(export)
    assert found.ranks.tolist() == [4, NULL]
    assert found.size.tolist() == [64, 64]


def test_ids_beyond_63_bits_and_absurd_sizes(tmp_path: Path) -> None:
    export = made(tmp_path, "blob")
    export.call("ncclAllReduce", 0, 9, "reduce", ((1 << 63) + 5, 1 << 63, 0))
    kernel(export, 5, 100)
    _, found = of(export)
    assert found.communicator.tolist() == [5]
    assert found.size.tolist() == [NULL]


def test_threads_do_not_mix(tmp_path: Path) -> None:
    export = made(tmp_path)
    for tid in (1, 2):
        export.call("ncclGroupStart", tid, 3, tid=tid)
        export.call("ncclAllReduce", 10 + tid, 15, "reduce", (COMM, 100 * tid, 0), tid=tid)
        export.call("ncclGroupEnd", 20 + tid, 40, tid=tid)
        kernel(export, 29 + tid, 100 * tid, tid=tid)
    _, found = of(export)
    assert found.size.tolist() == [100, 200]


@pytest.mark.parametrize(("name", "of_groups"), [("ddp-before-2026.2", 64), ("ddp-after-2026.2", 60)])
def test_real_calls_without_values(name: str, of_groups: int) -> None:
    """Two sends and two receives in each group of a pipeline's stage; the sizes were left out."""
    index = Index(open_report(real_export(name), use_store=False))
    calls = nccl_calls(index)
    assert sorted(calls.operations) == ["recv", "send"]
    assert payloads(index).are_absent
    found = carried(index, np.flatnonzero(index.communicates))
    assert (found.size == NULL).all()
    assert (found.operations == 4).sum() == of_groups
