"""The functions of stacks, as they are shown: their names, their modules, whose they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from tui.analysis.grouping import dense
from tui.report.columns import Bool, Positions, UInt8
from tui.report.extra.extra_table import ExtraRows


class FrameKind(IntEnum):
    """Whose code a frame is."""

    PROGRAM = 0
    """The program's, its libraries' and the runtime's."""
    KERNEL = 1
    PROFILER = 2
    """Code of nsys and CUPTI that runs in the program's threads."""
    UNKNOWN = 3
    """No function: ``[Unknown]``."""
    BROKEN = 4
    """The stack could not be followed further: ``[Broken backtraces]``, ``[Max depth]``."""


UNRESOLVED = " (unresolved)"
CLOCK_READS = "clock reads (vdso)"
KERNEL_MODULE = "kernel"

_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]*")
_BROKEN = ("[Broken backtraces]", "[Max depth]")
_PROFILER = re.compile(r"lib(ToolsInjection|cupti|nvperf)")
_PYTHON_MODULE = re.compile(r".*\.pyx?|<frozen .*>|<string>", re.DOTALL)
_PYTHON_SYMBOL = re.compile(r".* \([^()]*\.pyx?:\d+\)|[^()]*\.pyx?:\d+", re.DOTALL)
_BESIDE_THE_CODE = re.compile(
    r"(?:.*[/\\])?(torch|site-packages[/\\]nvidia|lib[/\\]python[0-9.]+(?![/\\](site|dist)-packages))[/\\]",
    re.DOTALL,
)
"""Paths of Python code that is not the user's: torch, NVIDIA's packages, the standard library."""
_LIBRARY = re.compile(
    r"(libc|libstdc\+\+|libpthread|libdl|librt|ld|ld-linux.*|libcuda|libcudart|libtorch.*)([-.].*)?"
)


@dataclass(frozen=True)
class Frames:
    """Distinct frames by number. Unresolved ones of one module are one frame."""

    name: list[str]
    module: list[str]
    """The module's file name; ``kernel``, ``[vdso]``, ``[Unknown]``."""
    kind: UInt8
    """:class:`FrameKind`."""
    unresolved: Bool
    python: Bool
    library: Bool
    """Code that waits on behalf of others: C and C++ libraries, the loader, CUDA's libraries, libtorch."""
    user_python: Bool
    """Python code that belongs to no framework and not to the standard library."""

    def __len__(self) -> int:
        return len(self.name)

    @property
    def may_be_hot(self) -> Bool:
        """Which frames a list of hot functions may name: neither the profiler's nor what is no function."""
        found: Bool = self.kind <= FrameKind.KERNEL
        return found


def file_name(module: str) -> str:
    """The last part of a module's path, versions kept."""
    return re.split(r"[/\\]", module)[-1] or module


def frames_of(rows: ExtraRows) -> tuple[Positions, Frames]:
    """The frame of each row of a table of backtraces, and all frames.

    An address in place of a symbol is named after its module.
    """
    strings, in_kernel = rows.strings, rows["kernelMode"] == 1
    symbols, modules = (dense(rows[column] + 1, len(strings) + 1) for column in ("symbol", "module"))
    size = len(symbols[1]) * len(modules[1]) * 2
    group, kinds = dense((symbols[0] * len(modules[1]) + modules[0]) * 2 + in_kernel, max(1, size))
    first = np.zeros(len(kinds), np.intp)
    first[group[::-1]] = np.arange(len(group) - 1, -1, -1)
    place: dict[tuple[str, str, int, bool, str, str], int] = {}
    number = np.zeros(len(first), np.intp)
    for i, row in enumerate(first.tolist()):
        symbol, module = (
            strings[int(rows[column][row])] if rows[column][row] >= 0 else missing
            for column, missing in (("symbol", ""), ("module", "[Unknown]"))
        )
        number[i] = place.setdefault(_shown(symbol, module, bool(in_kernel[row])), len(place))
    frames = list(place)
    found = Frames(
        name=[frame[0] for frame in frames],
        module=[frame[1] for frame in frames],
        kind=np.array([frame[2] for frame in frames], np.uint8),
        unresolved=np.array([frame[3] for frame in frames], bool),
        python=np.array([is_python(symbol, module) for *_, symbol, module in frames], bool),
        library=np.array([bool(_LIBRARY.fullmatch(frame[1])) for frame in frames], bool),
        user_python=np.array([_is_users(symbol, module) for *_, symbol, module in frames], bool),
    )
    return number[group], found


def _shown(symbol: str, module: str, in_kernel: bool) -> tuple[str, str, int, bool, str, str]:
    """(name, module, kind, unresolved, symbol and path where they tell Python code, else empty)."""
    if symbol in _BROKEN or module in _BROKEN:
        name = symbol if symbol in _BROKEN else module
        return name, name, FrameKind.BROKEN, False, "", ""
    if module == "[vdso]":
        return CLOCK_READS, module, FrameKind.PROGRAM, False, "", ""
    unresolved = not symbol or _HEXADECIMAL.fullmatch(symbol) is not None
    if in_kernel or module == "[kernel.kallsyms]":
        return _named(symbol, KERNEL_MODULE, unresolved), KERNEL_MODULE, FrameKind.KERNEL, unresolved, "", ""
    short = file_name(module)
    if symbol == "[Unknown]" or (module == "[Unknown]" and unresolved):
        return "[Unknown]", short, FrameKind.UNKNOWN, True, "", ""
    kind = FrameKind.PROFILER if _PROFILER.match(short) else FrameKind.PROGRAM
    telling = (symbol, module) if is_python(symbol, module) else ("", "")
    return _named(symbol, short, unresolved), short, kind, unresolved, *telling


def _named(symbol: str, module: str, unresolved: bool) -> str:
    return f"{module}{UNRESOLVED}" if unresolved else symbol


def is_python(symbol: str, module: str) -> bool:
    """Whether a frame is a line or function of Python: by its module, or by the form of its symbol."""
    if not symbol and not module:
        return False
    return bool(_PYTHON_MODULE.fullmatch(module) or _PYTHON_SYMBOL.fullmatch(symbol))


def _is_users(symbol: str, module: str) -> bool:
    """Whether a Python frame is the user's own code."""
    if not is_python(symbol, module) or module.startswith("<frozen"):
        return False
    place = module if _PYTHON_MODULE.fullmatch(module) else symbol.rpartition("(")[2]
    return _BESIDE_THE_CODE.match(place) is None
