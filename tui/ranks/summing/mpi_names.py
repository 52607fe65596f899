"""Which calls of MPI move data between ranks or wait for other ranks."""

from __future__ import annotations

import re

_COLLECTIVE = (
    r"i?(allreduce|allgatherv?|alltoall[vw]?|barrier|bcast|gatherv?|scatterv?|reduce|reduce_scatter(_block)?"
    r"|(ex)?scan|neighbor_all(gatherv?|toall[vw]?))"
)
_POINT_TO_POINT = (
    r"i?[bsr]?send|i?m?recv|i?sendrecv(_replace)?|i?m?probe|(wait|test)(all|any|some)?|start(all)?"
    r"|pready(_range|_list)?|parrived"
)
_ONE_SIDED = (
    r"r?(put|get|accumulate|get_accumulate)|fetch_and_op|compare_and_swap"
    r"|win_(fence|lock|lock_all|unlock|unlock_all|start|complete|post|wait|test|sync"
    r"|flush(_local)?(_all)?)"
)
_COMMUNICATES = re.compile(
    rf"p?mpi_({_COLLECTIVE}|{_POINT_TO_POINT}|{_ONE_SIDED})(_c|_f08)?_*", re.IGNORECASE
)
"""Names in C and Fortran, of the profiling interface, and with large counts."""


def mpi_communicates(name: str) -> bool:
    """Whether a call of this name communicates: setting up and asking for a rank's number do not."""
    return _COMMUNICATES.fullmatch(name) is not None
