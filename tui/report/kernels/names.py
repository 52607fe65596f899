"""What the name of a kernel consists of, and what it says of types and pipes."""

from __future__ import annotations

import re
from typing import NamedTuple

ANONYMOUS = re.compile(r"\(anonymous namespace\)|\{anonymous\}|<unnamed>")
_BRACKET = re.compile(r"[<>(]")
_TYPES = (
    ("bf16", r"bf16|bfloat16"), ("fp16", r"f16|half|fp16|h16816|hsh"), ("tf32", r"tf32|s1688"),
    ("fp32", r"f32|sgemm"), ("fp64", r"f64|dgemm"), ("fp8", r"e4m3|e5m2|fp8"), ("fp4", r"e2m1|fp4|nvf4"),
    ("int8", r"i8|imma"),
)  # fmt: skip
TENSOR, FP32 = "tensor", "fp32"
_PIPES = (
    (FP32, r"simt|ffma"),
    (TENSOR, r"tensorop|16816|1688|884gemm|xmma.*(f16|bf16|tf32|tensor)|nvjet|hmma|wgmma|sm100"),
    (FP32, r"sgemm|scudnn"),
)
"""The first that fits: what says that it is no tensor core comes before the names that tensor cores have."""


class NameParts(NamedTuple):
    """A kernel's qualified base name, and the text of its template arguments ("" for none)."""

    qualified: str
    arguments: str

    @property
    def last(self) -> str:
        """The base name without its namespaces."""
        return self.qualified.rpartition("::")[2]


def name_parts(name: str) -> NameParts:
    """Cut a demangled name: ``void ns::f<int, 4>(float*)`` is ``ns::f`` with ``int, 4``."""
    name = ANONYMOUS.sub("anonymous", name)
    plain = arguments = ""
    depth = opened = taken = 0
    for bracket in _BRACKET.finditer(name):
        at, letter = bracket.start(), bracket[0]
        if depth == 0:
            plain += name[taken:at]
        if letter == "<" and not plain.endswith("operator"):
            if depth == 0:
                opened = at + 1
            depth += 1
        elif letter == ">" and depth and name[at - 1 : at] != "-":
            depth -= 1
            if depth == 0:
                arguments = name[opened:at]
        elif depth == 0:
            if letter == "(" and plain:
                break
            plain += letter
        taken = at + 1
    else:
        plain += name[taken:] if depth == 0 else ""
    words = plain.replace("operator ", "operator_").split()
    return NameParts(words[-1] if words else name, arguments)


def element_type(name: str) -> str | None:
    """The type of a kernel's elements, where its base name says it; of several the first of the table."""
    base = name_parts(name).qualified.lower()
    return next((found for found, pattern in _TYPES if re.search(pattern, base)), None)


def pipe(name: str) -> str | None:
    """``tensor`` or ``fp32``: what a matrix product or convolution computes on, where its name says it.

    Of a wrapper the first template argument says it: CUTLASS has the name of the algorithm there.
    """
    parts = name_parts(name)
    for text in (parts.last.lower(), re.split(r"[,<(]", parts.arguments, maxsplit=1)[0].lower()):
        if found := next((which for which, pattern in _PIPES if re.search(pattern, text)), None):
            return found
    return None
