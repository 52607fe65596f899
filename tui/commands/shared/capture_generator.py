"""The bundled generator of captures, for the demo and the self-test of the diagnosis."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import zlib
from pathlib import Path
from types import ModuleType

from tui.errors import NsystuiError


def generator_folder() -> Path:
    """Return the folder of the generator's sources: in the wheel, else beside the package in a checkout."""
    package = Path(__file__).resolve().parents[2]
    for folder in (package / "_fixtures", package.parent / "fixtures"):
        if (folder / "registry.py").is_file():
            return folder
    raise NsystuiError("this installation has no report generator; reinstall nsystui")


def load_generator() -> ModuleType:
    """Import the generator's registry under a name of our own: others install a package `fixtures`."""
    name = "_nsystui_fixtures"
    if name not in sys.modules:
        folder = generator_folder()
        spec = importlib.util.spec_from_file_location(
            name, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        assert spec is not None
        assert spec.loader is not None
        package = importlib.util.module_from_spec(spec)
        sys.modules[name] = package
        spec.loader.exec_module(package)
    return importlib.import_module(f"{name}.registry")


def load_variants() -> ModuleType:
    """Import the generator's list of variants, for :mod:`tui.commands.shared.variant_matrix`."""
    package = load_generator().__package__
    return importlib.import_module(f"{package}.variants.catalogue")


def generator_version() -> str:
    """Return a checksum of the generator's sources, so that an outdated demo is generated again."""
    sources = sorted(generator_folder().rglob("*.py"))
    return f"{zlib.crc32(b''.join(s.read_bytes() for s in sources)):08x}"
