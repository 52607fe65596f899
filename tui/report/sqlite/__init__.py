"""Reads SQLite files: quickly from their pages, and everything unusual through SQLite."""
