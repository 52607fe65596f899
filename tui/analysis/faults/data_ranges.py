"""The words by which waiting for input is known: labels of ranges, names of OS calls."""

from __future__ import annotations

import re

from tui.analysis.faults.case import Case
from tui.analysis.faults.pieces import Pieces
from tui.report.columns import Bool

DATA_RANGE = re.compile(
    r"(?<![a-z])(data|datas?et|data_?load\w*|load(er|ing|_?batch|_?data)?|fetch\w*|prefetch\w*|inputs?|h2d\w*"
    r"|batch_?wait|(get|next|wait|read)_?(batch|data|input|sample)s?|reader|collate|decode_?(image|jpeg|video)s?)"
    r"(?![a-z])|dataload|data_?to_?(gpu|device|cuda)|DataLoader",
    re.IGNORECASE,
)
NOT_DATA = re.compile(r"aten::|autograd|backward|_?norm|embedding|weights?|checkpoint|state_dict|model", re.I)
"""Labels of a model's own data, not of a batch."""
WAIT_CALL = re.compile(
    r"^(poll|ppoll|select|pselect\w*|epoll_p?wait\w*|read\w*|pread\w*|recv\w*|fread|fgets|open\w*|mmap\w*|futex"
    r"|pthread_cond_(timed)?wait|pthread_cond_clockwait|sem_(timed)?wait|sem_clockwait|pthread_mutex_lock)$"
)
READ_CALL = re.compile(r"^(read\w*|pread\w*|fread\w*|open\w*|mmap\w*|recv\w*)$")


def in_data_range(case: Case, pieces: Pieces) -> Bool:
    """Return which pieces lie in a range whose label is about input data."""
    return pieces.in_ranges(case.ranges_like(DATA_RANGE) & ~case.ranges_like(NOT_DATA))
