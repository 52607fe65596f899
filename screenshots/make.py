"""Draw the pictures of README anew: the explorer itself, run on generated reports, keys typed.

    python screenshots/make.py [NAME...]

Each picture is one SVG without scripts or outside resources, written beside this file.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from rich.style import Style  # noqa: E402

from fixtures import registry  # noqa: E402
from tui.app.app import Explorer  # noqa: E402
from tui.app.looks import Looks  # noqa: E402
from tui.app.settings import Config  # noqa: E402
from tui.browse.loader import Load  # noqa: E402
from tui.output.frame_svg import frame_svg  # noqa: E402
from tui.timeline.runs import Frame, Run  # noqa: E402
from tui.timeline.style_colours import Depth, Paint, Theme  # noqa: E402


@dataclass(frozen=True)
class Shot:
    """One picture: which report, which keys, how large, how many colours."""

    name: str
    scenario: str
    keys: tuple[str, ...]
    title: str
    size: tuple[int, int] = (160, 48)
    depth: Depth = Depth.TRUE
    ascii: bool = False


SHOTS = (
    Shot("explorer", "finetune", (), "A fine-tune that waits for its data: idle 36.9 %", (160, 40)),
    Shot(
        "gap",
        "finetune",
        ("right_curly_bracket", "right_curly_bracket", "f", "2"),
        "One gap fills the screen: 150 ms in pthread_cond_wait under data_to_gpu, the Blame tab beside it",
        (160, 40),
    ),
    Shot(
        "two-gpus",
        "ddp",
        ("right_square_bracket", "right_square_bracket", "f", "3"),
        "One step of a two-GPU run: exposed and overlapped all-reduce",
        (160, 40),
    ),
    Shot("graphs", "decode-nodes", ("8",), "Text generation by CUDA graphs", (160, 40)),
    Shot(
        "colours-256",
        "finetune",
        ("right_curly_bracket", "f"),
        "The same in 256 colours",
        (120, 34),
        Depth.P256,
    ),
    Shot(
        "ascii",
        "finetune",
        ("right_curly_bracket", "f"),
        "80x24, ASCII, no colours",
        (80, 24),
        Depth.NONE,
        True,
    ),
)


class ScreenTheme(Theme):
    """Colours of styles that are already Rich styles, looked up by the name they were given here."""

    def __init__(self) -> None:
        super().__init__()
        self._names: dict[Style, str] = {}
        self._paints: dict[str, Paint] = {}

    def name(self, style: Style | None) -> str:
        """A name for ``style``; the same for equal styles."""
        if style is None:
            return ""
        name = self._names.get(style)
        if name is None:
            name = self._names[style] = f"s{len(self._names)}"
            ink, paper = (
                None if colour is None or colour.is_default else tuple(colour.get_truecolor())
                for colour in (style.color, style.bgcolor)
            )
            self._paints[name] = Paint(
                ink,
                paper,
                bold=bool(style.bold),
                italic=bool(style.italic),
                underline=bool(style.underline),
                reverse=bool(style.reverse),
            )
        return name

    def paint(self, style: str) -> Paint:
        return self._paints.get(style, Paint())


async def take(shot: Shot, report: Path) -> str:
    """Run the explorer, type the keys, and return the screen as SVG."""
    load = Load(report, use_store=False).start()
    app = Explorer(
        load, [report], Config(), Looks(shot.depth, shot.ascii), lambda p: Load(p, use_store=False)
    )
    async with app.run_test(size=shot.size) as pilot:

        async def settle() -> None:
            await pilot.pause()
            while app.browse.capture is None or app.computing:
                await pilot.pause(0.01)
            await pilot.pause()

        await settle()
        for key in shot.keys:
            await pilot.press(key)
            await settle()
        theme = ScreenTheme()
        rows = [
            [Run(segment.text, theme.name(segment.style)) for segment in strip]
            for strip in app.screen._compositor.render_strips()
        ]
        return frame_svg(Frame(shot.size[0], tuple(rows)), theme, shot.title)


def main(names: list[str]) -> int:
    """Draw the named pictures, all without names."""
    unknown = set(names) - {shot.name for shot in SHOTS}
    if unknown:
        known = ", ".join(shot.name for shot in SHOTS)
        print(f"no picture {', '.join(sorted(unknown))}; there are {known}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(XDG_CACHE_HOME=folder, XDG_CONFIG_HOME=folder, XDG_STATE_HOME=folder)
        for shot in SHOTS:
            if names and shot.name not in names:
                continue
            report = Path(folder) / f"{shot.scenario}.sqlite"
            if not report.exists():
                registry.find(shot.scenario).build(report)
            (HERE / f"{shot.name}.svg").write_text(asyncio.run(take(shot, report)), encoding="utf-8")
            print(f"screenshots/{shot.name}.svg: {shot.title}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
