"""The values of samples as they lie in a signed column: which number the bits mean."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import NULL, Int64

Float64 = NDArray[np.float64]
_WORD = 1 << 32


class Reading(Enum):
    """How bits become a number."""

    UNSIGNED = "unsigned"
    SIGNED = "signed"
    FLOAT = "float"
    DOUBLE = "double"


class Payload(NamedTuple):
    """What the export says of a value: its kind and how many bytes it has."""

    reading: Reading
    size: int


def payload_of(label: object, size: object) -> Payload | None:
    """The payload that a label of the export's types means (``Unsigned``); None: it can't be told.

    ``size``: in bytes; anything that is not 1, 2, 4 or 8 is what the kind is by itself.
    """
    word = str(label).casefold() if isinstance(label, str) else ""
    for reading, parts in (
        (Reading.UNSIGNED, ("unsigned", "uint", "bool")),
        (Reading.DOUBLE, ("double", "float64")),
        (Reading.FLOAT, ("float", "real")),
        (Reading.SIGNED, ("signed", "int")),
    ):
        if any(part in word for part in parts):
            usual = 4 if reading is Reading.FLOAT else 8
            given = size if isinstance(size, int) and size in (1, 2, 4, 8) else usual
            if reading is Reading.FLOAT and given == 8:
                reading = Reading.DOUBLE
            elif reading is Reading.DOUBLE and given == 4:
                reading = Reading.FLOAT
            return Payload(reading, given)
    return None


def numbers(bits: Int64, payload: Payload | None) -> Float64:
    """The numbers that ``bits`` mean; NaN where they mean none (NULL, no finite number).

    Without a payload a negative value is an unsigned one of 32 bits; one that would need more bits is none.
    """
    unknown = bits == NULL
    if payload is None:
        found = bits.astype(np.float64)
        found[bits < 0] += _WORD
        unknown |= bits < -(_WORD >> 1)
    else:
        found = _read(bits, payload)
    found[unknown | ~np.isfinite(found)] = np.nan
    return found


def _read(bits: Int64, payload: Payload) -> Float64:
    raw = bits.view(np.uint64)
    size = payload.size
    if payload.reading is Reading.DOUBLE:
        return raw.view(np.float64).copy()
    if payload.reading is Reading.FLOAT:
        return (raw & np.uint64(_WORD - 1)).astype(np.uint32).view(np.float32).astype(np.float64)
    masked = raw if size == 8 else raw & np.uint64((1 << (8 * size)) - 1)
    if payload.reading is Reading.UNSIGNED:
        return masked.astype(np.float64)
    return masked.astype(f"u{size}").view(f"i{size}").astype(np.float64)
