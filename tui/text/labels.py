"""A range's label: its name without the parts that differ from instance to instance."""

from __future__ import annotations

import re

# What PyTorch appends to an operator's name, in any order.
_TORCH = re.compile(r",\s*(?:(?:seq|op_id)\s*=\s*-?\d+|input_op_ids\s*=\s*\[.*\]|sizes\s*=\s*.*$)")
# A counter at the end: ` 12`, `_12`, `#12`, ` 3/100`, ` (12)`, `[12]`, `: 12`, `=12`.
_LONGEST_COUNTER = 40
_NUMBER = r"\d+(?:\s*/\s*\d+)?"
_SIGNS = r"[\s_\-:#=.,/]"
_COUNTER = re.compile(rf"{_SIGNS}*(?:{_SIGNS}{_NUMBER}|[(\[]\s*{_NUMBER}\s*[)\]])\s*$")

# A counter of the training loop anywhere: `epoch 3 step`, `step 12: forward`.
_LOOP = re.compile(rf"\b(epoch|step|iter|iteration|batch)(?:{_SIGNS}*\d+)+", re.IGNORECASE)

# A layer's number within a module path: `blocks.9.attn`.
_LAYER = re.compile(r"(?<=[A-Za-z_]\.)\d+(?=\.[A-Za-z_])")


_DIGITS = re.compile(r"\d+")


def starred(name: str) -> str:
    """``name`` with a ``*`` for every number: names with equal ones differ in numbers only."""
    return _DIGITS.sub("*", _TORCH.sub("", name))


# A number that is a word of its own: `step_12`, `blocks.9.attn`, `bs=32`; not that of `conv2d` or `fp16`.
_OWN_NUMBER = re.compile(r"(?<![A-Za-z0-9])\d+(?![A-Za-z0-9])")


def kind_of_range(name: str) -> str:
    """``name`` for people, without what differs from one to the next: ``aten::mm`` of ``aten::mm, seq = 3``.

    A ``*`` stands where a number was that is a word of its own: ``blocks.*.attn``, ``step_*``.
    """
    return _OWN_NUMBER.sub("*", _TORCH.sub("", name)).strip() or name


def common_name(names: list[str]) -> str:
    """What names that differ in numbers only have in common: a ``*`` where their numbers differ.

    >>> common_name(["step[bs=1] of 8", "step[bs=2] of 8"])
    'step[bs=*] of 8'
    """
    plain = [_TORCH.sub("", name) for name in names]
    numbers = list(zip(*map(_DIGITS.findall, plain), strict=True))
    shown = iter([same[0] if len(set(same)) == 1 else "*" for same in numbers])
    return _DIGITS.sub(lambda _: next(shown), plain[0]).strip()


def label(name: str) -> str:
    """Return the label of ``name``: ``aten::mm`` of ``aten::mm, seq = 3``, ``step`` of ``step_12``."""
    short = _LAYER.sub("*", _LOOP.sub(r"\1", _TORCH.sub("", name)))
    while True:
        tail = max(0, len(short) - _LONGEST_COUNTER)  # a pattern with an end is slow on long names
        shorter = short[:tail] + _COUNTER.sub("", short[tail:])
        if shorter == short or not shorter.strip():
            break
        short = shorter
    return short.strip() or name
