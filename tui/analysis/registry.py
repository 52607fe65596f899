"""What is chosen by name and imported only then: to run one report is to import one module."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Protocol, TypeVar


class Named(Protocol):
    """What a registry holds."""

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


class Registry(Mapping[str, T]):
    """Things of one kind by their names, in the order of ``places``: ``module:name`` below a package.

    A module may have them under any name of its own.
    """

    def __init__(self, package: str, kind: type[T], places: Sequence[str]) -> None:
        self._package = package
        self._kind = kind
        self._modules = {name: module for module, _, name in (place.partition(":") for place in places)}

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __contains__(self, name: object) -> bool:
        return name in self._modules

    def __getitem__(self, name: str) -> T:
        module = import_module(f"{self._package}.{self._modules[name]}")
        things: Iterable[object] = vars(module).values()
        return next(thing for thing in things if isinstance(thing, self._kind) and thing.name == name)
