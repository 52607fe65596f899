"""The explorer's state on a small training capture, without a screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.conftest import training
from tui.analysis.index import Busy
from tui.browse.capture import Capture, open_capture
from tui.browse.drawing import Drawing
from tui.browse.state import Browse, ReportPlace

MIN_GAP_NS = 100_000


@pytest.fixture
def capture(tmp_path: Path) -> Capture:
    """The capture of :func:`training`, its gaps and steps worked out."""
    capture = open_capture(training(tmp_path / "train.sqlite"), use_store=False)
    capture.books(Busy.ALL, MIN_GAP_NS)
    return capture


@pytest.fixture
def browse(capture: Capture) -> Browse:
    """The state with that capture open; the hint of an action is its name in brackets."""
    place = ReportPlace(capture.report.path)
    browse = Browse(place, Drawing(), lambda action: f"<{action}>", min_gap_ns=MIN_GAP_NS)
    view = browse.open(capture)
    view.resize(100, 30)
    return browse
