"""How much room the store may take: ``NSYSTUI_CACHE_LIMIT``, else ``cache_limit`` of the config file."""

from __future__ import annotations

import os
from collections.abc import Mapping

from tui.config import config_path, read_config
from tui.errors import UsageError
from tui.text.numbers import parse_size

DEFAULT_LIMIT = 20 * 10**9


def cache_limit(environ: Mapping[str, str] | None = None) -> int:
    """Bytes that stored reports may take. Raises UsageError, naming the place, for what is no size."""
    environ = os.environ if environ is None else environ
    if chosen := environ.get("NSYSTUI_CACHE_LIMIT"):
        return parse_size(chosen)
    path = config_path(environ)
    try:
        value = read_config(path).get("cache_limit")
    except UsageError:
        value = None  # who asks for the rest of the file says what is wrong with it
    if value is None:
        return DEFAULT_LIMIT
    try:
        return parse_size(str(value))
    except UsageError as error:
        raise UsageError(f"{path}: cache_limit: {error}") from None
