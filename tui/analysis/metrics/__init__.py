"""Metrics: what devices and machines measured of themselves while the program ran, from samples."""
