"""Everything that the explorer uses of Textual beyond its public interface, and why.

Textual's version is pinned: review this module after every change of the pin.
"""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType

# The compositor's updates: the painter writes them in fewer bytes.
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate

# The parser of the terminal's input: Textual's own loop around it ends at the first byte that is no UTF-8.
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.screen import Screen

__all__ = ["ChopsUpdate", "CompositorUpdate", "LayoutUpdate", "OpenApp", "OpenDriver"]


class OpenApp(App[None]):
    """An app that writes its updates itself, and keeps the exception that ended it as ``crash``."""

    crash: BaseException | None = None

    def painted(self, update: ChopsUpdate | LayoutUpdate) -> RenderableType:
        """Return what to write for an update of the screen."""
        return update

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        # Everything goes to the terminal through this one method.
        if isinstance(renderable, (ChopsUpdate, LayoutUpdate)):
            renderable = self.painted(renderable)
        super()._display(screen, renderable)

    def _fatal_error(self) -> None:
        # Called for an exception in a handler: Textual would print a traceback of the screen's own frames.
        self.crash = self._exception
        self._close_messages_no_wait()

    def panic(self, *renderables: object) -> None:
        """Leave after a failure in one of Textual's threads."""
        self.crash = self.crash or RuntimeError("the terminal's input failed")
        self._close_messages_no_wait()

    @property
    def terminal_driver(self) -> object:
        """The driver, which Textual keeps private."""
        return self._driver


class OpenDriver(LinuxDriver):
    """Textual's Linux driver with its input, output and mouse open to change."""

    mouse_on = mouse_off = ""
    """The codes that switch reports of the mouse on and off."""

    def write_to(self, file: object) -> None:
        """Write to ``file``, which has ``write(text)`` and ``flush()``, instead of stderr."""
        self._file = file  # type: ignore[assignment]

    @property
    def queued(self) -> int:
        """How many texts wait to be written: they pile up while the terminal accepts none."""
        return self._writer_thread._queue.qsize() if self._writer_thread is not None else 0

    def new_parser(self) -> XTermParser:
        """Return a parser of the terminal's input."""
        return XTermParser(self._debug)

    def read_terminal(self) -> None:
        """Read the terminal's input until the driver ends; runs on the input thread."""
        raise NotImplementedError

    def _run_input_thread(self) -> None:
        # Textual's own method ends the app with a traceback when the terminal has gone.
        try:
            self.read_terminal()
        except OSError:
            self.hung_up()
        except Exception as error:
            self._app.call_later(self._app._handle_exception, error)

    def hung_up(self) -> None:
        """Leave: the terminal has gone."""
        self._app.call_later(self._app.exit)

    def _enable_mouse_support(self) -> None:
        # Textual's own method asks for every move of the mouse.
        self._switch_mouse(self.mouse_on)

    def _disable_mouse_support(self) -> None:
        self._switch_mouse(self.mouse_off)

    def _switch_mouse(self, codes: str) -> None:
        if self._mouse:
            self.write(codes)
            self.flush()
