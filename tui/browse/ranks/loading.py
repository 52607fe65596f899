"""Sums up the reports of a set on a thread of its own, and judges it: scenes as they come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

from tui.browse.background import Dropped, News, Worker
from tui.browse.ranks.kinds import SCENE
from tui.browse.ranks.scene import Scene

MANY = 32
"""From so many reports on lanes are shown before the set is judged."""
EVERY_S = 0.25
"""How often a partial scene is made, at most: each arranges all ranks anew."""

Collect = Callable[[Callable[[Any], None], Callable[[str], None]], Sequence[Any]]
"""Sums up every report and returns the members; calls its first argument with each one as it comes, its
second with words on how far it is."""
Build = Callable[[Sequence[Any]], Scene]
"""Makes a scene of members."""


class SetLoad:
    """The opening of the reports at ``paths``: ``partial`` makes scenes meanwhile, ``whole`` the last one."""

    def __init__(self, paths: Sequence[Path], collect: Collect, partial: Build, whole: Build) -> None:
        self.paths = list(paths)
        self._collect = collect
        self._partial = partial
        self._whole = whole
        self._worker = Worker(SCENE, lambda news: None)
        self._listener: Callable[[News], None] = lambda news: None
        self.done = False
        self.words = ""
        """How far it is."""

    def start(self, listener: Callable[[News], None]) -> None:
        """Begin; ``listener`` is called on another thread with each scene, at last with the judged one."""
        self._listener = listener
        self.done = False
        self._worker.run(object(), self._run)

    def cancel(self) -> None:
        """Have it end without another scene."""
        self._worker.close()

    def wait(self, seconds: float) -> None:
        """Wait until it has ended, for at most ``seconds``."""
        self._worker.wait(seconds)

    def _run(self, dropped: Event) -> None:
        members: list[Any] = []
        shown = monotonic() - EVERY_S

        def take(member: Any) -> None:
            nonlocal shown
            self._go_on(dropped)
            members.append(member)
            if len(members) < len(self.paths) and monotonic() - shown >= EVERY_S:
                self._listener(News(SCENE, self, self._partial(members)))
                shown = monotonic()

        def show(words: str) -> None:
            self._go_on(dropped)
            self.words = words

        try:
            every = self._collect(take, show)
            if len(every) >= MANY:  # judging them takes a moment: their lanes are there meanwhile
                self._go_on(dropped)
                self._listener(News(SCENE, self, self._partial(every)))
            scene = self._whole(every)
            self._go_on(dropped)
        except Dropped:
            raise
        except Exception as error:
            self.done = True
            self._listener(News(SCENE, self, error=error))
        else:
            self.done = True
            self._listener(News(SCENE, self, scene))

    def _go_on(self, dropped: Event) -> None:
        """Raise :class:`Dropped` where nobody wants the set any more: no process outlives that."""
        if dropped.is_set():
            raise Dropped
