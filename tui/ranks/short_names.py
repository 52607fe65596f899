"""Kernel names short enough for a column, and still different from each other."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from tui.report.kernels.names import name_parts

_WORD = re.compile(r"[A-Za-z_]\w*|\d+")
_MOST = 3
"""Words of the template arguments that a short name has at most."""
_TELLING = 4
"""Letters of a word that says something to people."""


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Return a short form of each name: its base name, else with its namespaces, else with those words of its
    template arguments that tell it from the others, else the whole name.
    """
    every = list(dict.fromkeys(names))
    parts = {name: name_parts(name) for name in every}
    by_base: dict[str, list[str]] = defaultdict(list)
    for name in every:
        by_base[parts[name].last].append(name)
    found: dict[str, str] = {}
    for base, group in by_base.items():
        if len(group) == 1:
            found[group[0]] = base
            continue
        qualified = Counter(parts[name].qualified for name in group)
        words = {name: list(dict.fromkeys(_WORD.findall(parts[name].arguments))) for name in group}
        for name in group:
            chosen = _telling(name, words)
            if qualified[parts[name].qualified] == 1:
                found[name] = parts[name].qualified
            else:
                found[name] = f"{base}<{', '.join(chosen)}>" if chosen else name
    many = Counter(found.values())
    return {name: form if many[form] == 1 else name for name, form in found.items()}


def _telling(name: str, words: dict[str, list[str]]) -> Sequence[str]:
    """Return a few words of ``name``, in its order, that no other has all of; none where there are none."""
    others = [set(theirs) for other, theirs in words.items() if other != name]
    chosen: list[str] = []
    while others and len(chosen) < _MOST:
        shared = Counter(word for theirs in others for word in theirs)
        left = [word for word in words[name] if shared[word] < len(others)]
        if not left:
            return ()
        chosen.append(min(left, key=lambda word: (len(word) < _TELLING or word.isdecimal(), shared[word])))
        others = [theirs for theirs in others if chosen[-1] in theirs]
    return () if others else sorted(chosen, key=words[name].index)
