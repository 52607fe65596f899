"""Everything that the explorer uses of Textual beyond its public interface, with the reason of each use.

Textual's version is pinned; after a change of the pin, this is what to look through.
"""

from __future__ import annotations

from typing import Any, Protocol

from rich.console import RenderableType

# The updates that Textual's compositor makes: the painter writes them in fewer bytes.
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate

# The parser of what a terminal sends: Textual's own loop around it ends at the first byte that is no UTF-8.
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.screen import Screen

__all__ = ["ChopsUpdate", "CompositorUpdate", "LayoutUpdate", "OpenApp", "OpenDriver"]


class Writable(Protocol):
    """What Textual needs of the terminal that it writes to."""

    def write(self, text: str) -> int: ...
    def flush(self) -> None: ...


class OpenApp(App[None]):
    """An app that paints in its own way, and that leaves with an exception instead of a traceback."""

    crash: BaseException | None = None

    def painted(self, update: ChopsUpdate | LayoutUpdate) -> RenderableType:
        """What is written for an update of the screen."""
        return update

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        # The one place through which everything goes to the terminal.
        if isinstance(renderable, (ChopsUpdate, LayoutUpdate)):
            renderable = self.painted(renderable)
        super()._display(screen, renderable)

    def _fatal_error(self) -> None:
        # An exception in a handler. Textual would print a traceback of the screen's own frames.
        self.crash = self._exception
        self._close_messages_no_wait()

    def panic(self, *renderables: object) -> None:
        """Leave after trouble in one of Textual's threads."""
        self.crash = self.crash or RuntimeError("the terminal's input failed")
        self._close_messages_no_wait()

    @property
    def terminal_driver(self) -> object:
        """The driver, which Textual makes and keeps to itself."""
        return self._driver


class OpenDriver(LinuxDriver):
    """Textual's Linux driver, whose input, output and mouse are to be replaced."""

    def write_to(self, file: Writable) -> None:
        """Write to ``file`` instead of stderr, where Textual writes."""
        self._file = file  # type: ignore[assignment]

    @property
    def queued(self) -> int:
        """Texts that wait for the thread that writes: a terminal that takes none lets them pile up."""
        return self._writer_thread._queue.qsize() if self._writer_thread is not None else 0

    def new_parser(self) -> XTermParser:
        """A parser of what the terminal sends."""
        return XTermParser(self._debug)

    def read_terminal(self) -> None:
        """Read what the terminal sends until the driver ends; runs on the input thread."""
        raise NotImplementedError

    def _run_input_thread(self) -> None:
        # Textual's own ends the app with a traceback where the terminal is gone.
        try:
            self.read_terminal()
        except OSError:
            self.hung_up()
        except Exception as error:
            self._app.call_later(self._app._handle_exception, error)

    def hung_up(self) -> None:
        """The terminal is gone: leave."""
        self._app.call_later(self._app.exit)

    def mouse_codes(self, on: bool) -> str:
        """What switches the mouse on or off."""
        raise NotImplementedError

    def _enable_mouse_support(self) -> None:
        # Textual's own asks for every move of the mouse.
        self._switch_mouse(True)

    def _disable_mouse_support(self) -> None:
        self._switch_mouse(False)

    def _switch_mouse(self, on: bool) -> None:
        if self._mouse:
            self.write(self.mouse_codes(on))
            self.flush()
