"""The user's own classes of kernels: ``[classes]`` in the config file, a pattern and a class a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from tui.config import config_path, config_table
from tui.errors import UsageError
from tui.report.kernels.class_table import KernelClass


class UserRule(NamedTuple):
    """A pattern (searched without regard to case) and the class that it means."""

    pattern: str
    kernel_class: KernelClass


UserRules = tuple[UserRule, ...]
"""The first that fits counts."""


def user_rules() -> UserRules:
    """The rules of the config file, in its order; UsageError, naming the file, for what is none."""
    table = config_table("classes")
    try:
        return rules_from(table)
    except UsageError as error:
        raise UsageError(f"{config_path()}: {error}") from error


def rules_from(table: Mapping[str, Any]) -> UserRules:
    """The rules that a ``[classes]`` table means; UsageError for anything else than patterns and classes."""
    classes = {cls.value: cls for cls in KernelClass}
    found = []
    for pattern, name in table.items():
        try:
            re.compile(pattern)
        except (re.error, OverflowError) as error:
            raise UsageError(f"[classes] {pattern!r} is no pattern: {error}") from error
        if not isinstance(name, str) or name.lower() not in classes:
            raise UsageError(f"[classes] {pattern!r} = {name!r} should be one of {', '.join(classes)}")
        found.append(UserRule(pattern, classes[name.lower()]))
    return tuple(found)
