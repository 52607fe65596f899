"""Canonical names of communication: what an operation does, whatever its library calls it.

Whether a kernel communicates at all is not decided here but by the class table of kernels. A name that the
table takes for communication always has a canonical name, if only that of an operation of another kind.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from tui.report.kernels.classes import fused
from tui.report.kernels.names import name_parts


class Operation(Enum):
    """What is done; the values are the names that people know."""

    ALL_REDUCE = "AllReduce"
    ALL_GATHER = "AllGather"
    REDUCE_SCATTER = "ReduceScatter"
    ALL_TO_ALL = "AllToAll"
    BARRIER = "Barrier"
    BROADCAST = "Broadcast"
    REDUCE = "Reduce"
    GATHER = "Gather"
    SCATTER = "Scatter"
    SCAN = "Scan"
    SEND_RECV = "SendRecv"
    SEND = "Send"
    RECV = "Recv"
    OTHER = "Other"


N_BY_N = frozenset(
    {
        Operation.ALL_REDUCE,
        Operation.ALL_GATHER,
        Operation.REDUCE_SCATTER,
        Operation.ALL_TO_ALL,
        Operation.BARRIER,
    }
)
"""Every rank's result needs data of every rank: nobody ends before the last has begun."""
FROM_ROOT = frozenset({Operation.BROADCAST, Operation.SCATTER})
"""All wait for the root."""
TO_ROOT = frozenset({Operation.REDUCE, Operation.GATHER})
"""The root waits for all."""
POINT_TO_POINT = frozenset({Operation.SEND_RECV, Operation.SEND, Operation.RECV})
_REDUCING = frozenset({Operation.ALL_REDUCE, Operation.REDUCE_SCATTER, Operation.REDUCE, Operation.SCAN})


class CanonicalName(NamedTuple):
    """The part of a name that is equal on all participants, and what is known beside it."""

    operation: Operation
    element: str | None
    """`f32`, `bf16`, ...; None where the name doesn't say."""
    reduction: str | None
    """`sum`, `max`, ...; None for operations that reduce nothing."""
    algorithm: str | None
    protocol: str | None
    fused: bool
    """Computes too: how long it takes is no measure of waiting."""
    grouped: bool
    """May carry several operations."""
    blocking: bool
    """False: the call returns before the operation is done."""

    @property
    def key(self) -> tuple[object, ...]:
        """What must be equal on all participants: algorithm and protocol are not."""
        return self.operation, self.element, self.reduction, self.fused, self.grouped, self.blocking

    @property
    def label(self) -> str:
        """For people: `AllReduce bf16 sum`."""
        words = (self.operation.value, self.element, self.reduction, "fused" if self.fused else None)
        return " ".join(word for word in words if word)

    @property
    def n_by_n(self) -> bool:
        """Whether its result on every rank needs data of every rank."""
        return self.operation in N_BY_N

    @property
    def measures_waits(self) -> bool:
        """Whether durations on its participants differ by what they waited."""
        return self.n_by_n and self.blocking and not self.fused and not self.grouped

    @property
    def ordered(self) -> bool:
        """Whether it may be matched by its place in a stream: not what only some ranks take part in."""
        known = self.operation not in POINT_TO_POINT and self.operation is not Operation.OTHER
        return known and self.blocking


_ELEMENTS = {
    "f64": ("double", "float64"),
    "f32": ("float", "float32", "fp32"),
    "bf16": ("__nv_bfloat16", "nv_bfloat16", "bfloat16", "rccl_bfloat16", "hip_bfloat16", "__hip_bfloat16"),
    "f16": ("half", "__half", "float16", "fp16"),
    "f8e4m3": ("__nv_fp8_e4m3", "rccl_float8", "fp8_e4m3", "float8_e4m3fn"),
    "f8e5m2": ("__nv_fp8_e5m2", "rccl_bfloat8", "fp8_e5m2", "float8_e5m2"),
    "i8": ("int8_t", "int8", "signed char"),
    "u8": ("uint8_t", "uint8", "unsigned char"),
    "i32": ("int32_t", "int32", "int"),
    "u32": ("uint32_t", "uint32", "unsigned int"),
    "i64": ("int64_t", "int64", "long", "long long"),
    "u64": ("uint64_t", "uint64", "unsigned long", "unsigned long long"),
}
_ELEMENT_OF = {text: short for short, texts in _ELEMENTS.items() for text in (short, *texts)}
# Longest first: `__nv_bfloat16` holds `float16`.
_ELEMENT_WORD = re.compile(
    r"(?<![a-z0-9])("
    + "|".join(re.escape(t) for t in sorted(_ELEMENT_OF, key=len, reverse=True) if t not in ("int", "long"))
    + r")(?![a-z0-9])"
)
_REDUCTIONS = (
    ("premulsum", "sum"), ("sumpostdiv", "sum"), ("sum", "sum"), ("prod", "prod"), ("minmax", "minmax"),
    ("max", "max"), ("min", "min"), ("avg", "avg"),
)  # fmt: skip
_REDUCTION_WORD = re.compile(r"(?<![a-z0-9])(" + "|".join(word for word, _ in _REDUCTIONS) + r")(?![a-z0-9])")
_ALGORITHM = re.compile(
    r"(ring|tree|collnet_?direct|collnet_?chain|collnet|nvls_?tree|nvls|pat)(?=ll|simple|kernel|_|$)"
)
_PROTOCOL = re.compile(r"(?:_|ring|tree|nvls|pat|chain|direct)(ll128|ll|simple)(?=kernel|_|$)")

# The first that fits: what is longer or holds another's word comes before it.
_KERNELS: tuple[tuple[Operation, str], ...] = (
    (Operation.REDUCE_SCATTER, r"reduce_?scatter"),
    (Operation.ALL_TO_ALL, r"all_?to_?all|a2a"),
    (Operation.ALL_REDUCE, r"all_?reduce|cross_device_reduce|(one|two)_?shot|lamport"),
    (Operation.ALL_GATHER, r"all_?gather|fcollect"),
    (Operation.SEND_RECV, r"send_?recv|p2p|put_?signal"),
    (Operation.BROADCAST, r"broadcast|bcast"),
    (Operation.BARRIER, r"barrier|sync_all|notify_(dispatch|combine)"),
    (Operation.ALL_REDUCE, r"^userbuffers.*(rw|sum)|(nvshmem|multimem)\w*reduce"),
    (Operation.REDUCE, r"^nccl\w*reduce"),
    (Operation.ALL_TO_ALL, r"dispatch|combine"),
    (Operation.SEND, r"send|nvshmem\w*_put"),
    (Operation.RECV, r"recv|nvshmem\w*_get"),
)
_KERNEL_TABLE = tuple((operation, re.compile(pattern)) for operation, pattern in _KERNELS)
_NCCL = re.compile(r"^nccl")
_GROUPED = re.compile(r"^(nccl|rccl)\w*generic|sendrecv|send_recv")

_CALLS: dict[str, Operation] = {
    "allreduce": Operation.ALL_REDUCE,
    "allgather": Operation.ALL_GATHER,
    "allgatherv": Operation.ALL_GATHER,
    "reduce_scatter": Operation.REDUCE_SCATTER,
    "reduce_scatter_block": Operation.REDUCE_SCATTER,
    "alltoall": Operation.ALL_TO_ALL,
    "alltoallv": Operation.ALL_TO_ALL,
    "alltoallw": Operation.ALL_TO_ALL,
    "barrier": Operation.BARRIER,
    "bcast": Operation.BROADCAST,
    "reduce": Operation.REDUCE,
    "gather": Operation.GATHER,
    "gatherv": Operation.GATHER,
    "scatter": Operation.SCATTER,
    "scatterv": Operation.SCATTER,
    "scan": Operation.SCAN,
    "exscan": Operation.SCAN,
    "send": Operation.SEND,
    "ssend": Operation.SEND,
    "bsend": Operation.SEND,
    "rsend": Operation.SEND,
    "recv": Operation.RECV,
    "mrecv": Operation.RECV,
    "sendrecv": Operation.SEND_RECV,
    "sendrecv_replace": Operation.SEND_RECV,
}
"""Calls of MPI without its prefix; those that start with `i` return at once."""
_CALL = re.compile(r"^p?mpix?_(\w+?)_*$")


@lru_cache(maxsize=1 << 14)
def canonical_name(name: str, host: bool = False) -> CanonicalName:
    """Return what a communication kernel (``host``: a call of MPI) does, by its whole name."""
    return _of_call(name) if host else _of_kernel(name)


def _of_kernel(name: str) -> CanonicalName:
    parts = name_parts(name)
    last = parts.last.lower()
    operation = next((op for op, pattern in _KERNEL_TABLE if pattern.search(last)), Operation.OTHER)
    if operation is Operation.OTHER:
        # Only the namespace may say it: `deep_ep::internode_ll::dispatch` does both.
        whole = parts.qualified.lower()
        operation = next((op for op, pattern in _KERNEL_TABLE if pattern.search(whole)), Operation.OTHER)
    arguments = parts.arguments.lower()
    words = re.sub(r"(?<=kernel)_?(?=sum|prod|max|min)", "_", last)
    reduction = None
    if operation in _REDUCING:
        found = _REDUCTION_WORD.search(words.replace("_", " "))
        reduction = dict(_REDUCTIONS)[found[1]] if found else None
    element = None
    if operation in _REDUCING or not _NCCL.search(last):
        element = _element(words) or _element(arguments)
    algorithm = _ALGORITHM.search(last) if _NCCL.search(last) else None
    protocol = _PROTOCOL.search(last) if _NCCL.search(last) else None
    return CanonicalName(
        operation,
        element,
        reduction,
        algorithm[1].replace("_", "").upper() if algorithm else None,
        protocol[1].upper() if protocol else None,
        fused=fused(last),
        grouped=bool(_GROUPED.search(last)),
        blocking=True,
    )


def _element(text: str) -> str | None:
    """The element type that the words of a name or of its template arguments say."""
    # A type's own underscores stay, all other separate words: `sum___nv_bfloat16` -> `sum __nv_bfloat16`.
    for found in re.finditer(r"[a-z0-9]+(?:_[a-z0-9]+)*", text):
        words = found[0].split("_")
        for size in (3, 2, 1):
            for at in range(len(words) - size, -1, -1):
                word = "_".join(words[at : at + size])
                if word in _ELEMENT_OF and word not in ("int", "long"):
                    return _ELEMENT_OF[word]
    match = _ELEMENT_WORD.search(text)
    return _ELEMENT_OF[match[1]] if match else None


def _of_call(name: str) -> CanonicalName:
    found = _CALL.match(name.lower())
    word = found[1] if found else ""
    blocking = word in _CALLS
    operation = _CALLS.get(word, Operation.OTHER)
    if not blocking and word.startswith("i") and word[1:] in _CALLS:
        operation = _CALLS[word[1:]]
    elif not blocking:
        blocking = True  # Waits, communicator and window calls: of no operation that can be matched.
    return CanonicalName(operation, None, None, None, None, fused=False, grouped=False, blocking=blocking)
