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
