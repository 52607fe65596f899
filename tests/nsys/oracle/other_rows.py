"""What the host did beside CUDA: OS calls, OpenMP, OpenACC, MPI; unified memory; networks."""

from __future__ import annotations

from tests.nsys.oracle.draft import Draft
from tests.nsys.oracle.schema import tables

OS_CALLS = ("read", "poll", "pthread_cond_wait", "ioctl", "sem_wait")
METRICS = ("IB: Send waits", "IB: Bytes sent", "IB: Send waits", "Eth: Send waits")
MPI_CALLS = ("MPI_Send", "MPI_Recv", "MPI_Allreduce", "MPI_Bcast", "MPI_Sendrecv", "MPI_Wait", "MPI_Init")


def add(draft: Draft) -> None:
    """Some of each kind, or none."""
    for feature in (_os_calls, _openmp, _openacc, _mpi, _unified_memory, _network):
        if draft.chance(0.6):
            feature(draft)


def _os_calls(draft: Draft) -> None:
    for _ in draft.some(20):
        start, end = draft.span()
        row = {
            "start": start,
            "end": end,
            "globalTid": draft.thread(),
            "eventClass": draft.pick(27, 27, 27, 31, 32),
        }
        name = draft.string(draft.name(*OS_CALLS))
        draft.add("OSRT_API", nameId=name, nestingLevel=draft.pick(None, 0, 1), returnValue=0, **row)


def _openmp(draft: Draft) -> None:
    names = ("OpenMP parallel", "OpenMP barrier", "OpenMP task", "OpenMP loop")
    for table in [name for name in tables() if name.startswith("OPENMP_")]:
        for _ in draft.some(3) if draft.chance(0.4) else ():
            start, end = draft.span()
            row = {"start": start, "end": end, "globalTid": draft.thread(), "eventClass": 78}
            draft.add(
                table, nameId=draft.string(draft.name(*names)), eventKind=draft.rng.randint(0, 20), **row
            )


def _openacc(draft: Draft) -> None:
    names = ("acc_enqueue_launch", "acc_wait", "acc_compute_construct", "acc_device_init")
    for table in ("DATA", "LAUNCH", "OTHER"):
        for _ in draft.some(5) if draft.chance(0.7) else ():
            start, end = draft.span()
            row = {
                "start": start,
                "end": end,
                "globalTid": draft.thread(),
                "eventKind": draft.rng.randint(0, 20),
            }
            row |= {
                "srcFile": draft.string("a.c"),
                "funcName": draft.string("main"),
                "lineNo": draft.pick(3, 99),
            }
            draft.add(f"CUPTI_ACTIVITY_KIND_OPENACC_{table}", nameId=draft.string(draft.name(*names)), **row)


def _mpi(draft: Draft) -> None:
    for rank, process in enumerate(draft.processes):
        if draft.chance(0.8):
            draft.add("MPI_RANKS", globalTid=process.threads[0], rank=rank)
    extras = {
        "P2P": ("tag", "remoteRank", "size"),
        "COLLECTIVES": ("rootRank", "size", "recvSize"),
        "START_WAIT": ("requestHandle",),
        "OTHER": (),
    }
    for table, names in extras.items():
        for _ in draft.some(6) if draft.chance(0.8) else ():
            start, end = draft.span()
            row = {"start": start, "end": None if draft.chance(0.05) else end, "globalTid": draft.thread()}
            row |= {name: draft.pick(None, 0, 1, 4096) for name in names}
            draft.add(f"MPI_{table}_EVENTS", textId=draft.string(draft.name(*MPI_CALLS)), **row)


def _unified_memory(draft: Draft) -> None:
    for _ in draft.some(8):
        process = draft.rng.choice(draft.processes)
        address = 0x7F00_0000_0000 + draft.pick(0, 1, 4096, 65_536, 65_537, 131_072, 262_144)
        row = {"globalPid": process.global_pid, "address": address, "start": draft.moment()}
        if draft.chance(0.5):
            instruction = draft.string(draft.pick("0x400000", "0x400010", "app!main+0x1f"))
            module = draft.string(draft.name("/usr/bin/app", "libfoo.so"))
            draft.add("CUDA_UM_CPU_PAGE_FAULT_EVENTS", CpuInstruction=instruction, module=module, **row)
        else:
            faults = draft.pick(0, 1, 1, 17)
            row |= {"end": row["start"] + draft.unit, "deviceId": draft.rng.choice(process.devices)}
            draft.add("CUDA_UM_GPU_PAGE_FAULT_EVENTS", numberOfPageFaults=faults, faultAccessType=1, **row)


def _network(draft: Draft) -> None:
    for index, name in enumerate(METRICS):
        row = {"metricsIdx": index, "name": name, "description": name, "unit": "ticks"}
        draft.add("TARGET_INFO_NETWORK_METRICS", metricsListId=1, **row)
        draft.add("TARGET_INFO_NETWORK_METRICS", metricsListId=2, **(row | {"name": METRICS[-1 - index]}))
    for number, model in enumerate(("ConnectX-6 Dx", "BlueField, 2")):
        draft.add("ENUM_NET_DEVICE_ID", id=4000 + number, name=f"MODEL_{number}", label=model)
        draft.add("NIC_ID_MAP", nicId=number, globalId=1000 + number)
        row = {"nicId": number, "name": f"mlx5_{number}", "deviceId": 4000 + number, "stateName": "node"}
        draft.add("TARGET_INFO_NIC_INFO", GUID=draft.pick(0xABC0, -1, 2**62) + number, **row)
    for table in ("NET_NIC_METRIC", "NET_IB_SWITCH_METRIC"):
        for _ in draft.some(8):
            start, end = draft.span()
            metric = {"metricsListId": draft.pick(1, 1, 2), "metricsIdx": draft.rng.randrange(len(METRICS))}
            value = draft.pick(0, 9, 10, 11, 10_000, 10_001, 10**9)
            draft.add(table, start=start, end=end, globalId=draft.pick(1000, 1001), value=value, **metric)
