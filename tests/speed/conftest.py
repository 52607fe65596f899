"""A generated export small enough for every run, with every kind of lane."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.big import Size, build


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """20,000 kernels on 4 devices, their calls and ranges."""
    path = tmp_path_factory.mktemp("speed") / "small.sqlite"
    build(path, Size(kernels=20_000))
    return path
