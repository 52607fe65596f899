"""Names of kernels as short as keeps them apart, for everything that people read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from tui.report.kernels.forms import Form, Words, form_of, head_of
from tui.text import cut, safe, width
from tui.text.cells import squeeze

MANY = 2_000
"""Of more names than these, forms that are cut are told apart by a number each."""
_FEW = 8
"""Words that tell a name from others at most: beyond, a number does."""
_LEAST = 6
"""Cells below which a name is only its number."""
Place = tuple[int, int]
"""Where a word is: 0 namespace, 1 argument, 2 parameter; and which of them."""


class ShortNames:
    """The short forms of names that stand together. They depend on which names these are, not on their order.

    No two different names have one form, in any number of cells. All forms are safe for a screen. Only names
    that are asked for are worked out, together with those of the same head.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._groups: dict[str | None, list[str]] = defaultdict(list)
        for name in sorted(set(names)):
            self._groups[head_of(name)].append(name)
        self._forms: dict[str, str] = {}
        self._special: frozenset[str] = frozenset()
        """Forms of names that may begin in any way: those of the other heads keep apart from them."""
        self._fitted: dict[int, dict[str, str]] = {}
        self._rank: dict[str, int] = {}
        if special := self._groups.get(None):
            heads = {form_of(name).head for name in special}
            for head in heads & self._groups.keys():  # a wrapper gives way to it
                special += self._groups.pop(head)
            self._forms = _told_apart(sorted(special), frozenset())
            self._special = frozenset(self._forms.values())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self._forms or name in self._groups.get(head_of(name), ()))

    def __getitem__(self, name: str) -> str:
        """The short form, as long as it has to be. KeyError for a name that is none of these."""
        if name not in self._forms:
            group = self._groups.get(head_of(name))
            if group is None:
                raise KeyError(name)
            self._forms |= _told_apart(group, self._special)
        return self._forms[name]

    def fitted(self, name: str, cells: int, ellipsis: str = "…") -> str:
        """The short form in at most so many cells: what is longer is cut in its middle, and differs."""
        form = self[name]
        if width(form) <= cells:
            return form
        if cells not in self._fitted:
            self._fitted[cells] = self._cut(cells, ellipsis)
        return self._fitted[cells].get(name) or self._ranked(name, cells, ellipsis)

    def _cut(self, cells: int, ellipsis: str) -> dict[str, str]:
        """Cut all forms that are longer than ``cells``; none where there are too many to compare them."""
        every = [name for group in self._groups.values() for name in group]
        return _fit({name: self[name] for name in every}, cells, ellipsis) if len(every) <= MANY else {}

    def _ranked(self, name: str, cells: int, ellipsis: str) -> str:
        """A form that is too long, with the place of its name among all of them for an end."""
        if not self._rank:
            every = sorted(name for group in self._groups.values() for name in group)
            self._rank = {name: rank for rank, name in enumerate(every, 1)}
        tail = f"{ellipsis}#{self._rank[name]}"
        return cut(self[name], max(cells - width(tail), 0), "") + tail


def short_names(names: Iterable[str]) -> dict[str, str]:
    """The short form of each name."""
    every = list(dict.fromkeys(names))
    found = ShortNames(every)
    return {name: found[name] for name in every}


def _told_apart(names: list[str], taken: frozenset[str]) -> dict[str, str]:
    """Give names, sorted and each once, forms that differ, and that are none of those ``taken``."""
    forms = {name: form_of(name) for name in names}
    together: dict[tuple[str, Words], list[str]] = defaultdict(list)
    for name, form in forms.items():
        together[form.head, form.always].append(name)
    found: dict[str, str] = {}
    for group in together.values():
        if len(group) == 1:
            found[group[0]] = safe(_written(forms[group[0]], ()))
            continue
        for name, places in zip(group, _telling([forms[name] for name in group]), strict=True):
            found[name] = safe(_written(forms[name], places))
    return _numbered(found, taken)


def _telling(group: list[Form]) -> list[list[Place]]:
    """Return for each form of a group where it has the words that no other has at these places.

    At each turn that place counts at which the forms that are still alike differ most.
    """
    words = [_places(form) for form in group]
    values: dict[Place, Counter[str]] = defaultdict(Counter)
    for mine in words:
        for place, word in mine.items():
            values[place][word] += 1
    # A place at which all have one word tells nothing. Arguments come before namespaces and parameters.
    differing = [p for p, seen in values.items() if len(seen) > 1 or sum(seen.values()) < len(group)]
    differing.sort(key=lambda place: (_ORDER[place[0]], place[1]))
    chosen: list[list[Place]] = [[] for _ in group]
    alike = [list(range(len(group)))]
    for _ in range(_FEW):
        waiting: list[list[int]] = []
        for members in alike:
            best, most = None, 1
            for place in differing:
                if (kinds := len({words[i].get(place, "") for i in members})) > most:
                    best, most = place, kinds
            if best is None:
                continue  # nothing tells these apart
            parts: dict[str, list[int]] = defaultdict(list)
            for i in members:
                chosen[i].append(best)
                parts[words[i].get(best, "")].append(i)
            waiting += [part for part in parts.values() if len(part) > 1]
        alike = waiting
    return chosen


_ORDER = (1, 0, 2)
"""The rank of namespaces, arguments and parameters."""


def _places(form: Form) -> dict[Place, str]:
    parts = (form.namespaces, form.arguments, form.parameters)
    return {(kind, at): word for kind, words in enumerate(parts) for at, word in enumerate(words)}


def _written(form: Form, places: Iterable[Place]) -> str:
    """Write a form with the words at some places."""
    has = _places(form)
    said = sorted(place for place in places if has.get(place))
    words = ""
    for word in (*form.always, *(has[place] for place in said if place[0] == 1)):
        words += word if not words else f" {word}" if word[0] == "#" or form.spaced else f", {word}"
    head = "".join(f"{has[place]}::" for place in said if place[0] == 0) + form.head
    if words:
        head += f" {words}" if form.spaced else f"<{words}>"
    parameters = ", ".join(has[place] for place in said if place[0] == 2)
    return f"{head}({parameters})" if parameters else head


def _numbered(found: dict[str, str], others: frozenset[str]) -> dict[str, str]:
    """Give names that have one form all the same a number each, by the order of the names."""
    seen = Counter(found.values())
    seen.update(others)
    if len(seen) == len(found) + len(others):
        return found
    number: Counter[str] = Counter()
    taken = set(seen)
    for name in sorted(found):
        text = found[name]
        if seen[text] > 1:
            while True:
                number[text] += 1
                if (new := f"{text} #{number[text]}") not in taken:
                    break
            taken.add(new)
            found[name] = new
    return found


def _fit(forms: dict[str, str], cells: int, ellipsis: str) -> dict[str, str]:
    """Cut what is longer than ``cells``; where that makes forms alike, their ends give way to numbers."""
    found = {name: _squeezed(form, cells, ellipsis) for name, form in forms.items()}
    seen = Counter(found.values())
    number: Counter[str] = Counter()
    taken = {text for text, count in seen.items() if count == 1}
    taken |= {form for form in forms.values() if width(form) <= cells}
    for name in sorted(found):
        text = found[name]
        if seen[text] == 1 or text == forms[name]:
            continue
        while True:
            number[text] += 1
            tail = f"#{number[text]}"
            room = cells - len(tail)
            new = (cut(text, room, ellipsis) if room >= _LEAST else "") + tail
            if new not in taken:
                break
        taken.add(new)
        found[name] = new
    return found


def _squeezed(form: str, cells: int, ellipsis: str) -> str:
    """``form`` in so many cells: of a name with words in brackets the head gives way first."""
    if width(form) <= cells:
        return form
    head, bracket, inside = form.partition("<")
    room = cells - width(bracket + inside)
    if bracket and room >= _LEAST:
        return squeeze(head, room, ellipsis) + bracket + inside
    return squeeze(form, cells, ellipsis)
