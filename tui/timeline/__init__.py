"""Lanes and a viewport in, rows of styled runs out. Pure: no terminal library, testable as text."""
