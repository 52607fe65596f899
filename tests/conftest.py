"""Options of the whole suite: how much of what can be had in any amount."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import settings

# Undo what a shell's background job inherits: with SIGINT ignored no command under test could be interrupted.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Elsewhere each run tries new examples; a verdict on a change must not depend on luck.
settings.register_profile("verdict", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("verdict")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("nsystui", "how much to try")
    group.addoption("--fuzz-count", type=int, default=60, help="mutants to try (default: 60)")
    group.addoption("--fuzz-seed", type=int, default=1, help="which mutants (default: 1)")
    group.addoption("--fuzz-workers", type=int, default=1, help="processes that try mutants (default: 1)")
    group.addoption("--corpus-all", action="store_true", help="every export in every format, not one each")
    group.addoption("--kill-count", type=int, default=8, help="imports to kill half-way (default: 8)")
