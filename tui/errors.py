"""The errors that a user sees, and their exit codes.

0 done, 1 a check failed, 2 bad usage or unreadable input, 3 the report holds none of what was
asked, 130 interrupted.
"""

from __future__ import annotations


class NsystuiError(Exception):
    """An error whose text is the one line that the user reads: what, with what, what to do."""

    exit_code = 2


class UsageError(NsystuiError):
    """The command line, a range or a config file does not parse."""


class ReportError(NsystuiError):
    """The file can't be read as an export."""


class NothingThere(NsystuiError):
    """The report holds none of what was asked."""

    exit_code = 3


class CheckFailed(NsystuiError):
    """A check that the user asked for did not hold."""

    exit_code = 1
