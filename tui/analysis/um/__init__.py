"""Unified memory: what the driver moved by itself, and the page faults that made it do so."""
