"""A terminal timeline explorer for NVIDIA Nsight Systems exports."""

__version__ = "0.1.0"
INTERRUPTED = 130
"""The exit code after Ctrl-C."""
