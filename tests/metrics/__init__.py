"""Metrics: from the tables of an export to figures."""
