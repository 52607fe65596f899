"""The real exports that some tests walk. They live outside the repository, beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "data"
EXPORTS = sorted(REAL.glob("*.sqlite"))
ALL_EXPORTS = sorted(REAL.rglob("*.sqlite"))
"""Those in its folders too: captures without GPU work."""

needs_real = pytest.mark.skipif(not EXPORTS, reason="the real exports are not beside this checkout")


def real_export(name: str) -> Path:
    """The path of one real export; skips the test where it is absent."""
    path = REAL / f"{name}.sqlite"
    if not path.exists():
        pytest.skip(f"the real export {path.name} is not beside this checkout")
    return path
