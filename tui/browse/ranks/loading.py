"""Sums up the reports of a set on a thread of its own, and judges it: scenes as they come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

from tui.browse.background import News, Worker
from tui.browse.ranks.kinds import SCENE
from tui.browse.ranks.scene import Scene

EVERY_S = 0.25
"""How often a partial scene is made, at most: each sorts all ranks anew."""

Collect = Callable[[Callable[[Any], None]], Sequence[Any]]
"""Sums up every report; calls the argument with each member as it comes, returns them all."""
Build = Callable[[Sequence[Any], int, bool], Scene]
"""Makes a scene of members: (members so far, how many there will be, whether these are all)."""


class SetLoad:
    """The opening of a set of reports at ``paths``."""

    def __init__(self, paths: Sequence[Path], collect: Collect, build: Build) -> None:
        self.paths = list(paths)
        self._collect = collect
        self._build = build
        self._worker = Worker(SCENE, lambda news: None)
        self._listener: Callable[[News], None] = lambda news: None
        self.done = False
        self.arrived = 0
        """How many reports have been summed up."""

    def start(self, listener: Callable[[News], None]) -> None:
        """Begin; ``listener`` is called on another thread with each scene, at last with the judged one."""
        self._listener = listener
        self._worker.run(0, self._run)

    def cancel(self) -> None:
        """Have it end without another scene."""
        self._worker.close()

    def _run(self, dropped: Event) -> None:
        members: list[Any] = []
        shown = monotonic() - EVERY_S

        def take(member: Any) -> None:
            nonlocal shown
            members.append(member)
            self.arrived = len(members)
            if not dropped.is_set() and monotonic() - shown >= EVERY_S and len(members) < len(self.paths):
                self._show(News(SCENE, self, self._build(members, len(self.paths), False)))
                shown = monotonic()

        try:
            every = self._collect(take)
            self.arrived = len(every)
            if not dropped.is_set():
                self._show(News(SCENE, self, self._build(every, len(every), True)))
        except Exception as error:
            self._show(News(SCENE, self, error=error))

    def _show(self, news: News) -> None:
        self.done = news.error is not None or news.answer.complete
        self._listener(news)
