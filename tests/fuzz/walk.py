"""The explorer on a mutant, without a terminal: open it, press keys, leave."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")  # read once, when Textual is imported

from tui.app.app import Explorer
from tui.app.looks import Looks
from tui.app.settings import Config
from tui.browse.loader import Load
from tui.errors import NsystuiError
from tui.timeline.style_colours import Depth

KEYS = (
    "right_curly_bracket f enter escape c right_square_bracket F down down full_stop r 2 3 tab down enter "
    "space escape 4 5 6 7 8 tab 0 w d v right b t exclamation_mark escape slash k enter n"
)


def walked(path: Path, store: Path) -> int:
    """0 if all went well, 2 if the report was refused; whatever else ended the explorer is raised."""
    app = Explorer(
        _load(path, store).start(), [path], Config(), Looks(Depth.TRUE, False), lambda p: _load(p, store)
    )
    asyncio.run(_press_all(app))
    if isinstance(app.crash, NsystuiError):
        return 2
    if app.crash is not None:
        raise app.crash
    return 0


def _load(path: Path, store: Path) -> Load:
    return Load(path, cache_dir=store)


async def _press_all(app: Explorer) -> None:
    async with app.run_test(size=(120, 36)) as pilot:
        while app.browse.capture is None and app.crash is None and app.is_running:
            await pilot.pause(0.01)
        if app.browse.capture is None:
            return
        for number, key in enumerate(KEYS.split()):
            if number == 20:
                await pilot.resize_terminal(60, 16)
            await pilot.press(key)
        await pilot.pause()
