"""A kind of data that not every capture has."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of data."""

    name: str
    table: str
    gives: str
    """What is made of it."""
    option: str
    """What records it: options of ``nsys profile``."""
    also: tuple[str, ...] = ()
    """Other tables whose rows are of this kind: of other releases, or of other calls."""
    parts: tuple[str, ...] = ()
    """Tables that say more of its rows: names, stacks, lists."""
    rare: bool = False
    """Only some programs have it: where it was not captured, one line names all such kinds of a subject."""

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables whose rows are of this kind."""
        return (self.table, *self.also)


@dataclass(frozen=True)
class Subject:
    """Kinds of data that belong together."""

    title: str
    kinds: tuple[Kind, ...]
