"""Rank numbers in the names of files, told from process ids."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

LARGEST_SPREAD = 65_535
"""Numbers further apart are process ids: no job is traced on so many ranks."""
_RANK = re.compile(r"(?:rank|(?<![a-z])r)[_\-.]*([0-9]{1,18})", re.IGNORECASE)
_NAMED = re.compile(r"(?:rank|proc|node|gpu|(?<![a-z])[rp])[_\-.]*([0-9]{1,18})", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True)
class FileNumbers:
    """A number a name; None where the names tell none."""

    numbers: list[int | None] | None
    refused: str | None = None
    """What the numbers are instead."""


def file_numbers(names: Sequence[str], pids: Sequence[int]) -> FileNumbers:
    """The number of each of ``names`` (without endings); ``pids``: the process that each is of.

    The last number that follows `rank` or `r`, if each name has one and all differ; else the last that
    follows one of these, `proc`, `p`, `node` or `gpu`; else the one number that differs between names that
    are equal otherwise. Process ids are refused.
    """
    refused = None
    for found in (_after(_RANK, names), _after(_NAMED, names), _differing(names)):
        if found is None or len(set(found)) < len(found):
            continue
        if _are_pids(found, pids):
            refused = "process ids"
            continue
        return FileNumbers([*found], None)
    return FileNumbers(None, refused)


def _after(words: re.Pattern[str], names: Sequence[str]) -> list[int] | None:
    found = [words.findall(name) for name in names]
    return [int(numbers[-1]) for numbers in found] if all(found) else None


def _differing(names: Sequence[str]) -> list[int] | None:
    """The one number that differs between otherwise equal names."""
    if len({_NUMBER.sub("#", name) for name in names}) != 1:
        return None
    columns = zip(*(map(int, _NUMBER.findall(name)) for name in names), strict=True)
    differing = [list(column) for column in columns if len(set(column)) > 1]
    return differing[0] if len(differing) == 1 else None


def _are_pids(numbers: Sequence[int], pids: Sequence[int]) -> bool:
    """Whether the numbers are those of the processes, or too far apart to count ranks.

    In a container the process of rank 7 may be number 7: one such pair among many says nothing.
    """
    same = sum(number == pid for number, pid in zip(numbers, pids, strict=True))
    far = max(numbers) - min(numbers) > LARGEST_SPREAD
    return (
        far
        or same == len(numbers)
        or any(number == pid >= len(numbers) for number, pid in zip(numbers, pids, strict=True))
    )
